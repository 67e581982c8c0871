//! Programs: what they mean, how they are drawn, what is refused and where.

use super::*;
use crate::random::{Purpose, Stream};
use crate::task::Task;

fn program(name: &str) -> Program {
    Program::named(name).unwrap().unwrap()
}

/// An episode of a program with given inputs: the values of its outputs, NaN where they do not count.
fn outputs(program: &Program, inputs: &[&[f64]]) -> Vec<Vec<f64>> {
    let inputs: Vec<Vec<f64>> = inputs.iter().map(|of| of.to_vec()).collect();
    program.run(&inputs).unwrap().into_iter().map(|frame| frame.outputs).collect()
}

#[test]
fn every_program_by_name_is_read_drawn_and_written_again() {
    let smallest = "flipflop:1 registers:2x1 recall:1x1 parity:1 mod:2 group:Z2 stack:1 dyck:1x1 dyck:1 counter:1";
    for name in PROGRAMS.iter().map(|known| known.name).chain(smallest.split(' ')) {
        let program = program(name);
        let again = Task::from_toml(&Task::from(program.clone()).to_toml(), "task.toml", "task").unwrap();
        assert_eq!(again.program(), Some(&program), "{}", name);
        let steps = program.longest().unwrap_or(60).min(60);
        let stream = Stream::new(3, Purpose::TestInputs);
        for sample in 0..20 {
            let drawn = program.draw(&stream, 0, sample, steps);
            // What was drawn may be given, and says the same.
            let inputs: Vec<Vec<f64>> = drawn.iter().map(|frame| frame.inputs.clone()).collect();
            let said = program.run(&inputs).unwrap();
            for (a, b) in drawn.iter().zip(&said) {
                assert_eq!(a.variables, b.variables, "{}", name);
                assert!(a.outputs.iter().zip(&b.outputs).all(|(a, b)| a == b || (a.is_nan() && b.is_nan())));
            }
        }
    }
}

#[test]
fn a_flip_flop_says_its_last_pulse() {
    let said = outputs(&program("flipflop:2"), &[&[1.0, -1.0], &[0.0, 0.0], &[-1.0, 0.0], &[0.0, 1.0]]);
    assert_eq!(said, [[1.0, -1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]]);
}

#[test]
fn registers_keep_what_was_written_and_say_what_is_asked() {
    // write, two signs of value, ask
    let none = f64::NEG_INFINITY;
    let said =
        outputs(&program("registers:4x2"), &[&[2.0, 1.0, -1.0, 2.0], &[none, 0.0, 0.0, 1.0], &[none, 0.0, 0.0, 2.0]]);
    assert_eq!(said[0], [1.0, -1.0]);
    assert!(said[1].iter().all(|y| y.is_nan()), "a register that was never written does not count");
    assert_eq!(said[2], [1.0, -1.0]);
}

#[test]
fn the_newest_element_of_a_word_stands_on_the_left() {
    // 012 120 201 102 021 210: 120 and then 102 is 102 after 120.
    let said = outputs(&program("group:S3"), &[&[1.0], &[3.0]]);
    let after = |new: [usize; 3], old: [usize; 3]| old.map(|k| new[k]);
    let all = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];
    assert_eq!(all[said[1][0] as usize], after(all[3], all[1]));
}

#[test]
fn a_stack_is_never_pushed_when_full_nor_popped_when_empty() {
    let stack = program("stack:2");
    let (mut depth, mut deepest) = (0, 0);
    for frame in stack.draw(&Stream::new(1, Purpose::TestInputs), 0, 0, 2_000) {
        depth += match frame.inputs[0] as usize {
            0 | 1 => 1,
            2 => -1,
            _ => 0,
        };
        deepest = deepest.max(depth);
        assert!((0..=2).contains(&depth));
        assert_eq!(frame.outputs[0].is_nan(), depth == 0, "the sign on top counts unless there is none");
        assert_eq!(frame.outputs[1], if depth == 0 { 1.0 } else { -1.0 });
    }
    assert_eq!(deepest, 2);
}

#[test]
fn tomitas_languages_hold_the_words_that_they_should() {
    type Holds = fn(&str) -> bool;
    let languages: [(&str, Holds); 7] = [
        ("1", |w| !w.contains('0')),
        ("2", |w| w.len().is_multiple_of(2) && w.as_bytes().chunks(2).all(|pair| pair == b"10")),
        ("3", |w| {
            // Runs of equal letters: an odd run of 1s must not be followed by an odd run of 0s.
            let letters: Vec<char> = w.chars().collect();
            let runs: Vec<(char, usize)> = letters.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
            !runs.windows(2).any(|pair| pair[0].0 == '1' && pair[0].1 % 2 == 1 && pair[1].1 % 2 == 1)
        }),
        ("4", |w| !w.contains("000")),
        ("5", |w| w.matches('0').count().is_multiple_of(2) && w.matches('1').count().is_multiple_of(2)),
        ("6", |w| w.matches('0').count() % 3 == w.matches('1').count() % 3),
        ("7", |w| {
            let letters: Vec<char> = w.chars().collect();
            let runs: Vec<char> = letters.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
            runs.len() <= 4 && (runs.len() < 4 || runs[0] == '0')
        }),
    ];
    for (number, holds) in languages {
        let language = program(&format!("tomita:{number}"));
        for length in 1..=9 {
            for word in 0..1u32 << length {
                let text: String = (0..length).map(|k| if word >> k & 1 == 1 { '1' } else { '0' }).collect();
                let inputs: Vec<Vec<f64>> = text.chars().map(|c| vec![f64::from(u8::from(c == '1'))]).collect();
                let said = language.run(&inputs).unwrap().last().unwrap().outputs[0];
                assert_eq!(said == 1.0, holds(&text), "tomita:{number} of {text}");
            }
        }
    }
}

