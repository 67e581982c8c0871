//! Programs by name: each is a text of the language, so that everybody can write one like it.

use super::groups::{group, product};
use super::{File, Program};
use crate::task::TaskError;
use std::fmt::Write;

/// A program that goes by a name.
#[derive(Clone, Copy, Debug)]
pub struct KnownProgram {
    /// The name, as typed, with the sizes that it has where none are given.
    pub name: &'static str,
    /// What it asks for.
    pub summary: &'static str,
    /// What may stand behind the colon.
    pub sizes: &'static str,
    text: fn(&str) -> Result<String, String>,
}

/// Every program that [`Program::named`] takes.
pub const PROGRAMS: [KnownProgram; 11] = [
    known("flipflop:3", "N signs, each the last pulse of its own input", "N", |of| {
        numbers(of, [(1, 64)]).map(flip_flops)
    }),
    known("registers:4x2", "N registers of D signs, written and asked for by address", "NxD", |of| {
        numbers(of, [(2, 64), (1, 64)]).map(registers)
    }),
    known("recall:4x3", "N items of D signs, said again in order after a cue", "NxD", |of| {
        numbers(of, [(1, 64), (1, 64)]).map(recall)
    }),
    known("parity:2", "N signs, each the product of all pulses of its own input", "N", |of| {
        numbers(of, [(1, 64)]).map(parities)
    }),
    known("mod:5", "the sum of -1, 0 and +1 modulo N", "N", |of| numbers(of, [(2, 256)]).map(modulo)),
    known(
        "group:S3",
        "the product of all elements so far, the newest on the left",
        "S2 to S5, A3 to A5, Zn or Dn",
        words,
    ),
    known("stack:4", "a stack of signs at most N deep: the one on top, and whether it is empty", "N", |of| {
        numbers(of, [(1, 12)]).map(stack)
    }),
    known("tomita:1", "whether the word so far is in one of Tomita's seven languages", "1 to 7", tomita),
    known(
        "dyck:2x4",
        "K kinds of brackets at most D deep: the one to close next, and whether all are closed",
        "K or KxD",
        |of| {
            let of = if of.contains('x') { of.to_string() } else { format!("{of}x4") };
            numbers(&of, [(1, 8), (1, 12)]).map(brackets)
        },
    ),
    known("counter:8", "a count of +1 and -1 that stays between 0 and N", "N", |of| {
        numbers(of, [(1, 256)]).map(counter)
    }),
    known(
        "window:x[t] * x[t-1]",
        "any formula of the last inputs x[t], x[t-1], ..., which are signs",
        "a formula",
        |of| Ok(format!("input x: sign\noutput y = {of}")),
    ),
];

const fn known(
    name: &'static str,
    summary: &'static str,
    sizes: &'static str,
    text: fn(&str) -> Result<String, String>,
) -> KnownProgram {
    KnownProgram { name, summary, sizes, text }
}

impl KnownProgram {
    /// What stands before the colon.
    pub fn family(&self) -> &'static str {
        self.name.split_once(':').map_or(self.name, |(family, _)| family)
    }
}

impl Program {
    /// A program by its name, such as `flipflop:3`, or by that of its family; nothing for what is no name of a program.
    pub fn named(name: &str) -> Option<Result<Self, TaskError>> {
        let (family, sizes) = name.trim().split_once(':').unwrap_or((name.trim(), ""));
        let wanted = family.trim().to_lowercase();
        let known = PROGRAMS.iter().find(|known| known.family() == wanted)?;
        let usual = known.name.split_once(':').map_or("", |(_, sizes)| sizes);
        let sizes = if sizes.trim().is_empty() { usual } else { sizes.trim() };
        let plain = known.family() != "window";
        let sizes = if plain { sizes.to_lowercase() } else { sizes.to_string() };
        let called = format!(
            "{}:{}",
            known.family(),
            if known.family() == "group" { sizes.to_uppercase() } else { sizes.clone() }
        );
        let wrong = |problem| TaskError::Family { name: called.clone(), problem };
        let text = (known.text)(&sizes).map_err(|problem| wrong(format!("{problem}; write e.g. {}", known.name)));
        Some(text.and_then(|text| {
            let program = Self::read_in(&text, &File { file: &called, text: &text }, 0)?;
            Ok(program.renamed(&called))
        }))
    }
}

