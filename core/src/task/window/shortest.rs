//! The shortest nest of gates for every function of three inputs.

use super::nest::Nest;
use std::sync::OnceLock;

/// Functions of three inputs are numbered by their tables: bit m is the value where input q is bit q of m.
const INPUTS: [u8; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];
/// What a component such as `u1[t-1]` takes.
const COMPONENT: usize = 7;
/// What negations cost: they are harder to read than their length says, those of calls most.
const NEGATED_INPUT: usize = 3;
const NEGATED_CALL: usize = 7;

/// The shortest nest of a function of three inputs, by the number of its table.
pub(super) fn shortest(table: u8) -> &'static Nest {
    static NESTS: OnceLock<Vec<Nest>> = OnceLock::new();
    &NESTS.get_or_init(search)[usize::from(table)]
}

struct Search {
    /// The best nest so far and its cost, by function.
    best: Vec<Option<(usize, Nest)>>,
    changed: bool,
}

/// Joins the best nests found so far until nothing gets shorter.
fn search() -> Vec<Nest> {
    let mut search = Search { best: vec![None; 256], changed: true };
    search.offer(0, 2, || Nest::Constant(false));
    search.offer(255, 2, || Nest::Constant(true));
    let literals: Vec<(u8, usize, Nest)> = (0..6)
        .map(|k| {
            let (input, negated) = (k / 2, k % 2 == 1);
            let table = if negated { !INPUTS[input] } else { INPUTS[input] };
            (table, cost_of(&Nest::input(input, negated)), Nest::input(input, negated))
        })
        .collect();
    for (table, cost, nest) in &literals {
        search.offer(*table, *cost, || nest.clone());
    }
    while std::mem::take(&mut search.changed) {
        search.pairs();
        search.triples(&literals);
        search.choices(&literals);
        search.opposites();
    }
    search.best.into_iter().map(|found| found.map_or(Nest::Constant(false), |(_, nest)| nest)).collect()
}

impl Search {
    fn offer(&mut self, table: u8, cost: usize, nest: impl FnOnce() -> Nest) {
        let best = &mut self.best[usize::from(table)];
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            *best = Some((cost, nest()));
            self.changed = true;
        }
    }

    fn cost(&self, table: u8) -> usize {
        self.best[usize::from(table)].as_ref().map_or(usize::MAX / 2, |(cost, _)| *cost)
    }

    /// What has been found so far, without the constants.
    fn known(&self) -> Vec<(u8, usize, Nest)> {
        let found = self.best.iter().enumerate().skip(1).take(254);
        found.filter_map(|(table, best)| best.clone().map(|(cost, nest)| (table as u8, cost, nest))).collect()
    }

    fn pairs(&mut self) {
        let known = self.known();
        for (i, (a, cost_a, left)) in known.iter().enumerate() {
            for (b, cost_b, right) in &known[i + 1..] {
                let cost = cost_a + cost_b;
                let both = || [left.clone(), right.clone()];
                self.offer(a & b, cost + 7, || Nest::join("and", both()));
                self.offer(a | b, cost + 6, || Nest::join("or", both()));
                for (table, negated) in [(!(a ^ b), false), (a ^ b, true)] {
                    // Signs may cancel, so that a product can be a little shorter than its parts.
                    if self.cost(table) + 2 * NEGATED_CALL > cost {
                        let nest = Nest::product(negated, both());
                        self.offer(table, cost_of(&nest), || nest);
                    }
                }
            }
        }
    }

    /// Gates of three inputs whose nests are flat.
    fn triples(&mut self, literals: &[(u8, usize, Nest)]) {
        for (a, cost_a, x) in &literals[0..2] {
            for (b, cost_b, y) in &literals[2..4] {
                for (c, cost_c, z) in &literals[4..6] {
                    let cost = cost_a + cost_b + cost_c;
                    let all = || vec![x.clone(), y.clone(), z.clone()];
                    self.offer(a & b & c, cost + 9, || Nest::call("and", all()));
                    self.offer(a | b | c, cost + 8, || Nest::call("or", all()));
                    self.offer((a & b) | (b & c) | (a & c), cost + 9, || Nest::call("maj", all()));
                }
            }
        }
    }

    fn choices(&mut self, literals: &[(u8, usize, Nest)]) {
        let known = self.known();
        // What is asked is never negated: the other two would change places.
        for (asked, cost, condition) in literals.iter().step_by(2) {
            for (a, cost_a, then) in &known {
                for (b, cost_b, otherwise) in &known {
                    let table = (asked & a) | (!asked & b);
                    self.offer(table, cost + cost_a + cost_b + 8, || {
                        Nest::call("if", vec![condition.clone(), then.clone(), otherwise.clone()])
                    });
                }
            }
        }
    }

    fn opposites(&mut self) {
        for (table, cost, nest) in self.known() {
            if let Nest::Call { negated: false, name, arguments } = nest {
                self.offer(!table, cost + NEGATED_CALL, || Nest::Call { negated: true, name, arguments });
            }
        }
    }
}

fn cost_of(nest: &Nest) -> usize {
    let all = |parts: &[Nest], between: usize| {
        parts.iter().map(cost_of).sum::<usize>() + between * parts.len().saturating_sub(1)
    };
    match nest {
        Nest::Constant(_) => 2,
        Nest::Input { negated, .. } => COMPONENT + if *negated { NEGATED_INPUT } else { 0 },
        Nest::Product { negated, factors } => all(factors, 1) + usize::from(*negated),
        // Said as easily as a product.
        Nest::Call { negated: false, name, arguments } if name == "xor" => all(arguments, 1) + 1,
        Nest::Call { negated, name, arguments } => {
            name.len() + 2 + all(arguments, 2) + if *negated { NEGATED_CALL } else { 0 }
        }
    }
}
