//! How two codes of the same contents differ: where their memories lie, and whether a rotation turns one into the other.

use super::circuit::{contents_from_outputs, read};
use super::examine::Examined;
use crate::code::{Contents, Product, right_signs};
use crate::memories::Angles;
use crate::numeric::{Matrix, NumericError, Svd};
use serde::Serialize;

/// How the codes of two networks differ that keep the same contents.
#[derive(Clone, Debug, Serialize)]
pub struct Codes {
    /// Contents that both keep.
    pub contents: usize,
    /// How the spaces of their memories lie to each other; nothing where the networks have different numbers of units.
    pub angles: Option<Angles>,
    /// How well a rotation turns the memories of one into those of the other.
    pub alignment: Alignment,
    /// Relative distance between the steps as they are written into the states and read back, not rounded to signs.
    pub written_step: Option<f64>,
    /// Largest distance between their eigenvalues under the best matching.
    pub spectrum: Option<f64>,
    /// Product memories of each, where f is a truth table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub products: Option<[Vec<Product>; 2]>,
    /// How each holds its contents.
    pub held: [HeldContents; 2],
}

/// How a network holds its contents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldContents {
    /// Contents.
    pub contents: usize,
    /// Directions that they are held in; fewer than contents where they are superposed.
    pub directions: usize,
    /// Condition number of the memories.
    pub condition: Option<f64>,
    /// Share of the variance of the states that they explain.
    pub explained: f64,
}

/// The rotation that brings one network's memories nearest to the other's.
#[derive(Clone, Debug, Serialize)]
pub struct Alignment {
    /// The angle that is left, in radians: 0 where a rotation and a scale make the codes one.
    pub angle: f64,
    /// Cosines between the rotated memories of the first network and those of the second.
    pub overlap: Overlap,
    /// Share of right signs that the first network's readers, rotated, read from the second one's states: on average and at worst.
    pub first_reads_second: Option<[f64; 2]>,
    /// The other way round.
    pub second_reads_first: Option<[f64; 2]>,
}

/// Cosines between two sets of memories.
#[derive(Clone, Debug, Serialize)]
pub struct Overlap {
    /// Mean between memories of the same content.
    pub same: f64,
    /// The largest between memories of different contents, without its sign.
    pub largest_other: f64,
    /// All of them: rows are memories of the first network, columns of the second.
    #[serde(skip)]
    pub cosines: Matrix,
    /// The same in the units as they are, where both networks have as many.
    #[serde(skip)]
    pub in_units: Option<Matrix>,
}

impl Codes {
    /// Nothing where one has no code or they keep different contents.
    pub(super) fn of(first: &Examined, second: &Examined, steps: &[usize]) -> Result<Option<Self>, NumericError> {
        let (Some(a), Some(b)) = (first.frame(), second.frame()) else { return Ok(None) };
        let (Some(of_a), Some(of_b)) = (&first.found.details.contents, &second.found.details.contents) else {
            return Ok(None);
        };
        let same = of_a.count() == of_b.count() && of_a.slots == of_b.slots && of_a.slots.is_some();
        if !same || a.memories.ncols() != of_a.count() || b.memories.ncols() != of_b.count() {
            return Ok(None);
        }
        let (Some(here), Some(there)) = (held(first), held(second)) else { return Ok(None) };
        let products = |of: &Examined| Some(of.found.code.as_ref()?.products.as_ref()?.largest.clone());
        Ok(Some(Self {
            contents: of_a.count(),
            angles: Angles::between(&a.memories, &b.memories)?,
            alignment: alignment((first, &a.memories, &a.readers), (second, &b.memories, &b.readers), of_a, steps)?,
            written_step: written_step(first, second),
            spectrum: spectra(first, second)?,
            products: products(first).zip(products(second)).map(|(a, b)| [a, b]),
            held: [here, there],
        }))
    }
}

fn held(of: &Examined) -> Option<HeldContents> {
    let code = of.found.code.as_ref()?;
    Some(HeldContents {
        contents: code.count,
        directions: code.directions,
        condition: code.condition,
        explained: code.explained,
    })
}