/// Whole numbers with `x` between them, each within its limits.
fn numbers<const N: usize>(of: &str, limits: [(usize, usize); N]) -> Result<[usize; N], String> {
    let found: Vec<usize> = of.split('x').map(|number| number.trim().parse().unwrap_or(0)).collect();
    let found: [usize; N] = found
        .try_into()
        .map_err(|_| format!("'{of}' is not {N} whole number{}", if N == 1 { "" } else { "s with x between them" }))?;
    for (number, (low, high)) in found.iter().zip(limits) {
        if !(low..=high).contains(number) {
            return Err(format!("'{of}' has a number that is not from {low} to {high}"));
        }
    }
    Ok(found)
}

fn flip_flops([n]: [usize; 1]) -> String {
    format!(
        "# Every flip-flop is set at the first step.
input x[{n}]: pulse(if(t == 1, 1, 0.25))
variable v[{n}]: sign
v = if(x == 0, v, x)
output y = v"
    )
}

fn registers([n, d]: [usize; 2]) -> String {
    format!(
        "# The first {n} steps write every register once, later ones write with probability 1/2.
input write: one of 1 to {n} or none(0.5), each first
input value[{d}]: sign when write != none
input ask: one of 1 to {n}
variable r[{n},{d}]: sign or none
r[i,j] = if(write == i, value[j], r[i,j])
output y[j]: sign = r[ask,j] when r[ask,j] != none"
    )
}

fn recall([n, d]: [usize; 2]) -> String {
    let (first, last) = (n + 2, n + 17);
    format!(
        "# Items come in the first {n} steps, the cue between steps {first} and {last}; saying counts the items that are said.
input item[{d}]: sign when t <= {n}
input cue: once({first}, {last})
variable m[{n},{d}]: sign or none
variable saying: 0 to {end}
m[i,j] = if(t == i, item[j], m[i,j])
saying = if(cue == 1, 1, if(saying == 0, 0, min(saying + 1, {end})))
output y[j]: sign = m[saying,j] when saying > 0 and saying < {end}
length {length}",
        end = n + 1,
        length = last + n,
    )
}

fn parities([n]: [usize; 1]) -> String {
    format!(
        "input x[{n}]: pulse(0.5)
variable p[{n}]: sign
p = if(x == 0, p, p * x)
output y = p"
    )
}

fn modulo([m]: [usize; 1]) -> String {
    format!(
        "input x: one of -1, 0, 1
variable q: one of {m}
q = (q + x) mod {m}
output y = q"
    )
}

/// The words of a group: the state is an element, and each input multiplies it from the left.
fn words(name: &str) -> Result<String, String> {
    let all = group(name).ok_or_else(|| format!("there is no group '{}' here", name.to_uppercase()))?;
    let count = all.len();
    let mut text = String::from("# ");
    for (k, of) in all.iter().enumerate() {
        let digits: String = of.iter().map(|k| char::from_digit(*k as u32 % 36, 36).unwrap_or('?')).collect();
        let _ = write!(text, "{}{k} is {digits}", if k == 0 { "" } else { ", " });
    }
    let _ = write!(text, "\ninput x: one of {count}\nvariable q: one of {count}\ntable product[{count},{count}] =");
    for (row, a) in all.iter().enumerate() {
        text.push_str(if row == 0 { "" } else { " |" });
        for b in &all {
            let product = product(a, b);
            let _ = write!(text, " {}", all.iter().position(|of| *of == product).unwrap_or(0));
        }
    }
    text.push_str("\nq = product[x,q]\noutput y = q");
    Ok(text)
}

