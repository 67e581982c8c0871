//! A diagonal linear state-space layer, as in S4D, S5 and LRU, in discrete time: `x' = lambda x + B u`, complex or real, and
//! `h' = act(Re(C x') + D u)`. The state is h, the real parts of x, then the imaginary ones.

use super::{About, Cell, Family, Layer, Parameter, ParameterMut, PartKind};
use crate::network::dynamics::Jacobians;
use crate::network::initialize::{Draw, Place};
use crate::network::layers::{LayerTensors, Read};
use crate::network::{Activation, Architecture, NetworkError};
use crate::numeric::c64;
use crate::random::{Purpose, Stream};
use faer::prelude::{Reborrow as _, ReborrowMut as _};
use faer::{Accum, Mat, MatMut, MatRef, Par, linalg::matmul::matmul};
use std::f64::consts::TAU;

/// Smallest and largest modulus of a random eigenvalue.
const RING: (f64, f64) = (0.9, 0.999);

/// A linear state-space layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Ssm {
    /// What becomes of its outputs; the state itself stays linear.
    pub activation: Activation,
    /// Eigenvalues, input and output map: real parts.
    pub real: Modes,
    /// Imaginary parts; nothing where all is real.
    pub imaginary: Option<Modes>,
    /// H x inputs: what goes past the state.
    #[doc(alias = "D")]
    pub skip: Option<Mat<f64>>,
}

/// The real or imaginary parts of a state-space layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// Of the diagonal, one a mode.
    #[doc(alias = "lambda")]
    pub eigenvalues: Vec<f64>,
    /// Modes x inputs.
    #[doc(alias = "B")]
    pub input: Mat<f64>,
    /// H x modes.
    #[doc(alias = "C")]
    pub output: Mat<f64>,
}

impl Ssm {
    pub(super) const ABOUT: About = About {
        name: "ssm",
        explained: "ssm (diagonal linear state space)",
        title: "state-space",
        layer: "state-space layer",
        noun: "state-space network",
        whole_state: Some("(h, x)"),
        gates: &[],
        family: Family::Modes,
        usually_biased: false,
        usual_activation: Activation::Identity,
        written: Err("its state is linear and has no gates or units to write a new circuit in"),
        settings: &[],
    };

    /// Complex modes in a ring inside the unit circle, as many as units.
    pub(super) fn random(of: &Architecture, inputs: usize, draw: &Draw<'_>) -> Self {
        let (modes, uniform) = (of.hidden, draw.uniform(Place::Recurrent, 2 * of.hidden));
        let (least, most) = (RING.0 * RING.0, RING.1 * RING.1);
        let squared = |k: usize| least + (most - least) * uniform[k];
        let polar = |k: usize| (squared(k).sqrt(), TAU * uniform[modes + k]);
        let round = |x: f64| f64::from(x as f32);
        let (b, c) = (draw.normal(Place::Input, 2 * modes * inputs), draw.normal(Place::Output, 2 * of.hidden * modes));
        let part = |which: usize| Modes {
            eigenvalues: (0..modes).map(|k| round(polar(k).0 * [f64::cos, f64::sin][which](polar(k).1))).collect(),
            // So that a mode is as large in the long run as its input.
            input: Mat::from_fn(modes, inputs, |k, j| {
                let scale = ((1.0 - squared(k)) / (2 * inputs) as f64).sqrt();
                round(scale * b[(which * modes + k) * inputs + j])
            }),
            output: Mat::from_fn(of.hidden, modes, |i, k| {
                round(c[(which * of.hidden + i) * modes + k] / (modes as f64).sqrt())
            }),
        };
        Self { activation: of.activation, real: part(0), imaginary: Some(part(1)), skip: None }
    }

    /// Whether a layer's tensors are those of a state-space layer.
    pub(super) fn is_in(from: &LayerTensors<'_>) -> Result<bool, NetworkError> {
        Ok(from.maybe(&[REAL[0]])?.is_some())
    }

