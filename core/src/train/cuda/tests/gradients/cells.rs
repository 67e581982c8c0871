//! Gradients of the kernels for gated cells, wide layers, biases, truth tables and stacks.

use super::*;

/// Gated cells, wide layers, biases and truth tables: `steps` optimizer steps from random weights on.
fn other_cases(steps: u64) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (cell, hidden) in
        [CellKind::Gru, CellKind::Lstm].into_iter().flat_map(|cell| [64, 100, 128, 256].map(|hidden| (cell, hidden)))
    {
        for name in if hidden == 128 { ["T2", "T3", "T4"].as_slice() } else { &["T3"] } {
            jobs.push(job(table1(name), |p| {
                p.choose_cell(cell, &table1(name));
                (p.hidden, p.l2, p.steps) = (hidden, if *name == "T4" { 1e-4 } else { 0.0 }, steps);
                if hidden > 128 {
                    (p.curriculum, p.steps) = (Curriculum::None { horizon: 30 }, steps / 4);
                }
            }));
        }
    }
    jobs.push(job(table1("T2"), |p| {
        p.choose_cell(CellKind::Gru, &table1("T2"));
        (p.bias, p.steps) = (false, steps);
    }));
    for hidden in [160, 256, 384, 512] {
        jobs.push(job(table1("T2"), |p| {
            (p.hidden, p.steps, p.curriculum) = (hidden, steps / 4, Curriculum::None { horizon: 30 });
        }));
    }
    let rule = Task::named("rule110", None, None).unwrap();
    for cell in [CellKind::Elman, CellKind::Gru] {
        jobs.push(job(rule.clone(), |p| {
            p.choose_cell(cell, &rule);
            p.steps = steps;
        }));
    }
    jobs
}

/// All precisions at the same weights: the processor's gradients in f64 take most of the time.
fn check_other_cases(cases: &[Case]) {
    let limits = [(Precision::Plain, SINGLE_LIMIT), (Precision::Single, SINGLE_LIMIT), (Precision::Fast, FAST_LIMIT)];
    for (precision, limit) in limits {
        let missed = beyond(&engine(precision), cases, limit);
        assert!(missed.is_empty(), "beyond {limit:e}: {missed:#?}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_of_other_cells_agree_with_f64_at_initial_weights() {
    let jobs = other_cases(0);
    let places = jobs.iter().map(|job| {
        let network = job.params.random_network(job.task.outputs());
        Place { job, network, accuracy: None }
    });
    check_other_cases(&compare(places.collect()));
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_of_other_cells_agree_with_f64_at_trained_weights() {
    let jobs = other_cases(2500);
    check_other_cases(&compare(trained(&jobs)));
}

#[test]
#[ignore = "needs a CUDA device"]
fn gradients_of_stacks_agree_with_f64() {
    for cell in [CellKind::Elman, CellKind::Gru, CellKind::Lstm] {
        let stack = job(table1("T3"), |p| {
            p.choose_cell(cell, &table1("T3"));
            (p.hidden, p.layers, p.curriculum) = (48, 3, Curriculum::None { horizon: 20 });
        });
        let error = error_at(Precision::Single, &stack, &stack.params.random_network(8));
        eprintln!("three layers of {cell:?}: error {error:.1e}");
        assert!(error < SINGLE_LIMIT, "{cell:?}: {error:e}");
    }
}
