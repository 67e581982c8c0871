//! A diagonal state-space layer: `x' = lambda x + B u`, complex or real, `h' = act(Re(C x') + D u)`.

use faer::Mat;

use super::super::isa::Dispatch;
use super::super::kernels::{ColumnDots, slope, squash};
use super::super::lanes::{Lanes, Real};
use super::super::layout::{MatrixPlace, Room, VectorPlace};
use super::super::panels::{Aligned, Panels, padded};
use super::super::product::{Factors, Finish, Outer, Place, Product, Terms, load, load_column};
use super::{CellKernel, Step, StepCounts, Tape, TapeShape, TimeBlock};
use crate::network::{Activation, Cell, Modes, Ssm};

pub(crate) struct SsmKernel<S> {
    activation: Activation,
    units: usize,
    inputs: usize,
    modes: usize,
    real: Part<S>,
    imaginary: Option<Part<S>>,
    skip: Option<Map<S>>,
    /// The imaginary parts of the eigenvalues with the other sign.
    minus_imaginary: Aligned<S>,
}

/// The real or imaginary parts of eigenvalues, B and C.
struct Part<S> {
    place: VectorPlace,
    eigenvalues: Aligned<S>,
    input: Map<S>,
    output_place: MatrixPlace,
    /// C transposed: modes to units; of the imaginary part with the other sign, as it enters the real part of C x.
    output: Panels<S>,
    /// C, with the same sign: unit deltas to modes.
    output_backward: Panels<S>,
    negative: bool,
}

/// A matrix that the inputs are multiplied with.
struct Map<S> {
    /// The transpose: a row for each input.
    place: MatrixPlace,
    forward: Panels<S>,
    /// Deltas to the layer below; nothing in the lowest one.
    backward: Option<Panels<S>>,
}

impl<S: Dispatch> Map<S> {
    fn new(inputs: usize, columns: usize, place: usize, room: &mut Room) -> Self {
        Self {
            place: room.matrix(inputs, columns),
            forward: Panels::zeros(inputs, columns),
            backward: (place > 0).then(|| Panels::zeros(columns, inputs)),
        }
    }

    fn pack(&mut self, flat: &[S]) {
        let (place, stride) = (self.place.of(flat), self.place.stride());
        self.forward.pack(place, stride);
        if let Some(backward) = &mut self.backward {
            backward.pack_transposed(place, stride);
        }
    }

    fn input<'a>(&'a self, input: Option<&'a Panels<S>>) -> Option<Factors<'a, S>> {
        input.map(|input| (input, &self.forward))
    }

    fn below<'a>(&'a self, deltas: &'a Panels<S>) -> Option<Factors<'a, S>> {
        self.backward.as_ref().map(|backward| (deltas, backward))
    }
}

impl<S: Dispatch> Part<S> {
    fn new(of: &Modes, negative: bool, place: usize, room: &mut Room) -> Self {
        let (units, modes, inputs) = (of.output.nrows(), of.output.ncols(), of.input.ncols());
        Self {
            input: Map::new(inputs, modes, place, room),
            output_place: room.matrix(units, modes),
            place: room.vector(modes),
            eigenvalues: Aligned::zeros(padded(modes)),
            output: Panels::zeros(modes, units),
            output_backward: Panels::zeros(units, modes),
            negative,
        }
    }

    fn write(&self, of: &Modes, flat: &mut [S]) {
        self.place.write(flat, &of.eigenvalues);
        self.input.place.write(flat, |i, j| of.input[(j, i)]);
        self.output_place.write(flat, |i, j| of.output[(i, j)]);
    }

    fn pack(&mut self, flat: &[S]) {
        self.eigenvalues.slice_mut().copy_from_slice(self.place.of(flat));
        self.input.pack(flat);
        let (place, stride) = (self.output_place.of(flat), self.output_place.stride());
        let (output, backward) = (&mut self.output, &mut self.output_backward);
        rayon::join(|| output.pack_transposed(place, stride), || backward.pack(place, stride));
        if self.negative {
            negate(output.data_mut());
            negate(backward.data_mut());
        }
    }

    /// The gradients of B and C. That of C is summed up with the sign of `output`.
    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: [&[Panels<S>]; 3], gradient: &mut [S]) {
        let [unit_deltas, deltas, modes] = tape;
        let (isa, add) = (block.isa, block.add);
        let (left, right) = (block.inputs, block.deltas_with_input(deltas));
        S::dispatch(isa, Outer { left, right, out: self.input.place.of_mut(gradient), add: block.add_inputs });
        let (left, right) = block.with_read(unit_deltas, modes);
        let out = self.output_place.of_mut(gradient);
        S::dispatch(isa, Outer { left, right, out, add });
        if self.negative && block.start == 1 {
            negate(out);
        }
    }
}

