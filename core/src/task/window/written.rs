//! Gates as a person would write them.

use super::nest::Nest;
use super::shortest::shortest;
use super::{Gate, Slot};

/// The most inputs named by a formula of three inputs; a rule of a cellular automaton names them once each.
const MOST_LITERALS_OF_THREE: usize = 3;

impl std::fmt::Display for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.written(&self.natural_order()))
    }
}

impl Gate {
    /// The formula over inputs in a given order, which must hold all that matter.
    pub(super) fn written(&self, order: &[Slot]) -> String {
        let order: Vec<Slot> = order.iter().filter(|slot| self.inputs().contains(slot)).copied().collect();
        let Some(table) = self.table_over(&order) else { return self.as_table(self.inputs(), self.table()) };
        let nest = Table { inputs: (0..order.len()).collect(), values: table.clone() }.nest();
        // A formula that names its inputs too often says less than a table.
        match nest.filter(|nest| nest.literals() <= 2 * order.len()) {
            Some(nest) => nest.text(&order),
            None => self.as_table(&order, &table),
        }
    }

    fn as_table(&self, inputs: &[Slot], table: &[bool]) -> String {
        let entries: String = table.iter().map(|&up| if up { '+' } else { '-' }).collect();
        let inputs: String = inputs.iter().map(|slot| format!(", {slot}")).collect();
        format!("table({entries}{inputs})")
    }

    /// The oldest first; three neighbours on a ring from left to right.
    fn natural_order(&self) -> Vec<Slot> {
        let mut order = self.inputs().to_vec();
        if let [a, b, c] = self.inputs() {
            let next = |x: &Slot, y: &Slot| x.lag == y.lag && x.component + 1 == y.component;
            match (next(a, b), next(b, c)) {
                (true, false) if a.component == 0 && b.lag == c.lag => order.rotate_right(1),
                (false, true) if a.component == 0 && a.lag == b.lag => order.rotate_left(1),
                _ => {}
            }
        }
        order
    }
}

/// A function of some of the inputs of a formula, the first input the lowest bit.
struct Table {
    inputs: Vec<usize>,
    values: Vec<bool>,
}

impl Table {
    /// The function without the inputs that do not matter.
    fn of(inputs: Vec<usize>, value: impl Fn(usize) -> bool) -> Self {
        let matters = |q: usize| (0..1 << inputs.len()).any(|m| value(m) != value(m ^ 1 << q));
        let kept: Vec<usize> = (0..inputs.len()).filter(|&q| matters(q)).collect();
        let values = (0..1 << kept.len()).map(|m| value(spread(m, &kept))).collect();
        Self { inputs: kept.into_iter().map(|q| inputs[q]).collect(), values }
    }

    fn size(&self) -> usize {
        self.inputs.len()
    }

    /// What is left where input q has a value.
    fn with(&self, q: usize, up: bool) -> Self {
        let others: Vec<usize> = (0..self.size()).filter(|&other| other != q).collect();
        let inputs = others.iter().map(|&other| self.inputs[other]).collect();
        Self::of(inputs, |m| self.values[spread(m, &others) | usize::from(up) << q])
    }

    /// A short nest, if there is one.
    fn nest(&self) -> Option<Nest> {
        if self.size() <= 3 {
            return Some(self.of_three());
        }
        self.parity().or_else(|| self.majority()).or_else(|| self.halves()).or_else(|| self.choice())
    }

    fn of_three(&self) -> Nest {
        let code = (0..8).map(|m| u8::from(self.values[m % self.values.len()]) << m).sum();
        let nest = shortest(code);
        if nest.literals() <= MOST_LITERALS_OF_THREE {
            return nest.on(&self.inputs);
        }
        // Left is the highest bit of a rule's number, and the first input here.
        let rule: usize = (0..8).map(|m: usize| usize::from(self.values[m]) << ((m & 1) << 2 | m & 2 | m >> 2)).sum();
        Nest::call(format!("rule{rule}"), self.inputs.iter().map(|&input| Nest::input(input, false)).collect())
    }

    fn literals(&self) -> impl Iterator<Item = Nest> {
        self.inputs.iter().map(|&input| Nest::input(input, false))
    }

    fn parity(&self) -> Option<Nest> {
        let odd = |m: usize| m.count_ones() % 2 == 1;
        let alike = (0..self.values.len()).all(|m| (self.values[m] == odd(m)) == (self.values[0] == odd(0)));
        // The product of all is +1 where all are.
        alike.then(|| Nest::product(!self.values[self.values.len() - 1], self.literals()))
    }

    /// The majority of the inputs, some of them negated.
    fn majority(&self) -> Option<Nest> {
        if self.size().is_multiple_of(2) {
            return None;
        }
        let rising = |q: usize| (0..self.values.len()).filter(|m| self.values[m ^ 1 << q] && m >> q & 1 == 0).count();
        let falling = |q: usize| (0..self.values.len()).filter(|m| self.values[m ^ 1 << q] && m >> q & 1 == 1).count();
        let flipped = (0..self.size()).filter(|&q| falling(q) > rising(q)).fold(0, |mask, q| mask | 1 << q);
        let more = |m: usize| (m ^ flipped).count_ones() as usize > self.size() / 2;
        let literal = |(q, &input): (usize, &usize)| Nest::input(input, flipped >> q & 1 == 1);
        (0..self.values.len())
            .all(|m| self.values[m] == more(m))
            .then(|| Nest::call("maj", self.inputs.iter().enumerate().map(literal).collect()))
    }

    /// Two functions of different inputs, joined by one gate.
    fn halves(&self) -> Option<Nest> {
        let all = self.values.len() - 1;
        // The first input is always on the left; one or two inputs against the rest are enough where there are many.
        let sides = (1..all).step_by(2).filter(|side| {
            let count = side.count_ones() as usize;
            self.size() <= 6 || count <= 2 || self.size() - count <= 2
        });
        sides.into_iter().find_map(|side| self.joined(side, all ^ side))
    }