    pub(super) fn read<'a>(from: &LayerTensors<'a>, activation: Activation) -> Result<Read<'a>, NetworkError> {
        let mut used = vec![];
        let mut part = |names: [&'static str; 3]| -> Result<Modes, NetworkError> {
            let [lambda, b, c] = [from.find(&names[..1])?, from.find(&names[1..2])?, from.find(&names[2..])?];
            used.extend([lambda, b, c]);
            Ok(Modes { eigenvalues: from.values(lambda), input: from.matrix(b)?, output: from.matrix(c)? })
        };
        let real = part(REAL)?;
        let complex = from.maybe(&[IMAGINARY[0]])?.is_some();
        let imaginary = if complex { Some(part(IMAGINARY)?) } else { None };
        let skip = from.maybe(&["D"])?;
        used.extend(skip);
        let cell = Self { activation, real, imaginary, skip: skip.map(|name| from.matrix(name)).transpose()? };
        // Other methods index one part by the sizes of the other.
        let wrong = cell.parameters().into_iter().zip(cell.shapes()).find(|((_, of), needed)| of.shape() != *needed);
        if let Some(((name, of), expected)) = wrong {
            return Err(NetworkError::Shape { name: from.name(name), found: of.shape(), expected });
        }
        Ok((Cell::Ssm(cell), used))
    }

    /// How many modes there are.
    pub fn modes(&self) -> usize {
        self.real.eigenvalues.len()
    }

    /// The diagonal.
    pub fn eigenvalues(&self) -> Vec<c64> {
        let imaginary = |k: usize| self.imaginary.as_ref().map_or(0.0, |part| part.eigenvalues[k]);
        self.real.eigenvalues.iter().enumerate().map(|(k, &re)| c64::new(re, imaginary(k))).collect()
    }

    fn slopes(&self, state: &[f64], input: &[f64]) -> Vec<f64> {
        let next = crate::network::dynamics::one_step(self, state, input);
        next[..self.units()].iter().map(|&value| self.activation.slope_at_value(value)).collect()
    }
}

impl Layer for Ssm {
    fn units(&self) -> usize {
        self.real.output.nrows()
    }

    fn beside_units(&self) -> Vec<(PartKind, usize)> {
        let imaginary = self.imaginary.as_ref().map(|_| (PartKind::Imaginary, self.modes()));
        [(PartKind::Real, self.modes())].into_iter().chain(imaginary).collect()
    }

    fn inputs(&self) -> usize {
        self.real.input.ncols()
    }

    fn step_into(&self, state: MatRef<'_, f64>, input: Option<MatRef<'_, f64>>, next: MatMut<'_, f64>) {
        let (units, modes, real) = (self.units(), self.modes(), &self.real);
        let (mut h, mut x) = next.split_at_row_mut(units);
        let before = state.subrows(units, state.nrows() - units);
        for j in 0..x.ncols() {
            for k in 0..modes {
                let re = before[(k, j)];
                x[(k, j)] = real.eigenvalues[k] * re;
                if let Some(imaginary) = &self.imaginary {
                    let im = before[(modes + k, j)];
                    x[(k, j)] -= imaginary.eigenvalues[k] * im;
                    x[(modes + k, j)] = imaginary.eigenvalues[k] * re + real.eigenvalues[k] * im;
                }
            }
        }
        let add = |to: MatMut<'_, f64>, weights: &Mat<f64>, of: MatRef<'_, f64>, how, factor| {
            matmul(to, how, weights.as_ref(), of, factor, Par::Seq);
        };
        if let Some(input) = input {
            add(x.rb_mut().subrows_mut(0, modes), &real.input, input, Accum::Add, 1.0);
            if let Some(imaginary) = &self.imaginary {
                add(x.rb_mut().subrows_mut(modes, modes), &imaginary.input, input, Accum::Add, 1.0);
            }
        }
        add(h.rb_mut(), &real.output, x.rb().subrows(0, modes), Accum::Replace, 1.0);
        if let Some(imaginary) = &self.imaginary {
            add(h.rb_mut(), &imaginary.output, x.rb().subrows(modes, modes), Accum::Add, -1.0);
        }
        if let (Some(skip), Some(input)) = (&self.skip, input) {
            add(h.rb_mut(), skip, input, Accum::Add, 1.0);
        }
        for j in 0..h.ncols() {
            let Some(column) = h.rb_mut().col_mut(j).try_as_col_major_mut() else { continue };
            self.activation.apply_in_place(column.as_slice_mut());
        }
    }

