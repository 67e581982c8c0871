use super::*;
use crate::sweep::{Row, SpectrumFigures, SweepFolder};
use std::fs;

fn rows(folder: &Path) -> (Vec<Row>, SweepFolder) {
    let file = "task = [\"T1\", \"T2\"]\nhidden = 64\nseed = [1, 2]";
    let runs = Plan::parse(file, "s.toml", Path::new("")).unwrap().runs().unwrap();
    let rows = runs
        .iter()
        .map(|run| {
            let mut row = Row::of(run);
            row.accuracy = Some(if row.task == "T1" { 0.97 } else { 1.0 });
            row.origin = SpectrumFigures { error: (row.task == "T2").then_some(0.01), ..SpectrumFigures::default() };
            row
        })
        .collect();
    (rows, SweepFolder::create(folder, &runs).unwrap())
}

fn verdict_on(checks: &str) -> Result<ExperimentReport, ReproduceError> {
    let folder = tempfile::tempdir().unwrap();
    let experiment = folder.path().join("mine");
    fs::create_dir(&experiment).unwrap();
    fs::write(experiment.join(EXPECTED), format!("title = \"x\"\npaper = \"y\"\n{checks}")).unwrap();
    let (rows, sweep) = rows(&folder.path().join("runs"));
    judge(&Experiment::read(&experiment, true)?, &rows, vec![], &sweep, true)
}

const T1: &str = "[[check]]\nwhat = \"error\"\nwhere = { task = \"T1\" }\nindeterminate = true\n";
const T2: &str = "[[check]]\nwhat = \"error\"\nwhere = { task = \"T2\", hidden = 64 }\nvalue = 0.0075\nfactor = 3\n";
const WRONG: &str = "[[check]]\nwhat = \"accuracy\"\nat_most = 0.5\n";

#[test]
fn a_verdict_says_whether_all_some_or_none_of_the_paper_holds() {
    assert_eq!(verdict_on(&[T1, T2].concat()).unwrap().verdict, Agreement::Reproduced);
    assert_eq!(verdict_on(&[T1, WRONG].concat()).unwrap().verdict, Agreement::Partly);
    assert_eq!(verdict_on(WRONG).unwrap().verdict, Agreement::Not);
    let ours = format!("{WRONG}source = \"ours\"\n");
    assert_eq!(verdict_on(&[T2, &ours].concat()).unwrap().verdict, Agreement::Reproduced, "only the paper's decide");
}

#[test]
fn the_reduced_grid_may_have_a_band_of_its_own_and_a_quantity_may_be_a_ratio() {
    let ratio = "[[check]]\nwhat = \"accuracy\"\nwhere = { task = \"T1\" }\nthan = { task = \"T2\" }\nvalue = 0.97\nwithin = 1e-9\n";
    assert_eq!(verdict_on(ratio).unwrap().verdict, Agreement::Reproduced);
    assert_eq!(verdict_on(&format!("{WRONG}quick = {{ at_least = 0.9 }}\n")).unwrap().verdict, Agreement::Reproduced);
    let missing = "[[check]]\nwhat = \"error\"\nwhere = { task = \"T1\" }\nvalue = 1.0\nmay_be_missing = true\n";
    assert_eq!(verdict_on(missing).unwrap().findings[0].holds, None);
}

#[test]
fn expectations_that_cannot_be_meant_are_refused() {
    let message = |checks: &str| verdict_on(checks).unwrap_err().to_string();
    assert!(message("[[check]]\nwhat = 3\n").contains("expected.toml:4:"), "{}", message("[[check]]\nwhat = 3\n"));
    assert!(message("[[check]]\nwhat = \"acuracy\"\n").contains("no such quantity"));
    assert!(message("[[check]]\nwhat = \"accuracy\"\nwhere = { tusk = 1 }\n").contains("no column 'tusk'"));
}

#[test]
fn recall_and_circuit_are_measured_without_training() {
    let checks = "[[check]]\nwhat = \"circuit_accuracy\"\nvalue = 1.0\nwithin = 0.0\n\
                  [[check]]\nwhat = \"recall_in_order\"\nvalue = 1.0\nwithin = 0.0\n";
    assert_eq!(verdict_on(checks).unwrap().verdict, Agreement::Reproduced);
}

#[test]
fn rank_correlation_sees_order_and_shares_ranks() {
    let rank = measure::rank_correlation;
    assert_eq!(rank(&[(1.0, 10.0), (2.0, 100.0), (3.0, 1000.0)]), Some(1.0));
    assert_eq!(rank(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), Some(-1.0));
    assert_eq!(rank(&[(1.0, 1.0), (2.0, 1.0)]), None);
}

#[test]
fn an_unknown_experiment_names_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("table-1")).unwrap();
    fs::write(folder.path().join("table-1").join(EXPECTED), "title = \"\"\npaper = \"\"\ncheck = []").unwrap();
    let error = Experiment::read_all(folder.path(), &["tabel-1".into()], true).unwrap_err().to_string();
    assert!(error.contains("did you mean 'table-1'?"), "{error}");
    assert_eq!(Experiment::read_all(folder.path(), &[], true).unwrap().len(), 1);
}

#[test]
fn networks_are_compared_where_an_experiment_asks_for_it() {
    use crate::compile::{CompileParams, compile};
    let folder = tempfile::tempdir().unwrap();
    let experiment = folder.path().join("mine");
    fs::create_dir(&experiment).unwrap();
    let checks = "[[check]]\nwhat = \"same_within_task\"\nat_least = 1.0\n[[check]]\nwhat = \"same_across_tasks\"\nat_most = 0.0\n\
                  [[check]]\nwhat = \"farthest_within_task\"\nat_most = 1e-6\n[[check]]\nwhat = \"same_across_cells\"\nmay_be_missing = true\n\
                  [[check]]\nwhat = \"same_within_task\"\nwhere = { seed = 1 }\nmay_be_missing = true\n";
    fs::write(experiment.join(EXPECTED), format!("title = \"x\"\npaper = \"y\"\n{checks}")).unwrap();
    let file = "task = [\"compose-copy\", \"repeat-copy\"]\ns = 3\nd = 3\nhidden = 48\nseed = [1, 2]";
    let runs = Plan::parse(file, "s.toml", Path::new("")).unwrap().runs().unwrap();
    let sweep = SweepFolder::create(&folder.path().join("runs"), &runs).unwrap();
    for run in &runs {
        let params = CompileParams { hidden: Some(48), seed: run.job.params.seed, ..CompileParams::default() };
        let made = compile(run.job.task.window().unwrap(), &params).unwrap();
        fs::create_dir_all(sweep.run_path(&run.name)).unwrap();
        made.file().save(&sweep.run_path(&run.name).join("network.safetensors")).unwrap();
    }
    let rows: Vec<Row> = runs.iter().map(Row::of).collect();
    let report = judge(&Experiment::read(&experiment, true).unwrap(), &rows, vec![], &sweep, true).unwrap();
    let found: Vec<Option<f64>> = report.findings.iter().map(|finding| finding.found).collect();
    assert_eq!((found[0], found[1]), (Some(1.0), Some(0.0)));
    assert!(found[2].unwrap() < 1e-6);
    assert_eq!((found[3], found[4]), (None, None), "one cell, and one seed of each task");
    assert_eq!(report.comparison.unwrap().clusters.len(), 2);
}
