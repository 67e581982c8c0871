//! Formulas, tables and the names of families agree; what cannot be read is refused with its place.

#![allow(clippy::unwrap_used)]

use ketbra::random::{Purpose, Stream};
use ketbra::task::{Gate, Slot, Window};

fn wrong(line: &str) -> String {
    let text = format!("s = 4\nd = 3\nrecurrence = [\n\"{line}\", \"u2 = u2[t-1]\", \"u3 = u3[t-1]\"]");
    Window::from_toml(&text, "f.toml", "f").unwrap_err().to_string()
}

#[test]
fn each_mistake_is_placed_and_says_what_to_type() {
    let many: Vec<String> = (0..11).map(|k| format!("u{}[t-{}]", k % 3 + 1, k / 3 + 1)).collect();
    for (line, column, wanted) in [
        ("u1 = xorr(u1[t-1], u2[t-1])", 7, "there is no function 'xorr'; did you mean 'xor'?"),
        ("u1 = rule256(u1[t-1], u2[t-1], u3[t-1])", 7, "rules go from rule0 to rule255"),
        ("u1 = xor(u1[t-1], u4[t-1])", 20, "component 4 does not exist: with d=3"),
        ("u1 = xor(u1[t-1], u0[t-1])", 20, "component 0 does not exist"),
        ("u1 = xor(u1[t-0], u2[t-1])", 16, "lag 0 is outside the window"),
        ("u1 = xor(u1[t-5], u2[t-1])", 16, "with s=4 lags go from 1 (newest) to 4 (oldest)"),
        ("u1 = xor(u1[t-1])", 7, "xor takes 2 inputs or more, not 1; write e.g. xor("),
        ("u1 = not(u1[t-1], u2[t-1])", 7, "not takes one input, not 2"),
        ("u1 = if(u1[t-1], u2[t-1])", 7, "if takes 3 inputs, not 2"),
        ("u1 = maj(u1[t-1], u2[t-1])", 7, "maj takes an odd number of inputs, 3 or more, not 2"),
        ("u1 = rule110(u1[t-1], u2[t-1])", 7, "rule110 takes 3 inputs, not 2"),
        ("u1 = table(-++, u1[t-1], u2[t-1])", 7, "a truth table of 2 inputs has 4 entries, not 3"),
        ("u1 = table(u1[t-1])", 13, "expected the entries of a table"),
        ("u1 = u1[t-1]*u2[t-1] u3[t-1]", 23, "expected '*' or the end of the line, found 'u'"),
        ("u1 = xor(u1[t-1], u2[t-1]", 27, "expected ',' or ')', found the end of the line"),
        ("u1 = xor(u1[t-1], u2[t-1]))", 28, "expected '*' or the end of the line, found ')'"),
        ("u1 = xor u1[t-1]", 11, "expected '(', found 'u'"),
        ("u1 = (u1[t-1]", 15, "expected ')'"),
        ("u1 = u1[t-1] * 0.5", 17, "0.5 is neither +1 (true) nor -1 (false)"),
        ("u1 = 0", 7, "0 is neither +1 (true) nor -1 (false)"),
        ("u1 = u1[t-1] + xor(u1[t-1], u2[t-1])", 15, "a sum leaves +-1"),
        ("u1 = xor(u1[t-1] - u2[t-1], u3[t-1])", 19, "a sum leaves +-1"),
        ("u1 = 0.5*u1[t-1] + u2[t-1]*u3[t-1]", 7, "0.5 is neither"),
        (&format!("u1 = xor({})", many.join(", ")), 101, "depends on 11 past components"),
        (&format!("u1 = {}u1[t-1]{}", "(".repeat(65), ")".repeat(65)), 72, "nested more than 64 deep"),
        (&format!("u1 = {}u1[t-1]{}", "not(".repeat(65), ")".repeat(65)), 267, "nested more than 64 deep"),
        (&format!("u1 = {}u1[t-1]", "u1[t-1]*".repeat(600)), 6, "at most 4096 characters, not 4812"),
    ] {
        let said = wrong(line);
        assert!(said.starts_with(&format!("f.toml:4:{column}: ")) && said.contains(wanted), "{line}: {said}");
    }
}