    fn joined(&self, left: usize, right: usize) -> Option<Nest> {
        let places = |side: usize| (0..self.size()).filter(|q| side >> q & 1 == 1).collect::<Vec<usize>>();
        let (a, b) = (places(left), places(right));
        let (rows, columns) = (1 << a.len(), 1 << b.len());
        let value = |i: usize, j: usize| self.values[spread(i, &a) | spread(j, &b)];
        let part = |side: &[usize], value: &dyn Fn(usize) -> bool| {
            Self::of(side.iter().map(|&q| self.inputs[q]).collect(), value).nest()
        };
        let first = value(0, 0);
        if (0..rows).all(|i| (0..columns).all(|j| value(i, j) == value(i, 0) ^ value(0, j) ^ first)) {
            let parts = [part(&a, &|i| value(i, 0))?, part(&b, &|j| value(0, j) ^ first)?];
            // They are joined by xor, the opposite of the product.
            return Some(Nest::product(true, parts));
        }
        for (name, up) in [("and", true), ("or", false)] {
            let row: Vec<bool> = (0..rows).map(|i| (0..columns).any(|j| value(i, j) == up)).collect();
            let column: Vec<bool> = (0..columns).map(|j| (0..rows).any(|i| value(i, j) == up)).collect();
            if (0..rows).all(|i| (0..columns).all(|j| (value(i, j) == up) == (row[i] && column[j]))) {
                return Some(Nest::join(name, [part(&a, &|i| row[i] == up)?, part(&b, &|j| column[j] == up)?]));
            }
        }
        None
    }

    /// One input decides between two functions that read little together.
    fn choice(&self) -> Option<Nest> {
        let both = |q: usize| (self.with(q, true), self.with(q, false));
        let reads = |q: &usize| both(*q).0.size() + both(*q).1.size();
        let asked = (0..self.size()).min_by_key(reads).filter(|q| reads(q) <= self.size() + 1)?;
        let (then, otherwise) = both(asked);
        Some(Nest::call("if", vec![Nest::input(self.inputs[asked], false), then.nest()?, otherwise.nest()?]))
    }
}

/// The bits of m at given places.
fn spread(m: usize, places: &[usize]) -> usize {
    places.iter().enumerate().fold(0, |index, (q, &at)| index | (m >> q & 1) << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(formula: &str) -> String {
        Gate::parse(&format!("u1 = {formula}")).unwrap().1.to_string()
    }

    #[test]
    fn formulas_are_what_a_person_would_write() {
        for (read, written) in [
            ("u1[t-1] * u1[t-1]", "+1"),
            ("and(u1[t-1], -u1[t-1])", "-1"),
            ("-(-u1[t-1])", "u1[t-1]"),
            ("not(u1[t-1])", "-u1[t-1]"),
            ("u4[t-2] * u1[t-4]", "u1[t-4]*u4[t-2]"),
            ("-u1[t-1] * u2[t-1]", "xor(u1[t-1], u2[t-1])"),
            ("xor(u1[t-1], u2[t-1], u3[t-1])", "u1[t-1]*u2[t-1]*u3[t-1]"),
            ("-u1[t-1]*u2[t-1]*u3[t-1]", "-u1[t-1]*u2[t-1]*u3[t-1]"),
            ("xor(u1[t-4], u1[t-3], u1[t-2], u1[t-1])", "xor(u1[t-4], u1[t-3], u1[t-2], u1[t-1])"),
            ("-(or(u1[t-1], -u2[t-1]))", "and(-u1[t-1], u2[t-1])"),
            ("table(-+++, u1[t-1], u2[t-1])", "or(u1[t-1], u2[t-1])"),
            ("maj(u1[t-3], -u1[t-2], u1[t-1])", "maj(u1[t-3], -u1[t-2], u1[t-1])"),
            ("if(u1[t-2], u2[t-1], -u3[t-1])", "if(u1[t-2], u2[t-1], -u3[t-1])"),
            ("rule30(u1[t-1], u2[t-1], u3[t-1])", "xor(u1[t-1], or(u2[t-1], u3[t-1]))"),
            ("rule110(u1[t-1], u2[t-1], u3[t-1])", "rule110(u1[t-1], u2[t-1], u3[t-1])"),
            ("rule110(u8[t-1], u1[t-1], u2[t-1])", "rule110(u8[t-1], u1[t-1], u2[t-1])"),
            ("rule110(u7[t-1], u8[t-1], u1[t-1])", "rule110(u7[t-1], u8[t-1], u1[t-1])"),
            ("maj(u1[t-5],u1[t-4],-u1[t-3],u1[t-2],u1[t-1])", "maj(u1[t-5], u1[t-4], -u1[t-3], u1[t-2], u1[t-1])"),
            ("and(u1[t-4],-u1[t-3],u1[t-2],u1[t-1])", "and(u1[t-4], -u1[t-3], u1[t-2], u1[t-1])"),
            ("or(and(u1[t-4],u1[t-3]),and(u1[t-2],u1[t-1]))", "or(and(u1[t-4], u1[t-3]), and(u1[t-2], u1[t-1]))"),
            (
                "if(u1[t-6],if(u1[t-5],u1[t-4],u1[t-3]),if(u1[t-5],u1[t-2],u1[t-1]))",
                "if(u1[t-6], if(u1[t-5], u1[t-4], u1[t-3]), if(u1[t-5], u1[t-2], u1[t-1]))",
            ),
        ] {
            assert_eq!(printed(read), written, "{read}");
        }
    }
}
