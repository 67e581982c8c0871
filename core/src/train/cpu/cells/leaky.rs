//! `h' = (1 - a) h + a act(W_ih u + b_ih + W_hh h + b_hh)`; a of each unit is fixed, or the logistic function of a parameter.

use super::super::isa::Dispatch;
use super::super::kernels::{ColumnSums, Slope, SoftplusSlope, squash};
use super::super::lanes::{Lanes, Real};
use super::super::layout::{Room, VectorPlace};
use super::super::panels::{Aligned, Panels, padded};
use super::super::product::{Finish, Place, Product, Terms, load, load_column, store};
use super::elman::stacked;
use super::gates::Gates;
use super::{CellKernel, Step, StepCounts, Tape, TapeShape, TimeBlock};
use crate::network::{Activation, Cell, Elman, Leak, Leaky};

pub(crate) struct LeakyKernel<S> {
    activation: Activation,
    gates: Gates<S, 1>,
    leak: Leak,
    /// Where the parameters of a lie, if they are trained.
    place: Option<VectorPlace>,
    factors: Factors<S>,
}

/// a, 1 - a, and the slope of a by its parameter: one for each unit, zero in the padding.
struct Factors<S> {
    alpha: Aligned<S>,
    rest: Aligned<S>,
    slope: Aligned<S>,
}

impl<S: Dispatch> LeakyKernel<S> {
    pub(crate) fn new(cell: &Leaky, biased: bool, place: usize, room: &mut Room) -> Self {
        let gates = Gates::new(stacked(&cell.towards), biased, place, room);
        let zeros = || Aligned::zeros(padded(gates.units));
        let factors = Factors { alpha: zeros(), rest: zeros(), slope: zeros() };
        Self { activation: cell.towards.activation, gates, leak: cell.leak.clone(), place: None, factors }
    }

    /// The leak that the flat vector holds.
    fn leak(&self, flat: &[S]) -> Leak {
        self.place.as_ref().map_or_else(|| self.leak.clone(), |place| Leak::Learned(place.read(flat)))
    }
}

/// Keeps what the units move towards; has deltas of the sums and of the parameters of a; carries the derivative by h that goes past
/// the sums.
pub(super) fn tape_shape(units: usize) -> TapeShape {
    TapeShape { units, kept: [units, 0, 0, 0, 0], deltas: [units, units, 0, 0], carried: [units, 0] }
}

impl<S: Dispatch> CellKernel<S> for LeakyKernel<S> {
    fn place_biases(&mut self, room: &mut Room) {
        self.gates.place_biases(room);
        self.place = matches!(self.leak, Leak::Learned(_)).then(|| room.vector(self.gates.units));
    }

    fn write(&self, cell: &Cell, flat: &mut [S]) {
        let Cell::Leaky(Leaky { towards, leak }) = cell else { return };
        self.gates.write(stacked(towards), flat);
        if let (Some(place), Leak::Learned(logits)) = (&self.place, leak) {
            place.write(flat, logits);
        }
    }

    fn read(&self, flat: &[S]) -> Cell {
        let (input_weights, recurrent_weights, biases) = self.gates.read(flat);
        let towards = Elman { activation: self.activation, input_weights, recurrent_weights, biases };
        Cell::Leaky(Leaky { towards, leak: self.leak(flat) })
    }

    fn pack(&mut self, flat: &[S]) {
        self.gates.pack(flat);
        let leak = self.leak(flat);
        let Factors { alpha, rest, slope } = &mut self.factors;
        let places = alpha.slice_mut().iter_mut().zip(rest.slice_mut()).zip(slope.slice_mut());
        for (((alpha, rest), slope), a) in places.zip(leak.alpha()) {
            (*alpha, *rest, *slope) = (S::from_f64(a), S::from_f64(1.0 - a), S::from_f64(a * (1.0 - a)));
        }
    }

    fn forward(&self, step: Step, input: Option<&Panels<S>>, tape: &mut Tape<S>) {
        let ([gate], [towards, ..]) = (&self.gates.gates, &mut tape.kept);
        let (before, now) = tape.states.split_at_mut(step.t);
        let (before, towards) = (&before[step.t - 1], &mut towards[step.t]);
        let terms = Terms::of(gate.recurrent(step, before)).and(gate.input(input));
        squash(step.isa, self.activation, &terms, Some(gate.bias.slice()), towards);
        let finish = Move { factors: &self.factors, before: before.data(), towards: towards.data() };
        S::dispatch(step.isa, Product { terms: &Terms::none(), bias: None, out: &mut now[0], finish });
    }