#[test]
fn a_sum_beside_gates_is_refused_at_its_line() {
    let text = "s = 2\nd = 2\nrecurrence = [\n\"u1 = xor(u1[t-1], u2[t-1])\",\n\"u2 = 0.5*u2[t-1]\"]";
    let said = Window::from_toml(text, "f.toml", "f").unwrap_err().to_string();
    assert!(said.starts_with("f.toml:5:1: u2 is a sum, whose values leave +-1"), "{said}");
}

#[test]
fn deep_and_long_lines_within_the_limits_are_read() {
    let deep = format!("u1 = {}u1[t-1]{}", "not(".repeat(64), ")".repeat(64));
    assert_eq!(Gate::parse(&deep).unwrap().1.to_string(), "u1[t-1]");
    let signs = format!("u1 = {}xor(u1[t-1], u2[t-1])", "-".repeat(3001));
    assert_eq!(Gate::parse(&signs).unwrap().1.to_string(), "u1[t-1]*u2[t-1]");
}

#[test]
fn no_text_makes_it_panic() {
    let start = "u1 = -if(rule30(u1[t-1], u2[t-2], +1), maj(u1[t-3], -1, (u2[t-4])), table(-++-, u3[t-1]*u1[t-2], not(u1[t-1])))";
    assert!(Gate::parse(start).is_ok());
    let alphabet: Vec<char> = "u1t[]()-+*=,. 09xorifmajé;\u{3000}".chars().collect();
    let stream = Stream::new(7, Purpose::TestInputs);
    for round in 0..5000u32 {
        let mut text: Vec<char> = start.chars().collect();
        for change in 0..1 + round % 4 {
            let [place, kind, with, _] = stream.block(round, change, 0);
            let at = place as usize % text.len().max(1);
            match kind % 4 {
                _ if text.is_empty() => {}
                0 => drop(text.remove(at)),
                1 => text.insert(at, alphabet[with as usize % alphabet.len()]),
                2 => text[at] = alphabet[with as usize % alphabet.len()],
                _ => text.truncate(at.max(1)),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok((output, gate)) = Gate::parse(&text) {
            let again = Gate::parse(&format!("u{output} = {gate}")).unwrap();
            assert_eq!(again, (output, gate), "{text}");
        }
        let _ = Window::from_formulas(&text, None, None);
    }
}

/// The value of a task's first output in a window, given by the bits of m: bit k is window component k.
fn first_output(task: &Window, m: usize) -> bool {
    let window: Vec<f64> = (0..task.width()).map(|k| if m >> k & 1 == 1 { 1.0 } else { -1.0 }).collect();
    task.next(&window)[0] > 0.0
}

#[test]
fn all_256_rules_agree_as_family_formula_and_table() {
    for rule in 0..256usize {
        let family = Window::named(&format!("rule{rule}"), None, Some(5)).unwrap();
        let lines: Vec<String> = (0..5)
            .map(|j| {
                format!(
                    "u{} = rule{rule}(u{}[t-1], u{}[t-1], u{}[t-1])",
                    j + 1,
                    (j + 4) % 5 + 1,
                    j + 1,
                    (j + 1) % 5 + 1
                )
            })
            .collect();
        let formulas = Window::from_formulas(&lines.join("; "), None, None).unwrap();
        assert!(family.same_function(&formulas), "rule {rule}");
        // Cell 1 has u5 on its left and u2 on its right.
        let table: String = (0..8).map(|m| if rule >> m & 1 == 1 { '+' } else { '-' }).collect();
        let (_, gate) = Gate::parse(&format!("u1 = table({table}, u2[t-1], u1[t-1], u5[t-1])")).unwrap();
        assert_eq!(family.gates().unwrap()[0], gate, "rule {rule}");
        for m in 0..32usize {
            let bit = |component: usize| m >> (component - 1) & 1;
            assert_eq!(first_output(&family, m), rule >> (4 * bit(5) + 2 * bit(1) + bit(2)) & 1 == 1, "rule {rule}");
        }
        assert_eq!(Window::from_toml(&family.to_toml(), "x", "x").unwrap(), family, "rule {rule}");
    }
}

/// A random table of a few inputs out of s = 4, d = 3.
fn random_gate(index: u32, inputs: usize) -> Gate {
    let stream = Stream::new(11, Purpose::TestInputs);
    let mut slots: Vec<Slot> = (0..12).map(|k| Slot::at(k, 4, 3)).collect();
    (0..12).rev().for_each(|last| slots.swap(last, stream.block(index, 0, last as u32)[0] as usize % (last + 1)));
    let table: Vec<bool> = (0..1usize << inputs).map(|m| stream.block(index, 1, m as u32)[0] % 2 == 1).collect();
    Gate::new(&slots[..inputs], &table).unwrap()
}

#[test]
fn random_tables_are_written_as_formulas_that_read_back_to_them() {
    for index in 0..260u32 {
        let inputs = if index < 200 { index % 4 } else { 4 + index % 7 } as usize;
        let gate = random_gate(index, inputs);
        let (output, again) = Gate::parse(&format!("u1 = {gate}")).unwrap();
        assert_eq!((output, &again), (1, &gate), "{gate}");
        let copy = Gate::parse("u2 = -u3[t-4]").unwrap().1;
        let task = Window::table("random", 4, 3, vec![gate, copy.clone(), copy]).unwrap();
        assert_eq!(Window::from_toml(&task.to_toml(), "x", "x").unwrap(), task);
    }
}

#[test]
fn formulas_mean_what_they_say() {
    // u1, u2, u3 of the last step are bits 0, 1, 2.
    for (formula, wanted) in [
        ("u1[t-1]*u2[t-1]", (|a, b, _| a == b) as fn(bool, bool, bool) -> bool),
        ("-u1[t-1]*u2[t-1]*u3[t-1]", |a, b, c| !(a ^ b ^ c)),
        ("xor(u1[t-1], u2[t-1])", |a, b, _| a != b),
        ("xor(u1[t-1], u2[t-1], u3[t-1])", |a, b, c| a ^ b ^ c),
        ("and(u1[t-1], not(u2[t-1]), u3[t-1])", |a, b, c| a && !b && c),
        ("or(-u1[t-1], -(u2[t-1]))", |a, b, _| !a || !b),
        ("maj(u1[t-1], u2[t-1], -u3[t-1])", |a, b, c| u8::from(a) + u8::from(b) + u8::from(!c) > 1),
        ("maj(u1[t-1], u1[t-1], u2[t-1])", |a, _, _| a),
        ("IF(u1[t-1], u2[t-1], u3[t-1])", |a, b, c| if a { b } else { c }),
        ("rule110(u1[t-1], u2[t-1], u3[t-1])", |a, b, c| {
            110 >> (4 * u8::from(a) + 2 * u8::from(b) + u8::from(c)) & 1 == 1
        }),
        ("table(-+--, u1[t-1], u2[t-1])", |a, b, _| a && !b),
        ("table(+)", |_, _, _| true),
        ("-1", |_, _, _| false),
        ("and(+1, u3[t-1]) * -1", |_, _, c| !c),
    ] {
        let lines = format!("u1 = {formula}; u2 = u2[t-1]; u3 = u3[t-1]");
        let task = Window::from_formulas(&lines, None, None).unwrap();
        for m in 0..8 {
            assert_eq!(
                first_output(&task, m),
                wanted(m & 1 == 1, m >> 1 & 1 == 1, m >> 2 & 1 == 1),
                "{formula} at {m:03b}"
            );
        }
    }
}

#[test]
fn lines_of_signed_components_stay_a_selection() {
    for text in ["u1 = -u2[t-3]; u2 = u1[t-1]", "u1 = not(u2[t-3]); u2 = (u1[t-1])", "u1 = -1*u2[t-3]; u2 = +u1[t-1]"] {
        let task = Window::from_formulas(text, None, None).unwrap();
        assert_eq!(task.sources().map(<[_]>::len), Some(2), "{text}");
        assert_eq!(task.recurrence(), ["u1 = -u2[t-3]", "u2 = u1[t-1]"]);
    }
}

#[test]
fn sums_are_still_real_valued() {
    let task = Window::from_formulas("u1 = u1[t-1] + 0.5*u1[t-2]", None, None).unwrap();
    assert!(!task.is_binary() && task.is_linear());
}
