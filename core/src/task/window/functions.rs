//! The functions that a formula may call.

use super::bits::Bits;
use super::{MAX_GATE_INPUTS, TaskError};

/// Their names; any other number of a rule will do too.
pub(super) const FUNCTIONS: [&str; 8] = ["xor", "and", "or", "not", "maj", "if", "table", "rule110"];

/// The value of a function by its name, or what is wrong with its arguments.
pub(super) fn apply(name: &str, arguments: &[Bits]) -> Result<Bits, String> {
    let many = |example: &str| match arguments.len() {
        0 | 1 => Err(format!("{name} takes 2 inputs or more, not {}; write e.g. {example}", arguments.len())),
        _ => Ok(()),
    };
    let fold = |start: bool, join: fn(Bits, Bits) -> Bits| arguments.iter().copied().fold(Bits::constant(start), join);
    match (name, arguments) {
        ("and", _) => many("and(u1[t-1], u2[t-1])").map(|()| fold(true, |a, b| a & b)),
        ("or", _) => many("or(u1[t-1], u2[t-1])").map(|()| fold(false, |a, b| a | b)),
        ("xor", _) => many("xor(u1[t-1], u2[t-1])").map(|()| fold(false, |a, b| a ^ b)),
        ("not", [a]) => Ok(!*a),
        ("not", _) => Err(format!("not takes one input, not {}; write e.g. not(u1[t-1]) or -u1[t-1]", arguments.len())),
        ("if", [a, b, c]) => Ok(a.choose(*b, *c)),
        ("if", _) => Err(format!(
            "if takes 3 inputs, not {}: what is asked, what then, what else; write e.g. if(u1[t-1], u2[t-1], u3[t-1])",
            arguments.len()
        )),
        _ if arguments.len() % 2 == 1 && arguments.len() > 1 => Ok(Bits::majority(arguments)),
        _ => Err(format!(
            "maj takes an odd number of inputs, 3 or more, not {}; write e.g. maj(u1[t-1], u2[t-1], u3[t-1])",
            arguments.len()
        )),
    }
}

/// The entry of a table, as in `table(-++-, a, b)`.
pub(super) fn looked_up(table: &[bool], arguments: &[Bits]) -> Result<Bits, String> {
    let inputs = arguments.len();
    if inputs > MAX_GATE_INPUTS {
        return Err(TaskError::TooManyInputs { found: inputs, limit: MAX_GATE_INPUTS }.to_string());
    }
    if table.len() != 1 << inputs {
        let wrong = TaskError::TableSize { found: table.len(), inputs };
        return Err(format!(
            "{wrong}; write e.g. table(-++-, u1[t-1], u2[t-1]), where the first input changes fastest"
        ));
    }
    Ok(Bits::looked_up(table, arguments))
}

/// An elementary cellular automaton: bit 4*left + 2*centre + right of the rule's number.
pub(super) fn elementary(rule: usize, arguments: &[Bits]) -> Result<Bits, String> {
    let [left, centre, right] = arguments else {
        return Err(format!(
            "rule{rule} takes 3 inputs, not {}; write e.g. rule{rule}(u1[t-1], u2[t-1], u3[t-1]): left, centre, right",
            arguments.len()
        ));
    };
    let table: Vec<bool> = (0..8).map(|bit| rule >> bit & 1 == 1).collect();
    Ok(Bits::looked_up(&table, &[*right, *centre, *left]))
}
