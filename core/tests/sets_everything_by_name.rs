//! Every number that decides something has a name, limits and a place in the results.

#![allow(clippy::unwrap_used, clippy::panic)]

use ketbra::compare::CompareParams;
use ketbra::compile::{CompileParams, compile};
use ketbra::develop::DevelopParams;
use ketbra::edit::EditParams;
use ketbra::interpret::{InterpretParams, Question, interpret};
use ketbra::known_settings as all;
use ketbra::linearize::FixedPointParams;
use ketbra::panics::catch_panic;
use ketbra::setting::{Adjustable, Listed, typed};
use ketbra::task::Window;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Names and values of what is stored, as deep as there are objects.
fn leaves(at: &str, value: &Value) -> Vec<(String, Value)> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match (at, name.as_str()) {
                (_, "interpret") => leaves("", value),
                ("", name) => leaves(name, value),
                (at, name) => leaves(&format!("{at}.{name}"), value),
            })
            .collect(),
        other => vec![(at.into(), other.clone())],
    }
}

fn stored<P: Adjustable + Serialize>(params: &P) -> Vec<(String, Value)> {
    leaves(P::NAME, &serde_json::to_value(params).unwrap())
}

/// Another value that a setting takes.
fn another(known: &Listed) -> String {
    match &known.default {
        Value::Bool(flag) => (!flag).to_string(),
        Value::Number(number) if number.is_f64() => (number.as_f64().unwrap() / 2.0).to_string(),
        Value::Number(number) => (number.as_u64().unwrap() + 1).to_string(),
        Value::Null if known.name == "edit.mode" => "same-code".into(),
        Value::Null => "7".into(),
        Value::Array(each) if each.is_empty() => "all".into(),
        Value::Array(each) if each.iter().all(Value::is_number) => "3,5".into(),
        Value::Array(_) => "1,0.5;0,2".into(),
        Value::String(word) => {
            let words = known.takes.trim_start_matches("one of ").split(", ");
            words.into_iter().find(|other| other != word).unwrap().into()
        }
        Value::Object(_) => panic!("{} is no leaf", known.name),
    }
}

fn each_is_reached_and_kept<P>()
where
    P: Adjustable + Default + Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
{
    let before = stored(&P::default());
    // What is not stored with the rest is stored elsewhere.
    let list: Vec<Listed> = P::default()
        .list()
        .into_iter()
        .filter(|known| P::NAME != "develop" || known.name.starts_with("develop"))
        .collect();
    let pairs: Vec<(String, Value)> = list.iter().map(|known| (known.name.clone(), known.default.clone())).collect();
    assert_eq!(pairs, before);
    for known in &list {
        let mut same = P::default();
        same.set(&known.name, &typed(&known.default)).unwrap();
        assert_eq!(same, P::default(), "{}", known.name);
        let mut other = P::default();
        other.set(&known.name, &another(known)).unwrap();
        let after = stored(&other);
        let changed: Vec<&str> = before.iter().zip(&after).filter(|(a, b)| a != b).map(|(a, _)| a.0.as_str()).collect();
        assert_eq!(changed, [known.name.as_str()]);
        let json = serde_json::to_string(&other).unwrap();
        assert_eq!(serde_json::from_str::<P>(&json).unwrap(), other, "{}", known.name);
        assert!(known.says.len() > 10, "{} says nothing", known.name);
    }
}

#[test]
fn every_leaf_has_a_name_takes_its_default_and_changes_what_is_stored_alone() {
    each_is_reached_and_kept::<InterpretParams>();
    each_is_reached_and_kept::<CompareParams>();
    each_is_reached_and_kept::<DevelopParams>();
    each_is_reached_and_kept::<EditParams>();
    each_is_reached_and_kept::<FixedPointParams>();
}

#[test]
fn no_two_settings_share_a_name() {
    let names: Vec<String> = all().into_iter().map(|known| known.name).collect();
    let different: BTreeSet<&String> = names.iter().collect();
    assert_eq!(different.len(), names.len());
    for wanted in ["code.read", "claims.follows", "methods", "compare.dsa.delays", "edit.good", "develop.angle"] {
        assert!(names.iter().any(|name| name == wanted), "{wanted}");
    }
}

