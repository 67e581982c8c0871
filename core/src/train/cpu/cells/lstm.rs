//! PyTorch's LSTM: `i = sigmoid(W_ii u + b_ii + W_hi h + b_hi)`, the same for `f` and `o`, `g` with tanh,
//! `c' = f c + i g`, `h' = o tanh(c')`.

use super::super::isa::Dispatch;
use super::super::kernels::{Sigmoid, Squash, sigmoid, sigmoid_slope, tanh_slope};
use super::super::lanes::{Lanes, Real};
use super::super::layout::Room;
use super::super::panels::Panels;
use super::super::product::{Finish, Place, Product, Terms, load, store};
use super::gates::{Gates, Stacked};
use super::{CellKernel, Step, StepCounts, Tape, TapeShape, TimeBlock};
use crate::network::{Activation, Cell, Lstm};

pub(crate) struct LstmKernel<S> {
    gates: Gates<S, 4>,
}

fn stacked(cell: &Lstm) -> Stacked<'_> {
    let Lstm { input_weights, recurrent_weights, biases } = cell;
    Stacked { input_weights, recurrent_weights, biases: biases.as_ref() }
}

impl<S: Dispatch> LstmKernel<S> {
    pub(crate) fn new(cell: &Lstm, biased: bool, place: usize, room: &mut Room) -> Self {
        Self { gates: Gates::new(stacked(cell), biased, place, room) }
    }
}

/// Keeps i, f, g, o and c of every time step; has a delta for each gate; carries the derivative by c.
pub(super) fn tape_shape(units: usize) -> TapeShape {
    TapeShape { units, kept: [units; 5], deltas: [units; 4], carried: [units, 0] }
}

impl<S: Dispatch> CellKernel<S> for LstmKernel<S> {
    fn place_biases(&mut self, room: &mut Room) {
        self.gates.place_biases(room);
    }

    fn write(&self, cell: &Cell, flat: &mut [S]) {
        if let Cell::Lstm(cell) = cell {
            self.gates.write(stacked(cell), flat);
        }
    }

    fn read(&self, flat: &[S]) -> Cell {
        let (input_weights, recurrent_weights, biases) = self.gates.read(flat);
        Cell::Lstm(Lstm { input_weights, recurrent_weights, biases })
    }

    fn pack(&mut self, flat: &[S]) {
        self.gates.pack(flat);
    }

    fn forward(&self, step: Step, input: Option<&Panels<S>>, tape: &mut Tape<S>) {
        let Step { isa, t, .. } = step;
        let [i_gate, f_gate, g_gate, o_gate] = &self.gates.gates;
        let [i, f, g, o, c] = &mut tape.kept;
        let (before, now) = tape.states.split_at_mut(t);
        let (before, out) = (&before[t - 1], &mut now[0]);
        for (gate, out) in [(i_gate, &mut i[t]), (f_gate, &mut f[t])] {
            let terms = Terms::of(gate.recurrent(step, before)).and(gate.input(input));
            S::dispatch(isa, Product { terms: &terms, bias: Some(gate.bias.slice()), out, finish: Sigmoid });
        }
        let terms = Terms::of(g_gate.recurrent(step, before)).and(g_gate.input(input));
        let (bias, finish) = (Some(g_gate.bias.slice()), Squash(Activation::Tanh));
        S::dispatch(isa, Product { terms: &terms, bias, out: &mut g[t], finish });
        let terms = Terms::of(o_gate.recurrent(step, before)).and(o_gate.input(input));
        let (c_before, c_now) = c.split_at_mut(t);
        let finish = NewUnits {
            i: i[t].data(),
            f: f[t].data(),
            g: g[t].data(),
            before: c_before[t - 1].data(),
            c: c_now[0].data_mut(),
            o: o[t].data_mut(),
        };
        S::dispatch(isa, Product { terms: &terms, bias: Some(o_gate.bias.slice()), out, finish });
    }

