//! Are two networks the same circuit?

use crate::answer::{Answer, PAGE, Problem, file};
use crate::frame::File;
use crate::request::NetworkOptions;
use ketbra::compare::{CompareParams, Comparison, Subject, compare_examined, examine_all};
use ketbra::interpret::Interpretation;
use ketbra::network::NetworkFile;
use ketbra::observe::{OnProgress, StageProgress};
use ketbra::report::{Provenance, Side, page_of_two};
use ketbra::setting::Adjustable;
use std::path::Path;

/// Share of the work that the comparison takes; the rest is for the page, which interprets both once more.
const COMPARING: f64 = 0.6;

pub fn compare(about: &NetworkOptions, files: &[File], look: OnProgress<'_>) -> Result<Answer, Problem> {
    let [left, right] = files else { return Err("drop two networks".into()) };
    let found =
        compared(about, [left, right], &|moment| look(StageProgress { share: COMPARING * moment.share, ..moment }))?;
    let mut answer = vec![file("comparison.json", serde_json::to_string_pretty(&found)? + "\n")];
    let half = (1.0 - COMPARING) / 2.0;
    let side = |dropped: &File, from: f64| {
        let look = |moment: StageProgress| look(StageProgress { share: from + half * moment.share, ..moment });
        crate::interpret::interpreted(about, dropped, &look)
    };
    // A pair that can be compared but not shown still has its answer.
    if let (Ok(a), Ok(b)) = (side(left, COMPARING), side(right, COMPARING + half)) {
        answer.insert(0, file(PAGE, page([(left, &a), (right, &b)])?));
    }
    Ok(Answer { json: serde_json::to_value(&found)?, files: answer })
}

fn compared(about: &NetworkOptions, files: [&File; 2], look: OnProgress<'_>) -> Result<Comparison, Problem> {
    let params = CompareParams::default().with_map(&about.settings)?;
    let mut subjects = vec![];
    for (name, dropped) in names(files).into_iter().zip(files) {
        let network = NetworkFile::from_bytes(&dropped.bytes, Path::new(&dropped.name), about.activation)?;
        subjects.push(Subject::network(name, network, about.s)?);
    }
    let examined = examine_all(&subjects, &params, look, &|| ())?;
    Ok(compare_examined(&examined, &params)?)
}

/// What two files are called: without what follows the dot, unless that tells them apart.
fn names(files: [&File; 2]) -> [String; 2] {
    let stem = |file: &File| Path::new(&file.name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    match files.map(stem) {
        [a, b] if a != b => [a, b],
        _ => files.map(|file| file.name.clone()),
    }
}

fn page(sides: [(&File, &(NetworkFile, Interpretation)); 2]) -> Result<String, Problem> {
    let [told_left, told_right] =
        sides.map(|(dropped, (network, _))| Provenance::of(Path::new(&dropped.name), network, &|_, _| ()));
    let [(_, left), (_, right)] = sides;
    let left = Side { network: &left.0.network, found: &left.1, provenance: &told_left };
    let right = Side { network: &right.0.network, found: &right.1, provenance: &told_right };
    Ok(page_of_two(&left, &right, None)?)
}
