//! The modules of the library depend on one another in one direction: each stage can be read, and changed, without those after it.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A file below `src`, by its path there, and its text.
type Source = (String, String);
/// For each module those that it uses, each with a file that does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

fn sources(folder: &Path, below: &Path) -> Vec<Source> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path, below));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let name = path.strip_prefix(below).unwrap().to_string_lossy().replace('\\', "/");
            found.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

/// The top module that a file belongs to; nothing for the root and for files of tests.
fn module(file: &str) -> Option<&str> {
    let first = file.split('/').next().unwrap_or(file).trim_end_matches(".rs");
    (first != "lib" && !file.ends_with("/tests.rs")).then_some(first)
}

/// What stands after `crate::` in code that is not a test's: the first name of a path, or those of a group.
fn names_from_the_root(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = vec![];
    for rest in code.split("crate::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            names.push(word(rest));
            continue;
        };
        let (mut depth, mut begins) = (0, true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && !c.is_whitespace() => {
                    names.push(word(&group[at..]));
                    begins = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn uses(sources: &[Source]) -> Uses {
    let modules: BTreeSet<&str> = sources.iter().filter_map(|(file, _)| module(file)).collect();
    let mut uses: Uses = modules.iter().map(|name| (name.to_string(), BTreeMap::new())).collect();
    for (file, text) in sources {
        let Some(from) = module(file) else { continue };
        for to in names_from_the_root(text).into_iter().filter(|to| modules.contains(to.as_str()) && to != from) {
            uses.entry(from.into()).or_default().entry(to).or_insert_with(|| file.clone());
        }
    }
    uses
}

/// The shortest ring of modules that each use the next; a line for every edge.
fn ring(uses: &Uses) -> Option<Vec<String>> {
    let rings = uses.keys().filter_map(|start| way_back(uses, start));
    let ring = rings.min_by_key(Vec::len)?;
    let edge = |(i, from): (usize, &&String)| {
        let to = ring[(i + 1) % ring.len()];
        format!("{from} uses {to}, in {}", uses[*from][to])
    };
    Some(ring.iter().enumerate().map(edge).collect())
}

/// The shortest way from a module to itself.
fn way_back<'a>(uses: &'a Uses, start: &'a String) -> Option<Vec<&'a String>> {
    let (mut ways, mut seen) = (vec![vec![start]], BTreeSet::new());
    while !ways.is_empty() {
        let mut longer = vec![];
        for way in ways {
            for next in uses[*way.last()?].keys() {
                if next == start {
                    return Some(way);
                }
                if seen.insert(next) {
                    longer.push(way.iter().copied().chain([next]).collect());
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn no_module_depends_on_one_that_depends_on_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let uses = uses(&sources(&src, &src));
    assert!(uses.len() > 30 && uses["interpret"].contains_key("observe"), "the modules were not read: {uses:?}");
    let ring = ring(&uses).map(|edges| edges.join("\n  "));
    assert_eq!(ring, None, "move what these share into a module below them");
}

fn planted(files: &[(&str, &str)]) -> Option<Vec<String>> {
    ring(&uses(&files.iter().map(|(file, text)| (file.to_string(), text.to_string())).collect::<Vec<_>>()))
}

#[test]
fn a_planted_ring_is_found_and_its_edges_are_named() {
    let found = planted(&[
        ("task/mod.rs", "fn f() -> crate::train::Job {}"),
        ("train/mod.rs", "use crate::{crc,\n    claims::{A, B}};"),
        ("claims/mod.rs", "use crate::task;"),
        ("crc.rs", ""),
    ]);
    let edges =
        ["claims uses task, in claims/mod.rs", "task uses train, in task/mod.rs", "train uses claims, in train/mod.rs"];
    assert_eq!(found, Some(edges.map(String::from).to_vec()));
}

#[test]
fn what_comments_tests_and_the_root_use_makes_no_ring() {
    let found = planted(&[
        ("lib.rs", "use crate::task;"),
        ("task/mod.rs", "//! As crate::train does.\nuse crate::crc;\n#[cfg(test)]\nmod tests { use crate::train; }"),
        ("crc.rs", ""),
        ("train/mod.rs", "use crate::{crc, task::{Task,\n    claims}};"),
        ("train/tests.rs", "use crate::claims::X;"),
        ("claims/mod.rs", "use crate::train::Job;"),
    ]);
    assert_eq!(found, None);
}
