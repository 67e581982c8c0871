//! Functions that are not linear become linear on products of components.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::{CircuitError, Structure};
use crate::numeric::{Matrix, c64};
use crate::task::{Slot, Window};

/// The most products in a lifted circuit.
pub const LARGEST_LIFTED: usize = 512;
/// The most terms that one product may have on the way: they may still cancel.
const MOST_TERMS: usize = 8 * LARGEST_LIFTED;
/// The most products of two terms that are made: a few seconds. What takes more is called larger than the limit.
const MOST_WORK: usize = 1 << 24;

/// A product of window components, as their indices in rising order; an empty one is the constant +1.
type Monomial = Vec<usize>;
/// A sum of products with their coefficients.
type Sum = BTreeMap<Monomial, f64>;

/// The circuit of a function of +-1, on products of window components.
///
/// On contents of +-1 every function is a sum of products (its Walsh expansion), so that one step takes a product of
/// components to a sum of products of the components before. The products that are reached from the outputs this way form a
/// closed set, on which the step is a matrix. Where f only copies and multiplies (xor), each product is reached from one
/// other, perhaps with its sign flipped: a signed selection again, with cycles.
///
/// ```
/// use ketbra::circuit::Lifted;
/// use ketbra::task::Window;
/// let register = Window::named("lfsr:3,2", None, None)?;
/// let lifted = Lifted::of(&register)?.expect("seven products are few");
/// assert_eq!(lifted.monomials.len(), 7);
/// let cycles: Vec<usize> = lifted.structure.cycles.iter().map(|cycle| cycle.length()).collect();
/// assert!(lifted.is_selection() && cycles == [7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The products: the shorter first, then by their components, the oldest first. An empty one is the constant +1.
    pub monomials: Vec<Vec<Slot>>,
    /// One step: row i writes product i of the next window as a sum of products of this one.
    pub step: Matrix,
    /// Cycles, tangles and eigenvalues of the step; members are numbers of products. The constant, which always stays what it
    /// is, is left out.
    pub structure: Structure,
}

impl Lifted {
    /// The lifted circuit of a task, nothing where it has more than [`LARGEST_LIFTED`] products or f is a matrix of real numbers.
    pub fn of(task: &Window) -> Result<Option<Self>, CircuitError> {
        let Some(rows) = closed_set(task) else { return Ok(None) };
        let mut order: Vec<&Monomial> = rows.keys().collect();
        order.sort_by_key(|monomial| (monomial.len(), *monomial));
        let place: BTreeMap<&Monomial, usize> =
            order.iter().enumerate().map(|(at, &monomial)| (monomial, at)).collect();
        let reads: Vec<Vec<(usize, f64)>> =
            order.iter().map(|&row| rows[row].iter().map(|(from, &weight)| (place[from], weight)).collect()).collect();
        let mut step = Matrix::zeros(order.len(), order.len());
        for (row, terms) in reads.iter().enumerate() {
            terms.iter().for_each(|&(column, weight)| step[(row, column)] = weight);
        }
        let slots = |monomial: &Monomial| monomial.iter().map(|&k| Slot::at(k, task.s(), task.d())).collect();
        let mut structure = Structure::of_graph(&Graph::of_rows(&reads))?;
        leave_out_transients(&mut structure);
        if order.first().is_some_and(|monomial| monomial.is_empty()) {
            leave_out_constant(&mut structure);
        }
        Ok(Some(Self { monomials: order.into_iter().map(slots).collect(), step, structure }))
    }

    /// Whether every product comes from one other: f copies and multiplies, and does nothing else.
    pub fn is_selection(&self) -> bool {
        let entries = |row: usize| (0..self.step.ncols()).map(move |column| self.step[(row, column)]);
        (0..self.step.nrows()).all(|row| {
            let mut nonzero = entries(row).filter(|weight| *weight != 0.0);
            nonzero.next().is_some_and(|weight| weight.abs() == 1.0) && nonzero.next().is_none()
        })
    }

    /// The products that are no constant.
    pub fn varying(&self) -> usize {
        self.monomials.iter().filter(|monomial| !monomial.is_empty()).count()
    }

    /// How many combinations of products last for good, the constant not counted.
    pub fn lasting(&self) -> usize {
        self.structure.dimension()
    }

    /// Whether the outputs end at constants, whatever the inputs were.
    pub fn is_nilpotent(&self) -> bool {
        self.lasting() == 0
    }
}

/// A map of finitely many states has eigenvalues of modulus 0 and 1 only: what is nearer to 0 is what rounding left of a 0.
fn leave_out_transients(structure: &mut Structure) {
    let lasting = |values: &mut Vec<c64>| {
        values.retain(|value| value.norm_sqr() > 0.25);
        values.iter_mut().for_each(|value| *value *= 1.0 / value.norm_sqr().sqrt());
    };
    lasting(&mut structure.eigenvalues);
    structure.tangles.iter_mut().for_each(|tangle| lasting(&mut tangle.eigenvalues));
}

/// The constant is product 0, a cycle of its own with the eigenvalue 1.
fn leave_out_constant(structure: &mut Structure) {
    structure.cycles.retain(|cycle| cycle.members != [0]);
    if let Some(at) = structure.eigenvalues.iter().position(|value| (value.re, value.im) == (1.0, 0.0)) {
        structure.eigenvalues.remove(at);
    }
}