    fn backward(&self, step: Step, above: Terms<'_, S>, tape: &mut Tape<S>) {
        let ([gate], [deltas, of_alpha, ..]) = (&self.gates.gates, &mut tape.deltas);
        let (out, later) = step.deltas(deltas);
        let terms = &Terms::of(gate.later(step, later)).and(above.iter());
        let ([carried, _], [towards, ..]) = (&mut tape.carried, &tape.kept);
        if step.t == step.last {
            carried.data_mut().fill(S::default());
        }
        let states = towards[step.t].data();
        let past = Past {
            factors: &self.factors,
            before: tape.states[step.t - 1].data(),
            towards: states,
            carried: carried.data_mut(),
            of_alpha: of_alpha[step.slot()].data_mut(),
        };
        match self.activation {
            Activation::Softplus => {
                let finish = Back { past, through: SoftplusSlope(states) };
                S::dispatch(step.isa, Product { terms, bias: None, out, finish });
            }
            activation => {
                let finish = Back { past, through: Slope { activation, states } };
                S::dispatch(step.isa, Product { terms, bias: None, out, finish });
            }
        }
    }

    fn below<'a>(&'a self, step: Step, tape: &'a Tape<S>) -> Terms<'a, S> {
        let [deltas, ..] = &tape.deltas;
        self.gates.below(step, [deltas])
    }

    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: &Tape<S>, gradient: &mut [S]) {
        let ([gate], [deltas, of_alpha, ..]) = (&self.gates.gates, &tape.deltas);
        gate.accumulate(block, &tape.states, deltas, deltas, gradient);
        if let Some(place) = &self.place {
            let (steps, out) = (block.deltas(of_alpha), place.of_mut(gradient));
            S::dispatch(block.isa, ColumnSums { steps, out, add: block.add });
        }
    }

    fn multiply_adds(&self, counts: StepCounts) -> usize {
        self.gates.multiply_adds(counts)
    }
}

/// Moves the units towards what the sums say.
struct Move<'a, S> {
    factors: &'a Factors<S>,
    before: &'a [S],
    towards: &'a [S],
}

impl<S: Real> Finish<S> for Move<'_, S> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        self.factors.fit(out) && [self.before, self.towards].iter().all(|side| out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, _sum: V, at: Place) -> V {
        let Factors { alpha, rest, .. } = self.factors;
        // SAFETY: all fit the output.
        unsafe {
            let (alpha, rest) = (load_column::<V>(alpha.slice(), at), load_column::<V>(rest.slice(), at));
            alpha.mul_add(load(self.towards, at), rest.mul(load(self.before, at))).without_negligible()
        }
    }
}

impl<S: Real> Factors<S> {
    fn fit(&self, out: &Panels<S>) -> bool {
        [&self.alpha, &self.rest, &self.slope].iter().all(|of| of.slice().len() == padded(out.columns()))
    }
}

/// What goes another way than through the sums: to the units before, and to the parameters of a.
struct Past<'a, S> {
    factors: &'a Factors<S>,
    before: &'a [S],
    towards: &'a [S],
    carried: &'a mut [S],
    of_alpha: &'a mut [S],
}

/// Turns the derivative by the units into the deltas of the sums.
struct Back<'a, S, F> {
    past: Past<'a, S>,
    /// Back through the activation.
    through: F,
}

impl<S: Real, F: Finish<S>> Finish<S> for Back<'_, S, F> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        let Past { factors, before, towards, carried, of_alpha } = &self.past;
        let sides: [&[S]; 4] = [before, towards, carried, of_alpha];
        self.through.fits(out) && factors.fit(out) && sides.iter().all(|side| out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, at: Place) -> V {
        let Past { factors: Factors { alpha, rest, slope }, before, towards, carried, of_alpha } = &mut self.past;
        // SAFETY: all fit the output.
        unsafe {
            let dh = sum.add(load(carried, at));
            store(carried, at, dh.mul(load_column(rest.slice(), at)).without_negligible());
            let moved = load::<V>(towards, at).sub(load(before, at));
            store(of_alpha, at, dh.mul(moved).mul(load_column(slope.slice(), at)).without_negligible());
            self.through.apply(dh.mul(load_column(alpha.slice(), at)), at)
        }
    }
}
