//! PyTorch's GRU: `r = sigmoid(W_ir u + b_ir + W_hr h + b_hr)`, the same for `z`, `q = W_hn h + b_hn`,
//! `n = tanh(W_in u + b_in + r q)`, `h' = (1 - z) n + z h`.

use super::super::isa::Dispatch;
use super::super::kernels::{Sigmoid, Unchanged, sigmoid_slope, tanh_slope};
use super::super::lanes::{Lanes, Real};
use super::super::layout::Room;
use super::super::panels::{Panels, padded};
use super::super::product::{Finish, Place, Product, Terms, load, load_column, store};
use super::gates::{Gates, Stacked};
use super::{CellKernel, Step, StepCounts, Tape, TapeShape, TimeBlock};
use crate::network::{Cell, Gru};

pub(crate) struct GruKernel<S> {
    gates: Gates<S, 3>,
}

fn stacked(cell: &Gru) -> Stacked<'_> {
    let Gru { input_weights, recurrent_weights, biases } = cell;
    Stacked { input_weights, recurrent_weights, biases: biases.as_ref() }
}

impl<S: Dispatch> GruKernel<S> {
    pub(crate) fn new(cell: &Gru, biased: bool, place: usize, room: &mut Room) -> Self {
        Self { gates: Gates::new(stacked(cell), biased, place, room) }
    }
}

/// Keeps r, z, q and n of every time step; has deltas of r, z, n and q; carries the derivative by h that goes through z.
pub(super) fn tape_shape(units: usize) -> TapeShape {
    TapeShape { units, kept: [units, units, units, units, 0], deltas: [units; 4], carried: [units, 0] }
}

impl<S: Dispatch> CellKernel<S> for GruKernel<S> {
    fn place_biases(&mut self, room: &mut Room) {
        self.gates.place_biases(room);
    }

    fn write(&self, cell: &Cell, flat: &mut [S]) {
        if let Cell::Gru(cell) = cell {
            self.gates.write(stacked(cell), flat);
        }
    }

    fn read(&self, flat: &[S]) -> Cell {
        let (input_weights, recurrent_weights, biases) = self.gates.read(flat);
        Cell::Gru(Gru { input_weights, recurrent_weights, biases })
    }

    fn pack(&mut self, flat: &[S]) {
        self.gates.pack(flat);
    }

    fn forward(&self, step: Step, input: Option<&Panels<S>>, tape: &mut Tape<S>) {
        let Step { isa, t, .. } = step;
        let [r_gate, z_gate, n_gate] = &self.gates.gates;
        let [r, z, q, n, _] = &mut tape.kept;
        let (before, now) = tape.states.split_at_mut(t);
        let (before, out) = (&before[t - 1], &mut now[0]);
        for (gate, out) in [(r_gate, &mut r[t]), (z_gate, &mut z[t])] {
            let terms = Terms::of(gate.recurrent(step, before)).and(gate.input(input));
            S::dispatch(isa, Product { terms: &terms, bias: Some(gate.bias.slice()), out, finish: Sigmoid });
        }
        let input_bias = n_gate.input_bias.slice();
        if input.is_some() {
            let (terms, bias) = (Terms::of(n_gate.input(input)), Some(input_bias));
            S::dispatch(isa, Product { terms: &terms, bias, out: &mut n[t], finish: Unchanged });
        }
        let (terms, bias) = (Terms::of(n_gate.recurrent(step, before)), Some(n_gate.recurrent_bias.slice()));
        let finish = NewUnits {
            r: r[t].data(),
            z: z[t].data(),
            before: before.data(),
            input_bias: input.is_none().then_some(input_bias),
            q: q[t].data_mut(),
            n: n[t].data_mut(),
        };
        S::dispatch(isa, Product { terms: &terms, bias, out, finish });
    }

