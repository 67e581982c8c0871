//! What the page asks of the engine, asked without a browser.

#![allow(clippy::unwrap_used)]

use ketbra_web::answer_bytes;
use ketbra_web::frame::{File, join, split};
use serde_json::{Value, json};
use std::path::Path;

const NETWORKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../core/tests/fixtures/networks");

fn network(name: &str) -> File {
    File { name: name.into(), bytes: std::fs::read(Path::new(NETWORKS).join(name)).unwrap() }
}

/// The answer, and the names of its files with their bytes.
fn ask(mut request: Value, files: &[File]) -> (Value, Vec<File>) {
    let listed: Vec<Value> =
        files.iter().map(|file| json!({ "name": file.name, "length": file.bytes.len() })).collect();
    request["files"] = listed.into();
    let answered = answer_bytes(&join(request.to_string().as_bytes(), files), &|_| true);
    let (head, mut rest) = split(&answered).unwrap();
    let head: Value = serde_json::from_slice(head).unwrap();
    let mut found = vec![];
    for file in head["files"].as_array().unwrap() {
        let (bytes, after) = rest.split_at(file["length"].as_u64().unwrap() as usize);
        found.push(File { name: file["name"].as_str().unwrap().into(), bytes: bytes.to_vec() });
        rest = after;
    }
    assert!(rest.is_empty());
    (head["answer"].clone(), found)
}

#[test]
fn a_network_comes_back_with_its_verdict_and_its_page() {
    let (answer, files) = ask(json!({ "verb": "interpret" }), &[network("t3-h64-superposed.safetensors")]);
    assert_eq!(answer["verdict"], "superposed");
    assert_eq!(answer["path"], "t3-h64-superposed.safetensors");
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["report.html", "interpretation.json", "memories.safetensors"]);
    assert!(files[0].bytes.starts_with(b"<!doctype html>"));
}

#[test]
fn settings_are_taken_by_name_and_refused_in_the_words_of_the_library() {
    let asked = |settings: Value| json!({ "verb": "interpret", "settings": settings });
    let (answer, _) = ask(asked(json!({ "code.read": 0.5 })), &[network("t3-h64-superposed.safetensors")]);
    assert_eq!(answer["params"]["code"]["read"], 0.5);
    let (refused, _) = ask(asked(json!({ "code.raed": 0.5 })), &[network("t3-h64-superposed.safetensors")]);
    assert_eq!(refused["error"], "there is no setting 'code.raed'; did you mean 'code.read'?");
}

#[test]
fn a_network_is_made_edited_and_read_again() {
    let (made, files) = ask(json!({ "verb": "compile", "task": "repeat-copy", "s": 3, "d": 2, "hidden": 24 }), &[]);
    assert_eq!((&made["hidden"], &made["checked"]["accuracy"]), (&json!(24), &json!(1.0)));
    let change = json!({ "negate": 1 });
    let (edited, files) = ask(json!({ "verb": "edit", "change": change }), &files[..1]);
    assert!(edited["accuracy"]["from_inputs"].as_f64().unwrap() > 0.99, "{edited}");
    let (read, _) = ask(json!({ "verb": "interpret" }), &files[..1]);
    assert!(read["task"]["name"].as_str().unwrap().contains("negated"), "{read}");
}

#[test]
fn what_cannot_be_read_is_refused_in_the_words_of_the_library() {
    let torn = File { name: "torn.safetensors".into(), bytes: network("t2-h128.safetensors").bytes[..999].to_vec() };
    let said = ketbra::NetworkFile::from_bytes(&torn.bytes, Path::new(&torn.name), None).unwrap_err().to_string();
    assert_eq!(ask(json!({ "verb": "interpret" }), &[torn]), (json!({ "error": said }), vec![]));
    let (nothing, _) = ask(json!({ "verb": "compare" }), &[network("t2-h128.safetensors")]);
    assert_eq!(nothing, json!({ "error": "drop two networks" }));
}
