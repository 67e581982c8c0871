//! Families of functions that go by a name: cellular automata, shift registers, copies with an xor.

use super::{Gate, MAX_GATE_INPUTS, Slot, Source, TaskError, Window, check_size};

/// The taps of a shift register where none are given.
const DEFAULT_TAPS: &str = "5,3";
/// Components of a ring where no other number is given.
const DEFAULT_RING: usize = 8;

fn wrong_size(name: &str, problem: impl Into<String>) -> TaskError {
    TaskError::Family { name: name.into(), problem: problem.into() }
}

/// An elementary cellular automaton on a ring of d cells: each is a function of its left neighbour, itself and its right
/// neighbour, bit 4*left + 2*self + right of the rule's number.
pub(super) fn ring(number: &str, s: Option<usize>, d: Option<usize>) -> Result<Window, TaskError> {
    let name = format!("rule{number}");
    let Some(rule) = number.parse::<usize>().ok().filter(|rule| *rule < 256) else {
        return Err(wrong_size(&name, "rules go from rule0 to rule255; write e.g. rule110"));
    };
    if let Some(s) = s.filter(|s| *s != 1) {
        return Err(wrong_size(
            &name,
            format!("a cellular automaton looks one step back, s=1, not s={s}; leave s out"),
        ));
    }
    let d = d.unwrap_or(DEFAULT_RING);
    if d < 3 {
        return Err(wrong_size(&name, format!("a ring needs 3 components or more, not d={d}; try d=8")));
    }
    check_size(1, d)?;
    // The lowest bit of the number is the right neighbour.
    let gate = |cell: usize| {
        let [left, centre, right] = neighbours(cell, d);
        Gate::of(&[right, centre, left], |m| rule >> m & 1 == 1)
    };
    Window::table(format!("rule{rule}"), 1, d, (0..d).map(gate).collect())
}

pub(super) fn neighbours(cell: usize, d: usize) -> [Slot; 3] {
    [(cell + d - 1) % d, cell, (cell + 1) % d].map(|component| Slot { lag: 1, component })
}

/// Shift registers: every component is the xor of its own values at the taps.
pub(super) fn register(taps: Option<&str>, s: Option<usize>, d: Option<usize>) -> Result<Window, TaskError> {
    let text = taps.unwrap_or(DEFAULT_TAPS);
    let name = format!("lfsr:{}", text.replace(' ', ""));
    let wrong = |problem: String| Err(wrong_size(&name, format!("{problem}; write e.g. lfsr:5,3")));
    let Ok(taps) = text.split(',').map(|tap| tap.trim().parse()).collect::<Result<Vec<usize>, _>>() else {
        return wrong("taps are whole numbers with commas between them".into());
    };
    if taps.len() < 2 || taps.len() > MAX_GATE_INPUTS {
        return wrong(format!("a register has 2 to {MAX_GATE_INPUTS} taps, not {}", taps.len()));
    }
    if let Some(tap) = taps.iter().find(|tap| **tap == 0) {
        return wrong(format!("tap {tap} is the value that is asked for; taps go from 1 (newest) up"));
    }
    if let Some(at) = (0..taps.len()).find(|&at| taps[..at].contains(&taps[at])) {
        return wrong(format!("tap {} stands twice", taps[at]));
    }
    let longest = taps.iter().max().copied().unwrap_or(1);
    let (s, d) = (s.unwrap_or(longest), d.unwrap_or(1));
    if s < longest {
        return wrong(format!("tap {longest} is farther back than s={s}"));
    }
    check_size(s, d)?;
    let gate = |component: usize| {
        let inputs: Vec<Slot> = taps.iter().map(|&lag| Slot { lag, component }).collect();
        Gate::of(&inputs, |m| m.count_ones() % 2 == 1)
    };
    Window::table(name, s, d, (0..d).map(gate).collect())
}

/// Every component repeats after s steps; the last one is xored with the first one on the way.
pub(super) fn xor_copy(s: usize, d: usize) -> Result<Window, TaskError> {
    if d < 2 {
        return Err(wrong_size("xor-copy", format!("it needs 2 components or more, not d={d}; try d=8")));
    }
    check_size(s, d)?;
    let copy = |component: usize| Gate::copy(&Source { lag: s, component, negated: false });
    let mut gates: Vec<Gate> = (0..d - 1).map(copy).collect();
    gates.push(Gate::of(&[d - 1, 0].map(|component| Slot { lag: s, component }), |m| m.count_ones() == 1));
    Window::table("xor-copy", s, d, gates)
}