    fn backward(&self, step: Step, above: Terms<'_, S>, tape: &mut Tape<S>) {
        let t = step.t;
        let [r_gate, z_gate, n_gate] = &self.gates.gates;
        let [dr, dz, dn, dq] = &mut tape.deltas;
        let ((dr, later_dr), (dz, later_dz), (dq, later_dq)) = (step.deltas(dr), step.deltas(dz), step.deltas(dq));
        let [carried, _] = &mut tape.carried;
        if t == step.last {
            carried.data_mut().fill(S::default());
        }
        let terms = Terms::of(r_gate.later(step, later_dr))
            .and(z_gate.later(step, later_dz))
            .and(n_gate.later(step, later_dq))
            .and(above.iter());
        let [r, z, q, n, _] = &tape.kept;
        let finish = Deltas {
            r: r[t].data(),
            z: z[t].data(),
            q: q[t].data(),
            n: n[t].data(),
            before: tape.states[t - 1].data(),
            carried: carried.data_mut(),
            dz: dz.data_mut(),
            dn: dn[step.slot()].data_mut(),
            dq: dq.data_mut(),
        };
        S::dispatch(step.isa, Product { terms: &terms, bias: None, out: dr, finish });
    }

    fn below<'a>(&'a self, step: Step, tape: &'a Tape<S>) -> Terms<'a, S> {
        let [dr, dz, dn, _] = &tape.deltas;
        self.gates.below(step, [dr, dz, dn])
    }

    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: &Tape<S>, gradient: &mut [S]) {
        let [dr, dz, dn, dq] = &tape.deltas;
        let [r_gate, z_gate, n_gate] = &self.gates.gates;
        r_gate.accumulate(block, &tape.states, dr, dr, gradient);
        z_gate.accumulate(block, &tape.states, dz, dz, gradient);
        n_gate.accumulate(block, &tape.states, dn, dq, gradient);
    }

    fn multiply_adds(&self, counts: StepCounts) -> usize {
        // Without biases the reset gate has nothing to act on at the first step.
        let idle = if self.gates.biased { 0 } else { self.gates.input_multiply_adds() };
        self.gates.multiply_adds(counts) - idle
    }
}

/// Turns the sum q into the new units. `n` holds what the inputs add to n, and then n; without inputs, that is a bias.
struct NewUnits<'a, S> {
    r: &'a [S],
    z: &'a [S],
    before: &'a [S],
    input_bias: Option<&'a [S]>,
    q: &'a mut [S],
    n: &'a mut [S],
}

impl<S: Real> Finish<S> for NewUnits<'_, S> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        let columns = padded(out.columns());
        self.input_bias.is_none_or(|bias| bias.len() == columns)
            && [self.r, self.z, self.before, self.q, self.n].iter().all(|side| out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, q: V, at: Place) -> V {
        // SAFETY: all fit the output.
        unsafe {
            let (r, z, before) = (load::<V>(self.r, at), load::<V>(self.z, at), load::<V>(self.before, at));
            let from_inputs: V = match self.input_bias {
                Some(bias) => load_column(bias, at),
                None => load(self.n, at),
            };
            let n = r.mul_add(q, from_inputs).tanh();
            store(self.q, at, q);
            store(self.n, at, n);
            z.mul_add(before.sub(n), n).without_negligible()
        }
    }
}

/// Turns the derivative by the units into the deltas; the output is that of r.
struct Deltas<'a, S> {
    r: &'a [S],
    z: &'a [S],
    q: &'a [S],
    n: &'a [S],
    before: &'a [S],
    carried: &'a mut [S],
    dz: &'a mut [S],
    dn: &'a mut [S],
    dq: &'a mut [S],
}

impl<S: Real> Finish<S> for Deltas<'_, S> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        let read = [self.r, self.z, self.q, self.n, self.before];
        let written = [&*self.carried, self.dz, self.dn, self.dq];
        read.iter().chain(&written).all(|side| out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, at: Place) -> V {
        // SAFETY: all fit the output.
        unsafe {
            let (r, z, q) = (load::<V>(self.r, at), load::<V>(self.z, at), load::<V>(self.q, at));
            let (n, before) = (load::<V>(self.n, at), load::<V>(self.before, at));
            let dh = sum.add(load(self.carried, at)).without_negligible();
            let carried = dh.mul(z);
            store(self.carried, at, carried);
            store(self.dz, at, dh.mul(before.sub(n)).mul(sigmoid_slope(z)).without_negligible());
            let dn = dh.sub(carried).mul(tanh_slope(n)).without_negligible();
            store(self.dn, at, dn);
            store(self.dq, at, dn.mul(r).without_negligible());
            dn.mul(q).mul(sigmoid_slope(r)).without_negligible()
        }
    }
}
