//! Whole runs on the device: losses, bytes, resuming, divergence.

use super::*;

/// Keeps the loss of every step.
#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl TrainObserver for Losses {
    fn record(&self, _: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.0.lock().unwrap().push(metrics.loss);
        Ok(())
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn losses_follow_those_of_the_processor_for_fifty_steps() {
    let dense = {
        let mut matrix = Mat::zeros(2, 6);
        matrix[(0, 1)] = 0.6;
        matrix[(0, 4)] = -0.5;
        matrix[(1, 0)] = 0.9;
        Window::from_matrix("dense", 3, 2, matrix).unwrap().into()
    };
    let short = |p: &mut TrainParams| (p.steps, p.metrics_every, p.test.batches) = (50, 1, 1);
    let cases = [
        job(table1("T1"), short),
        job(table1("T3"), |p| {
            short(p);
            (p.hidden, p.l2) = (64, 1e-3);
            p.curriculum = Curriculum::adaptive();
        }),
        job(dense, |p| {
            short(p);
            (p.hidden, p.bias, p.batch) = (40, true, 48);
        }),
        job(Task::named("rule110", None, None).unwrap(), |p| {
            short(p);
            p.bias = true;
        }),
        job(Task::named("lfsr:5,3", None, None).unwrap(), |p| {
            short(p);
            (p.hidden, p.bias) = (100, true);
        }),
        job(table1("T2"), |p| {
            short(p);
            p.choose_cell(CellKind::Gru, &table1("T2"));
            p.l2 = 1e-4;
        }),
        job(Task::named("rule110", None, None).unwrap(), |p| {
            short(p);
            p.choose_cell(CellKind::Lstm, &table1("T2"));
            p.hidden = 64;
        }),
        job(table1("T4"), |p| {
            short(p);
            p.choose_cell(CellKind::Gru, &table1("T4"));
            (p.hidden, p.layers, p.curriculum) = (48, 2, Curriculum::None { horizon: 20 });
        }),
        job(table1("T3"), |p| {
            short(p);
            (p.hidden, p.curriculum) = (256, Curriculum::None { horizon: 20 });
        }),
        job(Task::named("repeat-copy", Some(16), Some(16)).unwrap(), |p| {
            short(p);
            (p.hidden, p.curriculum) = (256, Curriculum::None { horizon: 20 });
            p.activation = crate::network::Activation::Identity;
        }),
    ];
    for precision in [Precision::Plain, Precision::Single] {
        for (k, one) in cases.iter().enumerate() {
            let (here, there) = (Losses::default(), Losses::default());
            CpuEngine::default().train(std::slice::from_ref(one), &here).remove(0).unwrap();
            engine(precision).train(std::slice::from_ref(one), &there).remove(0).unwrap();
            let (here, there) = (here.0.into_inner().unwrap(), there.0.into_inner().unwrap());
            assert_eq!((here.len(), there.len()), (50, 50));
            let worst = here.iter().zip(&there).map(|(a, b)| (a - b).abs() / a.abs()).fold(0.0, f64::max);
            eprintln!("{precision:?} case {k}: losses differ by {worst:.1e} at most");
            assert!(worst < 1e-4, "case {k} {precision:?}: {worst:e}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn bytes_do_not_depend_on_the_networks_beside() {
    for precision in [Precision::Plain, Precision::Single, Precision::Fast] {
        let engine = engine(precision);
        let jobs: Vec<Job> = (1..=300)
            .map(|seed| {
                job(table1(["T1", "T2", "T3", "T4"][seed as usize % 4]), |p| {
                    (p.seed, p.steps, p.test.batches, p.test.horizon) = (seed, 120, 1, 10);
                    p.hidden = if seed % 2 == 0 { 64 } else { 100 };
                    p.curriculum = Curriculum::table1().with_threshold(0.55);
                    if seed % 5 == 0 {
                        p.choose_cell(CellKind::Gru, &table1("T1"));
                    }
                })
            })
            .collect();
        let together = engine.train(&jobs, &Unobserved);
        for k in [0, 1, 2, 4, 131, 132, 299] {
            let alone = engine.train(&jobs[k..=k], &Unobserved).remove(0).unwrap();
            assert_eq!(alone.state, together[k].as_ref().unwrap().state, "{precision:?} job {k}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_shape_trains_and_resumes_on_either_engine() {
    let elman = [(32, 8, 8), (33, 3, 1), (64, 16, 16), (100, 5, 13), (128, 16, 5), (200, 4, 3), (256, 8, 8)];
    let gated = [(33, 3, 1), (100, 5, 13), (128, 8, 8), (200, 4, 3)];
    let shapes = elman.map(|shape| (CellKind::Elman, shape)).into_iter();
    let shapes =
        shapes.chain(gated.map(|shape| (CellKind::Gru, shape))).chain(gated.map(|shape| (CellKind::Lstm, shape)));
    for (cell, (hidden, s, d)) in shapes {
        for precision in [Precision::Single, Precision::Fast, Precision::Plain] {
            let engine = engine(precision);
            let task = Task::named("compose-copy", Some(s), Some(d)).unwrap();
            let one = job(task.clone(), |p| {
                p.choose_cell(cell, &task);
                (p.hidden, p.steps, p.test.batches) = (hidden, 60, 1);
                p.curriculum = Curriculum::None { horizon: 12 };
            });
            let mut first_half = one.clone();
            first_half.params.steps = 30;
            let whole = engine.train(std::slice::from_ref(&one), &Unobserved).remove(0).unwrap();
            let half = engine.train(&[first_half], &Unobserved).remove(0).unwrap();
            let rest = [Job { start: Start::State(Box::new(half.state.clone())), ..one.clone() }];
            let resumed = engine.train(&rest, &Unobserved).remove(0).unwrap();
            assert_eq!(resumed.state, whole.state, "{cell:?} hidden {hidden} s {s} d {d} {precision:?}");
            let here = CpuEngine::default().train(&rest, &Unobserved).remove(0).unwrap();
            let losses = [&here, &whole].map(|outcome| outcome.state.metrics.unwrap().loss);
            let limit = if precision == Precision::Fast { 2e-2 } else { 1e-3 };
            assert!(
                (losses[0] / losses[1] - 1.0).abs() < limit,
                "{cell:?} hidden {hidden} s {s} d {d} {precision:?}: {losses:?}"
            );
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn one_network_that_diverges_stops_alone_on_the_device() {
    for precision in [Precision::Plain, Precision::Single, Precision::Fast] {
        let mut jobs: Vec<Job> =
            (1..=3).map(|seed| job(table1("T1"), |p| (p.seed, p.steps, p.test.batches) = (seed, 20, 1))).collect();
        let mut broken = Initialization::Uniform.network(&Architecture::elman(128, Default::default(), false), 8, 8, 1);
        broken.readout.weights[(0, 0)] = 3e38;
        jobs[1].start = Start::Weights(Box::new(broken));
        let results = engine(precision).train(&jobs, &Unobserved);
        let error = results[1].as_ref().unwrap_err().to_string();
        assert!(error.contains("diverged at step 1"), "{error}");
        assert!(results[0].is_ok() && results[2].is_ok());
    }
}