    fn jacobians(&self, state: &[f64], input: &[f64]) -> Jacobians {
        let (units, modes, size) = (self.units(), self.modes(), self.state_size());
        let (real, imaginary) = (&self.real, self.imaginary.as_ref());
        let lambda = self.eigenvalues();
        let mut by_state = Mat::zeros(size, size);
        let mut by_input = Mat::zeros(size, self.inputs());
        for k in 0..modes {
            by_state[(units + k, units + k)] = lambda[k].re;
            (0..self.inputs()).for_each(|j| by_input[(units + k, j)] = real.input[(k, j)]);
            if let Some(imaginary) = imaginary {
                let other = units + modes + k;
                by_state[(units + k, other)] = -lambda[k].im;
                by_state[(other, units + k)] = lambda[k].im;
                by_state[(other, other)] = lambda[k].re;
                (0..self.inputs()).for_each(|j| by_input[(other, j)] = imaginary.input[(k, j)]);
            }
        }
        let read = Mat::from_fn(units, size - units, |i, k| match imaginary {
            Some(imaginary) if k >= modes => -imaginary.output[(i, k - modes)],
            _ => real.output[(i, k)],
        });
        let slopes = self.slopes(state, input);
        let (to_h, mut to_h_by_input) =
            (&read * by_state.subrows(units, size - units), &read * by_input.subrows(units, size - units));
        if let Some(skip) = &self.skip {
            to_h_by_input += skip;
        }
        for (i, slope) in slopes.iter().enumerate() {
            (0..size).for_each(|j| by_state[(i, j)] = slope * to_h[(i, j)]);
            (0..self.inputs()).for_each(|j| by_input[(i, j)] = slope * to_h_by_input[(i, j)]);
        }
        Jacobians { state: by_state, input: by_input }
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        fn part<'a>([lambda, b, c]: [&'static str; 3], modes: &'a Modes) -> [(&'static str, Parameter<'a>); 3] {
            let Modes { eigenvalues, input, output } = modes;
            [(lambda, Parameter::Vector(eigenvalues)), (b, Parameter::Matrix(input)), (c, Parameter::Matrix(output))]
        }
        let mut all = part(REAL, &self.real).to_vec();
        all.extend(self.imaginary.iter().flat_map(|modes| part(IMAGINARY, modes)));
        all.extend(self.skip.as_ref().map(|skip| ("D", Parameter::Matrix(skip))));
        all
    }

    fn parameters_mut(&mut self) -> Vec<(&'static str, ParameterMut<'_>)> {
        fn part<'a>([lambda, b, c]: [&'static str; 3], modes: &'a mut Modes) -> [(&'static str, ParameterMut<'a>); 3] {
            let Modes { eigenvalues, input, output } = modes;
            [
                (lambda, ParameterMut::Vector(eigenvalues)),
                (b, ParameterMut::Matrix(input)),
                (c, ParameterMut::Matrix(output)),
            ]
        }
        let mut all: Vec<_> = part(REAL, &mut self.real).into();
        all.extend(self.imaginary.iter_mut().flat_map(|modes| part(IMAGINARY, modes)));
        all.extend(self.skip.as_mut().map(|skip| ("D", ParameterMut::Matrix(skip))));
        all
    }

    fn shapes(&self) -> Vec<Vec<usize>> {
        let (units, modes, inputs) = (self.units(), self.modes(), self.inputs());
        let part = || [vec![modes], vec![modes, inputs], vec![units, modes]];
        let mut all: Vec<_> = part().into();
        all.extend(self.imaginary.iter().flat_map(|_| part()));
        all.extend(self.skip.as_ref().map(|_| vec![units, inputs]));
        all
    }

    fn activation(&self) -> Option<Activation> {
        Some(self.activation)
    }

    /// The order of eigenvalues does not matter to what modes hold, so their phases are drawn anew; a real one keeps or
    /// changes its sign.
    fn scramble(&mut self, seed: u64) {
        let mut draws = vec![0.0; self.modes()];
        Stream::new(seed, Purpose::Matrices).fill_uniform(9, 1, &mut draws);
        for (k, draw) in draws.into_iter().enumerate() {
            let re = self.real.eigenvalues[k];
            match &mut self.imaginary {
                Some(imaginary) => {
                    let (im, (sin, cos)) = (imaginary.eigenvalues[k], (TAU * draw).sin_cos());
                    self.real.eigenvalues[k] = re * cos - im * sin;
                    imaginary.eigenvalues[k] = re * sin + im * cos;
                }
                None => self.real.eigenvalues[k] = if draw < 0.5 { re } else { -re },
            }
        }
    }

    fn is_odd(&self) -> bool {
        self.activation.is_odd()
    }
}

/// Names of the real parts: eigenvalues, input map, output map.
const REAL: [&str; 3] = ["lambda_re", "B_re", "C_re"];
/// Names of the imaginary parts.
const IMAGINARY: [&str; 3] = ["lambda_im", "B_im", "C_im"];
