//! Training agrees with PyTorch; fixtures/pytorch/make.py made the numbers.

#![allow(clippy::unwrap_used)]

use ketbra::network::{Network, NetworkFile};
use ketbra::task::Window;
use ketbra::train::cpu::{CpuEngine, Isa};
use ketbra::train::{Curriculum, Engine, Job, Metrics, RecordError, Start, TrainObserver, TrainParams};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

struct Case {
    name: &'static str,
    learning_rate: f64,
    l2: f64,
    clip: f64,
}

const CASES: [Case; 9] = [
    Case { name: "plain", learning_rate: 1e-3, l2: 0.0, clip: 1.0 },
    Case { name: "all", learning_rate: 1e-2, l2: 1e-3, clip: 0.1 },
    Case { name: "relu", learning_rate: 1e-3, l2: 0.0, clip: 1.0 },
    Case { name: "elman2", learning_rate: 1e-2, l2: 1e-3, clip: 0.1 },
    Case { name: "gru", learning_rate: 1e-2, l2: 1e-3, clip: 0.1 },
    Case { name: "gru2", learning_rate: 1e-2, l2: 0.0, clip: 1.0 },
    Case { name: "gru-plain", learning_rate: 1e-2, l2: 0.0, clip: 1.0 },
    Case { name: "lstm", learning_rate: 1e-2, l2: 1e-3, clip: 0.1 },
    Case { name: "lstm2", learning_rate: 1e-2, l2: 0.0, clip: 1.0 },
];

#[derive(Default)]
struct Losses(Mutex<Vec<f64>>);

impl TrainObserver for Losses {
    fn record(&self, _job: usize, metrics: &Metrics) -> Result<(), RecordError> {
        self.0.lock().unwrap().push(metrics.loss);
        Ok(())
    }
}

impl Case {
    fn file(&self, name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pytorch").join(self.name).join(name)
    }

    fn network(&self, name: &str) -> Network {
        let path = self.file(name);
        NetworkFile::from_safetensors(&std::fs::read(&path).unwrap(), &path).unwrap().network
    }

    /// The network and the loss of every step after `steps` steps.
    fn train(&self, isa: Isa, steps: u64) -> (Network, Vec<f64>) {
        let start = self.network("start.safetensors");
        let params = TrainParams {
            cell: start.kind().unwrap(),
            layers: start.layers.len(),
            hidden: start.hidden(),
            seed: 5,
            steps,
            batch: 40,
            learning_rate: self.learning_rate,
            l2: self.l2,
            clip: self.clip,
            metrics_every: 1,
            ..TrainParams::with_curriculum(Curriculum::None { horizon: 12 })
        };
        let task = Window::named("repeat-copy", Some(4), Some(3)).unwrap();
        let job = Job { task: task.into(), params, start: Start::Weights(Box::new(start)) };
        let losses = Losses::default();
        let outcome = CpuEngine { threads: 1, isa }.train(&[job], &losses).pop().unwrap().unwrap();
        (outcome.state.network, losses.0.into_inner().unwrap())
    }
}

#[test]
fn one_optimizer_step_agrees_to_1e_5() {
    for case in CASES {
        for isa in Isa::available() {
            let ours = case.train(isa, 1).0.to_tensors();
            for (name, theirs) in case.network("stepped.safetensors").to_tensors() {
                let pairs = ours[&name].values.iter().zip(&theirs.values);
                let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-5, "{} {isa} {name}: {worst:e}", case.name);
            }
        }
    }
}

#[test]
fn the_loss_of_fifty_steps_stays_within_1e_4() {
    for case in CASES {
        let theirs: Vec<f64> = serde_json::from_slice(&std::fs::read(case.file("losses.json")).unwrap()).unwrap();
        assert!(theirs[0] - theirs[49] > 0.01, "{} learned nothing", case.name);
        for isa in Isa::available() {
            let ours = case.train(isa, 50).1;
            assert_eq!(ours.len(), 50);
            for (step, (a, b)) in ours.iter().zip(&theirs).enumerate() {
                assert!((a - b).abs() < 1e-4, "{} {isa} step {step}: {a} against {b}", case.name);
            }
        }
    }
}
