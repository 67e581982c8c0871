//! `ketbra sweep --engine slurm` against a real SLURM: controller and node on this machine, started and stopped here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

const GRID: &str = "task = [\"repeat-copy\", \"compose-copy\"]\ns = 3\nd = 2\nhidden = 16\nsteps = 300\nhorizon = 20\n\
                    threshold = [0.9, 0.98]\nseed = \"1-6\"\n";
/// Looks at the cluster before a test gives up on it.
const PATIENCE: usize = 600;

/// A cluster that ends with the test.
struct Cluster(PathBuf);

impl Cluster {
    fn start(folder: &Path) -> Self {
        let cluster = Self(folder.join("cluster"));
        let started = cluster.script("start");
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        cluster
    }

    fn script(&self, what: &str) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/slurm.sh");
        Command::new("sh").arg(script).arg(what).arg(&self.0).output().unwrap()
    }

    fn run(&self, program: &str, folder: &Path, arguments: &[&str]) -> String {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).env("SLURM_CONF", self.0.join("slurm.conf")).env("NO_COLOR", "1");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn ketbra(&self, folder: &Path, arguments: &[&str]) -> String {
        self.run(env!("CARGO_BIN_EXE_ketbra"), folder, arguments)
    }

    fn status(&self, folder: &Path) -> Value {
        serde_json::from_str(&self.ketbra(folder, &["sweep", "--status", "cluster-run", "--json"])).unwrap()
    }

    fn wait(&self, folder: &Path, reached: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..PATIENCE {
            let status = self.status(folder);
            if reached(&status) {
                return status;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("the cluster did not get there: {}", self.status(folder));
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("stop");
    }
}

fn is_idle(status: &Value) -> bool {
    status["slurm"].as_object().unwrap().is_empty()
}

#[test]
#[ignore = "needs slurm-wlm and munge; ./check installs them and runs this"]
fn a_sweep_on_slurm_ends_with_the_bytes_of_a_local_one_although_a_task_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("grid.toml"), GRID).unwrap();
    let cluster = Cluster::start(at);
    cluster.ketbra(at, &["sweep", "grid.toml", "--out", "local-run"]);

    let submit = ["sweep", "grid.toml", "--out", "cluster-run", "--engine", "slurm", "--array-tasks", "4", "--json"];
    let submission: Value = serde_json::from_str(&cluster.ketbra(at, &submit)).unwrap();
    assert_eq!((&submission["tasks"], submission["networks"].as_array().unwrap().len()), (&4.into(), 24));
    cluster.wait(at, |status| status["done"].as_u64() >= Some(1));
    let again = cluster.ketbra(at, &submit[..submit.len() - 1]);
    assert!(again.contains("nothing to submit"), "what is queued is not submitted twice: {again}");
    let killed = format!("{}_0", submission["job"].as_str().unwrap());
    cluster.run("scancel", at, &["--signal=KILL", "--full", &killed]);

    let after = cluster.wait(at, is_idle);
    assert!(after["waiting"].as_u64() >= Some(1), "the killed task left work behind: {after}");
    assert_eq!(after["failed"].as_object().unwrap().len(), 0);
    let submission: Value = serde_json::from_str(&cluster.ketbra(at, &submit)).unwrap();
    assert_eq!(submission["networks"].as_array().unwrap().len() as u64, after["waiting"].as_u64().unwrap());
    let done = cluster.wait(at, is_idle);
    assert_eq!((done["done"].as_u64(), done["waiting"].as_u64()), (Some(24), Some(0)), "{done}");

    let read = |run: &str, file: &str| std::fs::read(at.join(run).join(file)).unwrap();
    assert_eq!(read("cluster-run", "results.csv"), read("local-run", "results.csv"));
    let names = String::from_utf8(read("local-run", "networks.txt")).unwrap();
    for name in names.lines() {
        for file in ["network.safetensors", "result.json", "metrics.csv"] {
            let file = format!("{name}/{file}");
            assert_eq!(read("cluster-run", &file), read("local-run", &file), "{file}");
        }
    }
}