    fn backward(&self, step: Step, above: Terms<'_, S>, tape: &mut Tape<S>) {
        let t = step.t;
        let [i_gate, f_gate, g_gate, o_gate] = &self.gates.gates;
        let [di, df, dg, d_o] = &mut tape.deltas;
        let ((di, later_di), (df, later_df)) = (step.deltas(di), step.deltas(df));
        let ((dg, later_dg), (d_o, later_do)) = (step.deltas(dg), step.deltas(d_o));
        let [carried, _] = &mut tape.carried;
        if t == step.last {
            carried.data_mut().fill(S::default());
        }
        let terms = Terms::of(i_gate.later(step, later_di))
            .and(f_gate.later(step, later_df))
            .and(g_gate.later(step, later_dg))
            .and(o_gate.later(step, later_do))
            .and(above.iter());
        let [i, f, g, o, c] = &tape.kept;
        let finish = Deltas {
            i: i[t].data(),
            f: f[t].data(),
            g: g[t].data(),
            o: o[t].data(),
            c: c[t].data(),
            before: c[t - 1].data(),
            carried: carried.data_mut(),
            di: di.data_mut(),
            df: df.data_mut(),
            dg: dg.data_mut(),
        };
        S::dispatch(step.isa, Product { terms: &terms, bias: None, out: d_o, finish });
    }

    fn below<'a>(&'a self, step: Step, tape: &'a Tape<S>) -> Terms<'a, S> {
        let [di, df, dg, d_o] = &tape.deltas;
        self.gates.below(step, [di, df, dg, d_o])
    }

    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: &Tape<S>, gradient: &mut [S]) {
        for (gate, deltas) in self.gates.gates.iter().zip(&tape.deltas) {
            gate.accumulate(block, &tape.states, deltas, deltas, gradient);
        }
    }

    fn multiply_adds(&self, counts: StepCounts) -> usize {
        // The forget gate has nothing to act on at the first step.
        self.gates.multiply_adds(counts) - self.gates.input_multiply_adds()
    }
}

/// Turns the sum of the output gate into the new cells and units.
struct NewUnits<'a, S> {
    i: &'a [S],
    f: &'a [S],
    g: &'a [S],
    /// c of the time step before.
    before: &'a [S],
    c: &'a mut [S],
    o: &'a mut [S],
}

impl<S: Real> Finish<S> for NewUnits<'_, S> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        [self.i, self.f, self.g, self.before, self.c, self.o].iter().all(|side| out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, sum: V, at: Place) -> V {
        // SAFETY: all fit the output.
        unsafe {
            let (i, f, g) = (load::<V>(self.i, at), load::<V>(self.f, at), load::<V>(self.g, at));
            let c = f.mul_add(load(self.before, at), i.mul(g)).without_negligible();
            let o = sigmoid(sum);
            store(self.c, at, c);
            store(self.o, at, o);
            o.mul(c.tanh()).without_negligible()
        }
    }
}

/// Turns the derivative by the units into the deltas; the output is that of the output gate.
struct Deltas<'a, S> {
    i: &'a [S],
    f: &'a [S],
    g: &'a [S],
    o: &'a [S],
    c: &'a [S],
    /// c of the time step before.
    before: &'a [S],
    carried: &'a mut [S],
    di: &'a mut [S],
    df: &'a mut [S],
    dg: &'a mut [S],
}

impl<S: Real> Finish<S> for Deltas<'_, S> {
    const LARGE: bool = true;

    fn fits(&self, out: &Panels<S>) -> bool {
        let read = [self.i, self.f, self.g, self.o, self.c, self.before];
        let written = [&*self.carried, self.di, self.df, self.dg];
        read.iter().chain(&written).all(|side| out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, dh: V, at: Place) -> V {
        // SAFETY: all fit the output.
        unsafe {
            let (i, f, g) = (load::<V>(self.i, at), load::<V>(self.f, at), load::<V>(self.g, at));
            let (o, before) = (load::<V>(self.o, at), load::<V>(self.before, at));
            // Cheaper than one more panel to keep.
            let squashed = load::<V>(self.c, at).tanh();
            let dc = dh.mul(o).mul_add(tanh_slope(squashed), load(self.carried, at)).without_negligible();
            store(self.carried, at, dc.mul(f));
            store(self.di, at, dc.mul(g).mul(sigmoid_slope(i)).without_negligible());
            store(self.df, at, dc.mul(before).mul(sigmoid_slope(f)).without_negligible());
            store(self.dg, at, dc.mul(i).mul(tanh_slope(g)).without_negligible());
            dh.mul(squashed).mul(sigmoid_slope(o)).without_negligible()
        }
    }
}