impl Window {
    /// What kind of function it is, where it is one that has a name, such as "rule 110 on a ring of 8".
    pub fn family(&self) -> Option<String> {
        if let Some(rule) = self.ring_rule() {
            return Some(format!("rule {rule} on a ring of {}", self.d));
        }
        let taps = self.taps()?;
        let taps: Vec<String> = taps.iter().map(usize::to_string).collect();
        let (last, first) = taps.split_last()?;
        Some(format!("xor of taps {} and {last}", first.join(", ")))
    }

    /// The rule that every component follows as a cell of a ring.
    pub(crate) fn ring_rule(&self) -> Option<usize> {
        if self.s != 1 || self.d < 3 {
            return None;
        }
        let rule = |(cell, gate): (usize, &Gate)| {
            let mut order = neighbours(cell, self.d);
            order.reverse();
            let table = gate.table_over(&order)?;
            Some(table.iter().enumerate().map(|(m, &up)| usize::from(up) << m).sum::<usize>())
        };
        let gates = self.gates()?;
        let first = rule((0, &gates[0]))?;
        gates.iter().enumerate().all(|cell| rule(cell) == Some(first)).then_some(first)
    }

    /// The lags of a shift register, the oldest first: every component is the xor of its own values there.
    fn taps(&self) -> Option<Vec<usize>> {
        let gates = self.gates()?;
        let lags = |gate: &Gate| gate.inputs().iter().map(|slot| slot.lag).collect::<Vec<usize>>();
        let first = lags(&gates[0]);
        let fits = |(component, gate): (usize, &Gate)| {
            let odd = |(m, up): (usize, &bool)| *up == (m.count_ones() % 2 == 1);
            lags(gate) == first
                && gate.inputs().iter().all(|slot| slot.component == component)
                && gate.table().iter().enumerate().all(odd)
        };
        (first.len() > 1 && gates.iter().enumerate().all(fits)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_110_follows_its_number_and_says_so() {
        let task = ring("110", None, None).unwrap();
        assert_eq!(task.family().unwrap(), "rule 110 on a ring of 8");
        // 111 -> 0, 110 -> 1, 101 -> 1, 100 -> 0, 011 -> 1, 010 -> 1, 001 -> 1, 000 -> 0 around cell 2.
        for (cells, next) in
            [("+++", -1), ("++-", 1), ("+-+", 1), ("+--", -1), ("-++", 1), ("-+-", 1), ("--+", 1), ("---", -1)]
        {
            let mut window = vec![-1.0; 8];
            cells.chars().enumerate().for_each(|(at, cell)| window[at] = if cell == '+' { 1.0 } else { -1.0 });
            assert_eq!(task.next(&window)[1], f64::from(next), "{cells}");
        }
    }

    #[test]
    fn every_rule_is_recognised_and_shifts_are_selections() {
        for rule in 0..256 {
            for d in [3, 4, 7] {
                let task = ring(&rule.to_string(), None, Some(d)).unwrap();
                assert_eq!(task.ring_rule(), Some(rule), "d={d}");
                assert_eq!(task.sources().is_some(), [15, 51, 85, 170, 204, 240].contains(&rule), "rule {rule}");
            }
        }
    }

    #[test]
    fn registers_and_copies_are_what_their_formulas_say() {
        let task = register(Some("5, 3"), None, None).unwrap();
        assert_eq!((task.name(), task.s(), task.d()), ("lfsr:5,3", 5, 1));
        assert!(task.same_function(&Window::from_formulas("u1 = xor(u1[t-5], u1[t-3])", None, None).unwrap()));
        assert_eq!(task.family().unwrap(), "xor of taps 5 and 3");
        let task = xor_copy(4, 3).unwrap();
        let text = "u1 = u1[t-4]; u2 = u2[t-4]; u3 = xor(u3[t-4], u1[t-4])";
        assert!(task.same_function(&Window::from_formulas(text, None, None).unwrap()));
        assert_eq!(task.family(), None);
    }

    #[test]
    fn sizes_that_a_family_does_not_have_are_refused() {
        let message = |task: Result<Window, TaskError>| task.unwrap_err().to_string();
        assert!(message(ring("256", None, None)).contains("rule0 to rule255"));
        assert!(message(ring("110", Some(2), None)).contains("s=1, not s=2"));
        assert!(message(ring("110", None, Some(2))).contains("3 components or more, not d=2"));
        assert!(message(xor_copy(4, 1)).contains("2 components or more"));
        assert!(message(register(Some("5"), None, None)).contains("2 to 10 taps, not 1"));
        assert!(message(register(Some("5,x"), None, None)).contains("whole numbers"));
        assert!(message(register(Some("5,5"), None, None)).contains("tap 5 stands twice"));
        assert!(message(register(Some("5,0"), None, None)).contains("tap 0"));
        assert!(message(register(None, Some(4), None)).contains("tap 5 is farther back than s=4"));
        assert!(message(ring("110", None, Some(usize::MAX))).contains("over the limit"));
    }
}