fn negate<S: Real>(numbers: &mut [S]) {
    numbers.iter_mut().for_each(|x| *x = -*x);
}

impl<S: Dispatch> SsmKernel<S> {
    pub(crate) fn new(cell: &Ssm, place: usize, room: &mut Room) -> Self {
        let (units, modes, inputs) = (cell.real.output.nrows(), cell.real.output.ncols(), cell.real.input.ncols());
        Self {
            activation: cell.activation,
            units,
            inputs,
            modes,
            real: Part::new(&cell.real, false, place, room),
            imaginary: cell.imaginary.as_ref().map(|part| Part::new(part, true, place, room)),
            skip: cell.skip.as_ref().map(|_| Map::new(inputs, units, place, room)),
            minus_imaginary: Aligned::zeros(padded(modes)),
        }
    }

    fn read_part(&self, part: &Part<S>, flat: &[S]) -> Modes {
        Modes {
            eigenvalues: part.place.read(flat),
            input: Mat::from_fn(self.modes, self.inputs, |i, j| part.input.place.at(flat, j, i)),
            output: Mat::from_fn(self.units, self.modes, |i, j| part.output_place.at(flat, i, j)),
        }
    }
}

/// Keeps the real and the imaginary parts of the modes; has deltas of the units and of both parts.
pub(super) fn tape_shape(units: usize, [real, imaginary]: [usize; 2]) -> TapeShape {
    let (kept, deltas) = ([real, imaginary, 0, 0, 0], [units, real, imaginary, 0]);
    TapeShape { units, kept, deltas, ..TapeShape::default() }
}

impl<S: Dispatch> CellKernel<S> for SsmKernel<S> {
    fn place_biases(&mut self, _room: &mut Room) {}

    fn write(&self, cell: &Cell, flat: &mut [S]) {
        let Cell::Ssm(cell) = cell else { return };
        self.real.write(&cell.real, flat);
        if let (Some(part), Some(of)) = (&self.imaginary, &cell.imaginary) {
            part.write(of, flat);
        }
        if let (Some(map), Some(of)) = (&self.skip, &cell.skip) {
            map.place.write(flat, |i, j| of[(j, i)]);
        }
    }

    fn read(&self, flat: &[S]) -> Cell {
        let skip = |map: &Map<S>| Mat::from_fn(self.units, self.inputs, |i, j| map.place.at(flat, j, i));
        Cell::Ssm(Ssm {
            activation: self.activation,
            real: self.read_part(&self.real, flat),
            imaginary: self.imaginary.as_ref().map(|part| self.read_part(part, flat)),
            skip: self.skip.as_ref().map(skip),
        })
    }

    fn pack(&mut self, flat: &[S]) {
        self.real.pack(flat);
        if let Some(part) = &mut self.imaginary {
            part.pack(flat);
            self.minus_imaginary.slice_mut().copy_from_slice(part.eigenvalues.slice());
            negate(self.minus_imaginary.slice_mut());
        }
        if let Some(skip) = &mut self.skip {
            skip.pack(flat);
        }
    }

    fn forward(&self, step: Step, input: Option<&Panels<S>>, tape: &mut Tape<S>) {
        let Step { isa, t, .. } = step;
        let [real, imaginary, ..] = &mut tape.kept;
        let (real_before, real) = real.split_at_mut(t);
        let middle = t.min(imaginary.len());
        let (imaginary_before, imaginary) = imaginary.split_at_mut(middle);
        let before = (&real_before[t - 1], imaginary_before.last());
        let own = self.real.eigenvalues.slice();
        let other = before.1.map(|of| (self.minus_imaginary.slice(), of.data()));
        let finish = Turn { terms: [Some((own, before.0.data())), other] };
        let terms = Terms::of(self.real.input.input(input));
        S::dispatch(isa, Product { terms: &terms, bias: None, out: &mut real[0], finish });
        if let (Some(part), Some(out), Some(of)) = (&self.imaginary, imaginary.first_mut(), before.1) {
            let other = (part.eigenvalues.slice(), before.0.data());
            let finish = Turn { terms: [Some((own, of.data())), Some(other)] };
            S::dispatch(isa, Product { terms: &Terms::of(part.input.input(input)), bias: None, out, finish });
        }
        if step.is_read() {
            let skip = self.skip.as_ref().and_then(|skip| skip.input(input));
            let imaginary = self.imaginary.as_ref().zip(imaginary.first()).map(|(part, of)| (of, &part.output));
            let terms = Terms::of([(&real[0], &self.real.output)]).and(imaginary).and(skip);
            squash(isa, self.activation, &terms, None, &mut tape.states[t]);
        }
    }

