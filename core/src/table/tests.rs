use super::*;
use crate::sweep::{Plan, Run, SpectrumFigures};
use std::path::Path;

fn row(run: &Run, accuracy: f64, error: Option<f64>, power: bool) -> Row {
    let mut row = Row::of(run);
    row.accuracy = Some(accuracy);
    row.verdict = Some(if power { "circuit" } else { "superposed" }.into());
    row.origin = SpectrumFigures { error, ..SpectrumFigures::default() };
    row.orbit = SpectrumFigures { error: error.map(|error| error / 10.0), ..SpectrumFigures::default() };
    row.recovered = [("orbit".to_string(), true), ("power".to_string(), power)].into();
    row
}

/// T1 never matches; T2 matches for seed 1 with either threshold and for seed 2 with one.
fn example() -> Table {
    let file = "recipe = \"table1\"\ntask = [\"T1\", \"T2\"]\nhidden = 64\nthreshold = [0.9, 0.98]\nseed = [1, 2]";
    let runs = Plan::parse(file, "s.toml", Path::new("")).unwrap().runs().unwrap();
    let rows: Vec<Row> = runs
        .iter()
        .map(|run| match run.name.as_str() {
            name if name.starts_with("t1") => row(run, 0.97, None, false),
            "t2-h64-l2_0-thr0.9-seed01" => row(run, 0.99, Some(0.008), true),
            "t2-h64-l2_0-thr0.98-seed01" => row(run, 1.0, Some(0.006), false),
            "t2-h64-l2_0-thr0.9-seed02" => row(run, 0.96, None, false),
            "t2-h64-l2_0-thr0.98-seed02" => row(run, 0.5, Some(0.004), true),
            name => panic!("{name}"),
        })
        .collect();
    table(&rows, &TableParams::default())
}

#[test]
fn the_better_threshold_counts_for_each_seed() {
    let t2 = &example().groups[1];
    assert_eq!((t2.task.as_str(), t2.seeds, t2.matched, t2.networks), ("T2", 2, 2, 4));
    assert!((t2.error.unwrap() - 0.005).abs() < 1e-12, "the lowest error of each seed");
    assert!((t2.accuracy.unwrap() - 0.98).abs() < 1e-12, "the highest accuracy of each seed");
    assert!((t2.error_orbit.unwrap() - 0.0005).abs() < 1e-12);
}

#[test]
fn recovery_is_asked_of_converged_networks_whose_count_matches() {
    let table = example();
    let t2 = &table.groups[1];
    assert_eq!((t2.converged, t2.recovered, t2.recovered_by["power"]), (2, Some(1.0), 0.5));
    assert_eq!((table.matching.of, table.matching.by["power"]), (2, 1));
    assert_eq!((table.converged.of, table.converged.by["orbit"]), (7, 7));
    assert_eq!(table.groups[0].recovered, None);
}

#[test]
fn text_markdown_and_latex_print_what_the_paper_prints() {
    let table = example();
    assert!(
        text(&table).starts_with("task     H=64, L2=0\nT1       --- (0.97)\nT2    0.0050 (0.98)\n"),
        "{}",
        text(&table)
    );
    assert!(markdown(&table).starts_with("| task | H=64, L2=0 |\n|---|---|\n| T1 | --- (0.97) |\n"));
    let latex = latex(&table);
    assert!(
        latex.contains("\\toprule\nTask & \\multicolumn{1}{c}{hidden size: 64} \\\\\n & L2: 0 \\\\\n\\midrule"),
        "{latex}"
    );
    assert!(latex.contains("T2 & 0.0050 (0.98) \\\\\n\\bottomrule"), "{latex}");
}

#[test]
fn a_cell_in_json_has_the_promised_keys() {
    let value = serde_json::to_value(&example().groups).unwrap();
    let cell = value[0].as_object().unwrap();
    for key in ["task", "hidden", "l2", "seeds", "matched", "error", "error_orbit", "accuracy", "recovered"] {
        assert!(cell.contains_key(key), "{key}");
    }
    assert!(cell["error"].is_null());
}

#[test]
fn verdicts_are_counted_in_each_cell_and_few_seeds_have_no_interval() {
    let table = example();
    let t2 = &table.groups[1];
    assert_eq!((t2.verdicts["circuit"], t2.verdicts["superposed"]), (2, 2));
    assert_eq!((t2.error_interval, t2.accuracy_interval), (None, None), "two seeds");
    assert!(text(&table).contains("2 circuit, 2 superposed"), "{}", text(&table));
}
