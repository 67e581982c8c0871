//! The same function under other names: components in another order, perhaps with the other sign.

use crate::task::{Source, Window};
use serde::Serialize;

/// Components of the first network as those of the second: one for each, counted from 1, negative where the sign is the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Renaming(pub Vec<isize>);

/// Assignments of a component that are tried, at most.
const MOST_TRIED: usize = 200_000;

impl std::fmt::Display for Renaming {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let changed = self.0.iter().enumerate().filter(|(j, to)| **to != *j as isize + 1);
        let names: Vec<String> = changed
            .map(|(j, to)| format!("u{} is {}u{}", j + 1, if *to < 0 { "-" } else { "" }, to.unsigned_abs()))
            .collect();
        f.write_str(&names.join(", "))
    }
}

/// Another order of the components, with signs, that turns the first function into the second; nothing for functions that are no
/// signed selections, or where there is none or it is not found in reasonable time.
pub fn renaming(first: &Window, second: &Window) -> Option<Renaming> {
    if (first.s(), first.d()) != (second.s(), second.d()) {
        return None;
    }
    let mut search = Search { a: first.sources()?, b: second.sources()?, to: vec![None; first.d()], tried: 0 };
    search.extend()
}

struct Search<'a> {
    a: &'a [Source],
    b: &'a [Source],
    to: Vec<Option<usize>>,
    tried: usize,
}

impl Search<'_> {
    /// Gives the next component a name and follows where it is copied from, which fixes the names there.
    fn extend(&mut self) -> Option<Renaming> {
        let Some(open) = self.to.iter().position(Option::is_none) else { return self.signs() };
        for name in 0..self.to.len() {
            self.tried += 1;
            if self.tried > MOST_TRIED {
                return None;
            }
            let before = self.to.clone();
            if self.follow(open, name)
                && let Some(found) = self.extend()
            {
                return Some(found);
            }
            self.to = before;
        }
        None
    }

    fn follow(&mut self, mut component: usize, mut name: usize) -> bool {
        loop {
            match self.to[component] {
                Some(known) => return known == name,
                None if self.to.contains(&Some(name)) => return false,
                None => self.to[component] = Some(name),
            }
            let (here, there) = (self.a[component], self.b[name]);
            if here.lag != there.lag {
                return false;
            }
            (component, name) = (here.component, there.component);
        }
    }

    /// Signs that make every copy right: along each copy the two signs differ exactly where one function negates and the other not.
    fn signs(&self) -> Option<Renaming> {
        let to: Vec<usize> = self.to.iter().copied().collect::<Option<_>>()?;
        let differs = |j: usize| self.a[j].negated != self.b[to[j]].negated;
        let mut sign: Vec<Option<bool>> = vec![None; to.len()];
        loop {
            let mut changed = false;
            for j in 0..to.len() {
                let from = self.a[j].component;
                match (sign[j], sign[from]) {
                    (Some(here), Some(there)) if (here != there) != differs(j) => return None,
                    (Some(here), None) => (sign[from], changed) = (Some(here != differs(j)), true),
                    (None, Some(there)) => (sign[j], changed) = (Some(there != differs(j)), true),
                    _ => {}
                }
            }
            if !changed {
                // What is connected with nothing that has a sign is free to take one.
                let Some(free) = sign.iter().position(Option::is_none) else { break };
                sign[free] = Some(false);
            }
        }
        let signed = |(j, name): (usize, &usize)| (*name as isize + 1) * if sign[j] == Some(true) { -1 } else { 1 };
        Some(Renaming(to.iter().enumerate().map(signed).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(formulas: &str) -> Window {
        Window::from_formulas(formulas, Some(4), None).unwrap()
    }

    #[test]
    fn another_order_and_other_signs_are_found() {
        let first = task("u1 = u2[t-1]; u2 = u1[t-3]; u3 = -u3[t-2]");
        let second = task("u1 = -u1[t-2]; u2 = u3[t-3]; u3 = u2[t-1]");
        assert_eq!(renaming(&first, &second), Some(Renaming(vec![3, 2, 1])));
        assert_eq!(renaming(&first, &second).unwrap().to_string(), "u1 is u3, u3 is u1");
        let negated = task("u1 = -u2[t-1]; u2 = -u1[t-3]; u3 = -u3[t-2]");
        assert_eq!(renaming(&first, &negated), Some(Renaming(vec![1, -2, 3])));
    }

    #[test]
    fn cycles_of_equal_length_are_not_enough() {
        // One cycle of length 4 each, by other ways.
        let (first, second) = (task("u1 = u2[t-1]; u2 = u1[t-3]"), task("u1 = u2[t-2]; u2 = u1[t-2]"));
        assert_eq!(renaming(&first, &second), None);
        // And the sign of a cycle is no matter of names.
        assert_eq!(renaming(&first, &task("u1 = u2[t-1]; u2 = -u1[t-3]")), None);
    }
}