    fn backward(&self, step: Step, above: Terms<'_, S>, tape: &mut Tape<S>) {
        let [unit_deltas, real, imaginary, _] = &mut tape.deltas;
        let unit_deltas = &mut unit_deltas[step.slot()];
        if step.is_read() {
            slope(step.isa, self.activation, &above, tape.states[step.t].data(), unit_deltas);
        }
        let (real, later_real) = step.deltas(real);
        let own = self.real.eigenvalues.slice();
        let unit_deltas = step.is_read().then_some(&*unit_deltas);
        let turn = |out: &mut Panels<S>, part: &Part<S>, later: &Panels<S>, other: Option<(&[S], &Panels<S>)>| {
            let terms = Terms::of(unit_deltas.map(|deltas| (deltas, &part.output_backward)));
            let other = other.and_then(|(factors, of)| step.unless_last((factors, of.data())));
            let finish = Turn { terms: [step.unless_last((own, later.data())), other] };
            S::dispatch(step.isa, Product { terms: &terms, bias: None, out, finish });
        };
        match &self.imaginary {
            None => turn(real, &self.real, later_real, None),
            Some(part) => {
                let (imaginary, later_imaginary) = step.deltas(imaginary);
                turn(real, &self.real, later_real, Some((part.eigenvalues.slice(), later_imaginary)));
                turn(imaginary, part, later_imaginary, Some((self.minus_imaginary.slice(), later_real)));
            }
        }
    }

    fn below<'a>(&'a self, step: Step, tape: &'a Tape<S>) -> Terms<'a, S> {
        let [unit_deltas, real, imaginary, _] = &tape.deltas;
        let slot = step.slot();
        let imaginary = self.imaginary.as_ref().and_then(|part| part.input.below(&imaginary[slot]));
        let skip = self.skip.as_ref().filter(|_| step.is_read()).and_then(|skip| skip.below(&unit_deltas[slot]));
        Terms::of(self.real.input.below(&real[slot])).and(imaginary).and(skip)
    }

    fn accumulate(&self, block: &TimeBlock<'_, S>, tape: &Tape<S>, gradient: &mut [S]) {
        let [unit_deltas, real_deltas, imaginary_deltas, _] = &tape.deltas;
        let [real, imaginary, ..] = &tape.kept;
        self.real.accumulate(block, [unit_deltas, real_deltas, real], gradient);
        let mut dots = |place: &VectorPlace, deltas, modes, add, subtract| {
            let (left, right) = block.with_before(deltas, modes);
            S::dispatch(block.isa, ColumnDots { left, right, out: place.of_mut(gradient), add, subtract });
        };
        dots(&self.real.place, real_deltas, real, block.add, false);
        if let Some(part) = &self.imaginary {
            dots(&self.real.place, imaginary_deltas, imaginary, true, false);
            dots(&part.place, imaginary_deltas, real, block.add, false);
            dots(&part.place, real_deltas, imaginary, true, true);
            part.accumulate(block, [unit_deltas, imaginary_deltas, imaginary], gradient);
        }
        if let Some(skip) = &self.skip {
            let (left, right) = block.inputs_read(unit_deltas);
            let out = skip.place.of_mut(gradient);
            S::dispatch(block.isa, Outer { left, right, out, add: block.add_inputs });
        }
    }

    fn multiply_adds(&self, counts: StepCounts) -> usize {
        let Self { units, modes, inputs, .. } = *self;
        let parts = 1 + usize::from(self.imaginary.is_some());
        let times = if self.real.input.backward.is_some() { 3 } else { 2 };
        let skipped =
            if self.skip.is_some() { (counts.with_input + counts.read).saturating_sub(counts.all) } else { 0 };
        parts * modes * (3 * counts.read * units + times * counts.with_input * inputs)
            + times * skipped * inputs * units
    }
}

/// Adds the modes of the neighbouring time step, each times a number of its column.
struct Turn<'a, S> {
    terms: [Option<(&'a [S], &'a [S])>; 2],
}

impl<S: Real> Finish<S> for Turn<'_, S> {
    fn fits(&self, out: &Panels<S>) -> bool {
        let columns = padded(out.columns());
        self.terms.iter().flatten().all(|(by_column, side)| by_column.len() == columns && out.has_len_of(side))
    }

    #[inline(always)]
    unsafe fn apply<V: Lanes<Scalar = S>>(&mut self, mut sum: V, at: Place) -> V {
        for (by_column, side) in self.terms.iter().flatten() {
            // SAFETY: all fit the output.
            sum = unsafe { load_column::<V>(by_column, at).mul_add(load(side, at), sum) };
        }
        sum.without_negligible()
    }
}