#[test]
fn what_results_hold_can_be_set_again() {
    let written = ["code.read=0.9", "methods=code,dual", "code.writings=64,2", "observe.ends_after=9", "state=whole"];
    let params = InterpretParams::default().with(&written).unwrap();
    let Value::Object(map) = serde_json::to_value(&params).unwrap() else { panic!("no object") };
    assert_eq!(InterpretParams::default().with_map(&map).unwrap(), params);
    assert_eq!(
        params,
        InterpretParams::default().with(&written[..3]).unwrap().with(&written[4..]).unwrap().ending_after(9).unwrap()
    );
}

#[test]
fn what_cannot_be_meant_is_answered_with_what_can() {
    let refusal = |written: &str| InterpretParams::default().with(&[written]).unwrap_err().to_string();
    for (written, said) in [
        ("code.raed=0.9", "there is no setting 'code.raed'; did you mean 'code.read'?"),
        ("claim.follows=1", "there is no setting 'claim.follows'; did you mean 'claims.follows'?"),
        ("code=1", "there is no setting 'code'; did you mean"),
        ("code.read=1.5", "code.read is 1.5, but must be from 0 to 1"),
        ("code.read=nan", "code.read is nan, but must be a number"),
        ("code.direction=inf", "code.direction is inf, but must be a number"),
        ("observe.probes=64.0", "observe.probes is 64.0, but must be a whole number, from 1 to 65536"),
        ("code.direction=-1", "code.direction is -1, but must be at least 0"),
        ("code.ridge=0", "code.ridge is 0, but must be more than 0"),
        ("code.folds=1", "code.folds is 1, but must be from 2 to 1000"),
        ("observe.probes=1e9", "observe.probes is 1e9, but must be from 1 to 65536"),
        ("observe.probes=100000000", "observe.probes is 100000000, but must be from 1 to 65536"),
        ("observe.all_windows=100000000", "observe.all_windows is 100000000, but must be at most 1000000"),
        ("code.writings=5", "code.writings is 5, but must be 2 with commas between them, each a whole number"),
        ("readings=yes", "readings is yes, but must be true or false"),
        ("method=magic", "there is no method 'magic'; choose from code, orbit"),
        ("methods=code,magic", "there is no method 'magic'; choose from"),
        ("observe.ends_after=2", "2 output steps are too few"),
        ("code.read", "'code.read' is no setting with a value; write NAME=VALUE, such as code.read=0.95"),
    ] {
        assert!(refusal(written).starts_with(said), "{written}: {}", refusal(written));
    }
    let nested: Map<String, Value> = serde_json::from_str(r#"{"code": {"read": "high"}}"#).unwrap();
    let refused = InterpretParams::default().with_map(&nested).unwrap_err().to_string();
    assert_eq!(refused, "code.read is high, but must be a number, from 0 to 1");
}

#[test]
fn no_setting_at_an_end_of_its_limits_breaks_an_interpretation() {
    let task = Window::named("repeat-copy", Some(3), Some(2)).unwrap();
    let made = compile(&task, &CompileParams { hidden: Some(12), ..CompileParams::default() }).unwrap();
    let mut broken = vec![];
    for known in InterpretParams::default().list() {
        let ends = known.takes.split_once(", ").map_or("", |(_, ends)| ends);
        let least = ends.split_once("from ").map_or("0", |(_, ends)| ends.split(' ').next().unwrap_or("0"));
        let least = if ends.contains("more than 0") { "1e-300" } else { least };
        let most = if ends.ends_with("to 1") { "1" } else { least };
        for end in BTreeSet::from([least, most]) {
            let value = if known.default.is_array() { format!("{end},{end}") } else { end.into() };
            let mut params = InterpretParams::default();
            if params.set(&known.name, &value).is_err() {
                continue;
            }
            let Ok(params) = params.complete() else { continue };
            if let Err(panicked) =
                catch_panic(|| interpret(&made.network, &Question::Blind { s: 3 }, &params, &|_| true).map(|_| ()))
            {
                broken.push(format!("{}={value}: {panicked}", known.name));
            }
        }
    }
    assert_eq!(broken, Vec::<String>::new());
}