/// Every product that is reached from the outputs, with the sum of products that it comes from.
fn closed_set(task: &Window) -> Option<BTreeMap<Monomial, Sum>> {
    let step = Step::of(task)?;
    let mut waiting: BTreeSet<Monomial> = (step.oldest_output()..task.width()).map(|k| vec![k]).collect();
    let mut rows: BTreeMap<Monomial, Sum> = BTreeMap::new();
    let mut work = 0;
    while let Some(monomial) = waiting.pop_first() {
        let sum = step.before(&monomial, &mut work)?;
        waiting.extend(sum.keys().filter(|from| **from != monomial && !rows.contains_key(*from)).cloned());
        rows.insert(monomial, sum);
        if rows.len() + waiting.len() > LARGEST_LIFTED {
            return None;
        }
    }
    Some(rows)
}

struct Step {
    window: usize,
    d: usize,
    /// What each output is a sum of.
    outputs: Vec<Vec<(Monomial, f64)>>,
}

impl Step {
    fn of(task: &Window) -> Option<Self> {
        let gates = task.gates().filter(|gates| gates.len() <= LARGEST_LIFTED)?;
        let chosen = |inputs: &[Slot], bits: usize| {
            let chosen = inputs.iter().enumerate().filter(|(q, _)| bits >> q & 1 == 1);
            let mut monomial: Monomial = chosen.map(|(_, slot)| slot.index(task.s(), task.d())).collect();
            monomial.sort_unstable();
            monomial
        };
        let expanded = gates.iter().map(|gate| {
            gate.products().into_iter().map(|(bits, weight)| (chosen(gate.inputs(), bits), weight)).collect()
        });
        Some(Self { window: task.width(), d: task.d(), outputs: expanded.collect() })
    }

    fn oldest_output(&self) -> usize {
        self.window - self.d
    }

    /// A product after one step as a sum of products before it, nothing where it has too many terms.
    fn before(&self, monomial: &[usize], work: &mut usize) -> Option<Sum> {
        let (moved, written): (Vec<usize>, Vec<usize>) = monomial.iter().partition(|&&k| k < self.oldest_output());
        let mut sum = Sum::from([(moved.iter().map(|k| k + self.d).collect(), 1.0)]);
        for output in written {
            let (mut next, terms) = (Sum::new(), &self.outputs[output - self.oldest_output()]);
            *work += sum.len() * terms.len();
            if *work > MOST_WORK {
                return None;
            }
            for (left, a) in &sum {
                for (right, b) in terms {
                    *next.entry(times(left, right)).or_default() += a * b;
                }
            }
            // Coefficients are whole multiples of a power of two: what cancels is exactly zero.
            next.retain(|_, weight| *weight != 0.0);
            if next.len() > MOST_TERMS {
                return None;
            }
            sum = next;
        }
        Some(sum)
    }
}

/// The product of two products: a component times itself is 1.
fn times(left: &[usize], right: &[usize]) -> Monomial {
    let only =
        |a: &[usize], b: &[usize]| a.iter().filter(|k| b.binary_search(k).is_err()).copied().collect::<Vec<usize>>();
    let mut product = only(left, right);
    product.extend(only(right, left));
    product.sort_unstable();
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a product in a window.
    fn value(task: &Window, monomial: &[Slot], window: &[f64]) -> f64 {
        monomial.iter().map(|slot| window[slot.index(task.s(), task.d())]).product()
    }

    #[test]
    fn the_step_of_the_products_is_the_step_of_the_window() {
        for text in ["rule110", "rule30", "lfsr:4,1", "xor-copy", "u1 = if(u1[t-3], u2[t-1], -u2[t-2]); u2 = u1[t-2]"] {
            let size = if text == "xor-copy" { (Some(2), Some(3)) } else { (None, None) };
            let task = Window::parse(text, size.0, if text.starts_with("rule") { Some(4) } else { size.1 }).unwrap();
            let lifted = Lifted::of(&task).unwrap().unwrap();
            for m in 0..1usize << task.width() {
                let window: Vec<f64> = (0..task.width()).map(|k| if m >> k & 1 == 1 { 1.0 } else { -1.0 }).collect();
                let mut next = window[task.d()..].to_vec();
                next.extend(task.next(&window));
                for (row, monomial) in lifted.monomials.iter().enumerate() {
                    let sum: f64 = (0..lifted.monomials.len())
                        .map(|column| lifted.step[(row, column)] * value(&task, &lifted.monomials[column], &window))
                        .sum();
                    assert_eq!(sum, value(&task, monomial, &next), "{text}");
                }
            }
        }
    }

    #[test]
    fn rule_90_on_a_ring_of_8_forgets_everything_and_xors_are_selections() {
        let lifted = |name: &str, d| Lifted::of(&Window::named(name, None, Some(d)).unwrap()).unwrap().unwrap();
        assert!(lifted("rule90", 8).is_nilpotent() && lifted("rule90", 8).is_selection());
        assert!(!lifted("rule90", 7).is_nilpotent());
        assert!(!lifted("rule110", 6).is_selection());
        assert!(Lifted::of(&Window::named("rule110", None, Some(12)).unwrap()).unwrap().is_none());
    }
}