type Side<'a> = (&'a Examined, &'a Matrix, &'a Matrix);

fn alignment(a: Side<'_>, b: Side<'_>, contents: &Contents, steps: &[usize]) -> Result<Alignment, NumericError> {
    let (first, memories_a, readers_a) = a;
    let (second, memories_b, readers_b) = b;
    let found = Svd::of(&(memories_b * memories_a.transpose()))?;
    let size = memories_a.norm_l2() * memories_b.norm_l2();
    let cosine = found.values.iter().sum::<f64>() / size.max(f64::MIN_POSITIVE);
    let rotation = &found.left * found.right.transpose();
    let cosines = cosines(&(&rotation * memories_a), memories_b);
    let count = cosines.nrows();
    let mut largest_other = 0.0f64;
    for i in 0..count {
        (0..count).filter(|j| *j != i).for_each(|j| largest_other = largest_other.max(cosines[(i, j)].abs()));
    }
    let overlap = Overlap {
        same: (0..count).map(|i| cosines[(i, i)]).sum::<f64>() / count.max(1) as f64,
        largest_other,
        in_units: (memories_a.nrows() == memories_b.nrows()).then(|| self::cosines(memories_a, memories_b)),
        cosines,
    };
    // Signs alone survive a code that is rotated but not the same.
    let signs = contents.are_signs();
    let reads = |readers: Matrix, of: &Examined, theirs: &Contents| {
        let shares = right_signs(&read(of, theirs, &readers, steps), &contents_from_outputs(of, theirs, steps));
        let mean = shares.iter().sum::<f64>() / shares.len().max(1) as f64;
        [mean, shares.iter().copied().fold(1.0, f64::min)]
    };
    let theirs = |of: &Examined| of.found.details.contents.clone().filter(|_| signs);
    Ok(Alignment {
        angle: cosine.clamp(-1.0, 1.0).acos(),
        overlap,
        first_reads_second: theirs(second).map(|held| reads(readers_a * rotation.transpose(), second, &held)),
        second_reads_first: theirs(first).map(|held| reads(readers_b * &rotation, first, &held)),
    })
}

fn cosines(a: &Matrix, b: &Matrix) -> Matrix {
    let length = |of: &Matrix, j: usize| of.col(j).squared_norm_l2().sqrt().max(f64::MIN_POSITIVE);
    let products = a.transpose() * b;
    Matrix::from_fn(a.ncols(), b.ncols(), |i, j| products[(i, j)] / (length(a, i) * length(b, j)))
}

/// The steps as the interpretations found them by writing contents into states, or in recordings.
fn written_step(first: &Examined, second: &Examined) -> Option<f64> {
    let step = |of: &Examined| {
        let code =
            of.found.details.memories.iter().find(|memories| memories.method == crate::memories::Method::Code)?;
        Some(code.remainder.as_ref()?.phi_learned())
    };
    let (a, b) = (step(first)?, step(second)?);
    let size = (a.squared_norm_l2() + b.squared_norm_l2()).sqrt();
    ((a.nrows(), a.ncols()) == (b.nrows(), b.ncols())).then(|| (&a - &b).norm_l2() / size.max(f64::MIN_POSITIVE))
}

fn spectra(first: &Examined, second: &Examined) -> Result<Option<f64>, NumericError> {
    let (Some(a), Some(b)) = (&first.circuit, &second.circuit) else { return Ok(None) };
    let (Some(a), Some(b)) = (a.eigenvalues()?, b.eigenvalues()?) else { return Ok(None) };
    if a.len() != b.len() {
        return Ok(None);
    }
    let apart = |i: usize, j: usize| (a[i] - b[j]).norm_sqr().sqrt();
    let matched = crate::numeric::assignment(a.len(), |i, j| apart(i, j).powi(2));
    Ok(Some(matched.iter().enumerate().map(|(i, &j)| apart(i, j)).fold(0.0, f64::max)))
}