#[test]
fn inputs_are_drawn_as_often_as_they_should_be() {
    let stream = Stream::new(7, Purpose::TestInputs);
    let share = |name: &str, of: fn(&Frame) -> bool| {
        let program = program(name);
        let frames: Vec<Frame> =
            (0..200).flat_map(|sample| program.draw(&stream, 0, sample, 50).split_off(10)).collect();
        frames.iter().filter(|frame| of(frame)).count() as f64 / frames.len() as f64
    };
    // 8,000 draws: three standard deviations are 0.015.
    assert!((share("flipflop:3", |frame| frame.inputs[1] != 0.0) - 0.25).abs() < 0.015);
    assert!((share("parity:2", |frame| frame.inputs[0] == 1.0) - 0.25).abs() < 0.015);
    assert!((share("registers:4x2", |frame| frame.inputs[0] >= 1.0) - 0.5).abs() < 0.017);
    assert!((share("group:S3", |frame| frame.inputs[0] == 4.0) - 1.0 / 6.0).abs() < 0.015);
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    let told = |text: &str| Program::read(text).unwrap_err().to_string();
    let at = |text: &str, place: &str, what: &str| {
        let message = told(text);
        assert!(message.contains(place) && message.contains(what), "{message}");
    };
    at("input x: sign\nvariable v: sign\nv = v * y\noutput z = v", "3:9", "there is no 'y'");
    at("input x: sing", "1:10", "there is no kind 'sing'");
    at("inputs x: sign", "1:1", "did you mean 'input'");
    at("input x: sign\nvariable v: sign\nv = v + x\noutput y = v", "3:5", "the value is");
    at("input x: sign\nvariable v: sign\noutput y = v", "2:1", "v");
    at("input x: sign\nvariable v: sign\nv = v *\noutput y = v", "3:", "expected");
    at("input x: sign\noutput y = xr(x, x)", "2:12", "there is no function 'xr'");
    at("input x: sign\nvariable v: one of 5\nv = (v + 1) mod 0\noutput y = v", "3:6", "a division by 0");
}

#[test]
fn symbols_numbers_and_tables_stand_beside_signs() {
    let text = "input x: one of 3\nvariable v: one of 5\ntable add[3] = 0 1 -1\nv = (v + add[x]) mod 5\noutput y = v\noutput far = abs(v - 2) > 1";
    let said = outputs(&Program::read(text).unwrap(), &[&[2.0], &[1.0], &[1.0], &[1.0]]);
    assert_eq!(said, [[4.0, 1.0], [0.0, 1.0], [1.0, -1.0], [2.0, -1.0]]);
    let numbers = "input x: uniform(-1, 1)\nvariable v: number\nv = 0.5 * v + x\noutput y: number within 0.2 = v";
    let said = outputs(&Program::read(numbers).unwrap(), &[&[0.5], &[0.25]]);
    assert_eq!(said, [[0.5], [0.5]]);
}

#[test]
fn answers_are_right_by_their_kind() {
    let sign = Kind::Sign { or_none: false };
    assert!(
        sign.is_right(&[0.1], &[1.0], 0.0)
            && sign.is_right(&[0.0], &[-1.0], 0.0)
            && !sign.is_right(&[0.0], &[1.0], 0.0)
    );
    let symbol = Kind::Symbol { values: vec![0.0, 1.0, 2.0], names: vec![], or_none: false };
    assert!(symbol.is_right(&[-0.9, -0.5, -0.8], &[-1.0, 1.0, -1.0], 0.0), "the greatest unit says it");
    assert!(!symbol.is_right(&[-0.4, -0.5, -0.8], &[-1.0, 1.0, -1.0], 0.0));
    assert!(Kind::Number.is_right(&[0.95], &[1.0], 0.1) && !Kind::Number.is_right(&[0.85], &[1.0], 0.1));
    assert!(!Kind::Number.is_right(&[f64::NAN], &[1.0], 0.1));
}

#[test]
fn a_program_of_a_task_file_comes_back_whatever_its_comments_hold() {
    for comment in ["plain", "three ''' marks", "a \u{1} control", "\"quoted\"", "it ends with '"] {
        let program = Program::read(&format!("input x: sign\noutput y = x # {comment}")).unwrap();
        let again = Task::from_toml(&Task::from(program.clone()).to_toml(), "task.toml", "task").unwrap();
        assert_eq!(again.program(), Some(&program), "{comment}");
    }
}

#[test]
fn a_task_file_that_holds_a_program_is_no_program_itself() {
    let program = program("parity:1");
    assert!(Program::is_text(program.source()) && !Program::is_text(&Task::from(program.clone()).to_toml()));
    assert!(
        !Program::is_text("u1 = xor(u1[t-5], u1[t-3])") && !Program::is_text("T2") && Program::is_text("input x: sing")
    );
}

#[test]
fn a_formula_that_is_too_deep_is_refused_and_no_stack_overflows() {
    let long = format!("input x: sign\noutput y: number = {}x", "x + ".repeat(50_000));
    assert!(Program::read(&long).unwrap_err().to_string().contains("more than 1024 operators"));
    let nested = format!("input x: sign\noutput y: number = {}x{}", "(".repeat(5_000), ")".repeat(5_000));
    assert!(Program::read(&nested).unwrap_err().to_string().contains("deep"));
    let fine = format!("input x: sign\noutput y: number = {}x", "x + ".repeat(1_000));
    assert_eq!(outputs(&Program::read(&fine).unwrap(), &[&[1.0]]), [[1001.0]]);
}