fn stack([n]: [usize; 1]) -> String {
    format!(
        "# Never pushed when full, never popped when empty; s[1] is at the bottom.
input x: one of plus, minus, pop, wait where if(x == pop, depth > 0, x == wait or depth < {n})
variable s[{n}]: sign or none
variable depth: 0 to {n}
s[i] = if(depth == i - 1 and (x == plus or x == minus), if(x == plus, 1, -1), if(depth == i and x == pop, none, s[i]))
depth = if(x == plus or x == minus, min(depth + 1, {n}), if(x == pop, max(depth - 1, 0), depth))
output top: sign = s[depth] when depth > 0
output empty = depth == 0"
    )
}

/// A machine that reads 0 and 1: where each state goes with 0 and with 1, which states accept, and which are not left any more.
fn machine(what: &str, next: &[[usize; 2]], accepts: &[usize], dead: &[usize]) -> String {
    let count = next.len();
    let to: Vec<String> = next.iter().map(|to| format!("{} {}", to[0], to[1])).collect();
    let flags = |of: &[usize]| {
        let flags: Vec<&str> = (0..count).map(|q| if of.contains(&q) { "1" } else { "-1" }).collect();
        flags.join(" ")
    };
    // Words that leave the language forever would make nearly all there is.
    let law = match dead {
        [] => String::new(),
        _ => format!("table dead[{count}] = {}\n", flags(dead)),
    };
    let usually = if dead.is_empty() { "" } else { " usually(0.95) not dead[next[q,x]]" };
    format!(
        "# {what}
table next[{count},2] = {}
table accepts[{count}] = {}
{law}input x: one of 2{usually}
variable q: one of {count}
q = next[q,x]
output y = accepts[q]",
        to.join(" | "),
        flags(accepts)
    )
}

fn tomita(of: &str) -> Result<String, String> {
    Ok(match of {
        "1" => machine("1*", &[[1, 0], [1, 1]], &[0], &[1]),
        "2" => machine("(10)*", &[[2, 1], [0, 2], [2, 2]], &[0], &[2]),
        "3" => machine(
            "No odd number of 1s is followed by an odd number of 0s.",
            &[[0, 1], [2, 0], [3, 4], [2, 1], [4, 4]],
            &[0, 1, 3],
            &[4],
        ),
        "4" => machine("No three 0s in a row.", &[[1, 0], [2, 0], [3, 0], [3, 3]], &[0, 1, 2], &[3]),
        "5" => machine("An even number of 0s and an even number of 1s.", &[[1, 2], [0, 3], [3, 0], [2, 1]], &[0], &[]),
        "6" => machine("As many 0s as 1s, modulo 3.", &[[1, 2], [2, 0], [0, 1]], &[0], &[]),
        "7" => machine("0*1*0*1*", &[[0, 1], [2, 1], [2, 3], [4, 3], [4, 4]], &[0, 1, 2, 3], &[4]),
        _ => return Err(format!("'{of}' is none of Tomita's languages 1 to 7")),
    })
}

fn brackets([k, d]: [usize; 2]) -> String {
    let all = 2 * k;
    format!(
        "# Symbols 0 to {last} open a bracket, {k} to {end} close it; words are always balanced so far.
input x: one of {all} where if(x < {k}, depth < {d}, depth > 0 and top == x - {k})
variable s[{d}]: one of {k} or none
variable top: one of {k} or none
variable depth: 0 to {d}
s[i] = if(x < {k}, if(depth == i - 1, x, s[i]), if(depth == i, none, s[i]))
top = if(x < {k}, x, if(depth > 1, s[max(depth - 1, 1)], none))
depth = if(x < {k}, min(depth + 1, {d}), max(depth - 1, 0))
output close: one of {k} = top when top != none
output closed = depth == 0",
        last = k - 1,
        end = all - 1,
    )
}

fn counter([n]: [usize; 1]) -> String {
    format!(
        "input x: pulse(0.5)
variable c: 0 to {n}
c = max(0, min({n}, c + x))
output y = c"
    )
}
