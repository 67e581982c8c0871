//! Product memories: what a state holds beside its contents.
//!
//! Any function of contents of +-1 is a sum of their products, so that `h = mean + sum Psi_k v_k + sum Psi_kl v_k v_l + ...`
//! says everything that a state can hold of them. How far one has to go is found on fresh states.

use super::{Code, CodeParams, Contents, Judged, Sample, centre, memories, products_of, readers, right_signs};
use crate::numeric::{Matrix, NumericError, Svd, for_each_subset, stacked, subset_count};
use crate::task::Component;
use serde::{Deserialize, Serialize};

/// The most contents that are multiplied.
const MOST_TOGETHER: usize = 5;
/// Columns that a product needs to be fitted.
const COLUMNS_EACH: usize = 4;
/// Products that are reported, at most.
const REPORTED: usize = 16;

/// States with the signs that they hold, one column each; the mean of every time step is taken off the states.
#[derive(Clone, Debug)]
pub struct SignedStates {
    /// Units x columns.
    pub states: Matrix,
    /// Contents x columns, +-1.
    pub signs: Matrix,
    /// Columns of one time step; they stand together.
    pub episodes: usize,
}

/// Rows with the mean of every time step taken off.
pub(crate) fn centred_by_step(rows: &Matrix, episodes: usize) -> Matrix {
    let mut all = rows.clone();
    for first in (0..rows.ncols()).step_by(episodes.max(1)) {
        let mut step = rows.subcols(first, episodes).to_owned();
        centre(&mut step);
        all.subcols_mut(first, episodes).copy_from(&step);
    }
    all
}

impl SignedStates {
    /// The states beside contents and products, the mean of each taken off.
    fn sample(&self, products: &[Vec<usize>]) -> Sample {
        let all = stacked(&self.signs, &products_of(&self.signs, products));
        Sample { states: self.states.clone(), contents: centred_by_step(&all, self.episodes), episodes: self.episodes }
    }
}

/// One product that a state holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Product {
    /// The contents that are multiplied.
    pub of: Vec<Component>,
    /// The share of the states' variance that it is.
    pub share: f64,
    /// Share of right signs when it is read linearly from fresh states.
    pub read: f64,
}

/// The products that states hold beside their contents.
#[derive(Clone, Debug)]
pub struct Products {
    /// The contents (by their number) that are multiplied, the fewest first.
    pub members: Vec<Vec<usize>>,
    /// Share of the variance of fresh states that contents explain, then with products of two, of three, and so on.
    pub by_degree: Vec<f64>,
    /// The largest products.
    pub largest: Vec<Product>,
}

/// A code whose contents are not independent of one another, with its products, judged on fresh states.
pub struct ProductCode {
    /// The code of the contents alone.
    pub code: Code,
    /// What fresh states say of contents and products together.
    pub judged: Judged,
    /// The products.
    pub products: Products,
}

impl ProductCode {
    /// Fits contents, then products of two, of three and so on, as long as fresh states are explained better.
    pub fn fit(
        fitted: &SignedStates,
        fresh: &SignedStates,
        contents: &Contents,
        params: &CodeParams,
    ) -> Result<Self, NumericError> {
        let (alone, alone_fresh) = (fitted.sample(&[]), fresh.sample(&[]));
        let code = Code::fit_beside_products(&alone, params)?;
        let mut by_degree = vec![code.judge(&alone_fresh, true).explained];
        let (count, mut members) = (contents.count(), vec![]);
        for degree in 2..=MOST_TOGETHER.min(count) {
            let mut wider = members.clone();
            let room = params.most_products.min(fitted.signs.ncols() / COLUMNS_EACH);
            let before = by_degree[by_degree.len() - 1];
            if 1.0 - before < params.products_left_over || !push_subsets(count, degree, room, &mut wider) {
                break;
            }
            let explained = explained(fitted, fresh, &wider, params)?;
            if explained < before {
                break;
            }
            by_degree.push(explained);
            members = wider;
        }
        let read = read(&code, fresh);
        let largest = largest(fitted, fresh, &members, contents, params)?;
        let judged = Judged { explained: by_degree[by_degree.len() - 1], read };
        Ok(Self { code, judged, products: Products { members, by_degree, largest } })
    }
}

/// What contents, and products of two, say of the states of one moment.
pub struct MomentFit {
    /// Share of the variance of fresh states that contents explain.
    pub explained: f64,
    /// The same with products of two; nothing where there are too many.
    pub with_products: Option<f64>,
    /// The content that is read worst, by the regression of contents on states.
    pub worst: f64,
    /// Condition number of the memories.
    pub condition: f64,
}

/// Looks at the states of one moment; contents may depend on one another.
pub fn at_a_moment(
    fitted: &SignedStates,
    fresh: &SignedStates,
    params: &CodeParams,
) -> Result<MomentFit, NumericError> {
    let (sample, judged) = (fitted.sample(&[]), fresh.sample(&[]));
    let alone = memories(&sample, params.ridge)?;
    let mut pairs = vec![];
    let room = params.most_products.min(fitted.signs.ncols() / COLUMNS_EACH);
    let few = fitted.signs.nrows() >= 2 && push_subsets(fitted.signs.nrows(), 2, room, &mut pairs);
    let with_products = if few { Some(explained(fitted, fresh, &pairs, params)?) } else { None };
    let found = readers(&sample, params.ridge)? * &fresh.states + (&fresh.signs - &judged.contents);
    let worst = right_signs(&found, &fresh.signs).into_iter().fold(1.0, f64::min);
    let condition = Svd::of(&alone)?.condition();
    Ok(MomentFit { explained: super::explained(&alone, &judged), with_products, worst, condition })
}

/// Share of right signs of each content, read from fresh states.
pub fn read(code: &Code, fresh: &SignedStates) -> Vec<f64> {
    let centred = centred_by_step(&fresh.signs, fresh.episodes);
    // What is read is a deviation: the mean is put back.
    let found = &code.readers * &fresh.states + (&fresh.signs - centred);
    right_signs(&found, &fresh.signs)
}

fn explained(
    fitted: &SignedStates,
    fresh: &SignedStates,
    products: &[Vec<usize>],
    params: &CodeParams,
) -> Result<f64, NumericError> {
    let memories = memories(&fitted.sample(products), params.ridge)?;
    Ok(super::explained(&memories, &fresh.sample(products)))
}

/// The products that make up most of the variance, and how well they are read.
fn largest(
    fitted: &SignedStates,
    fresh: &SignedStates,
    members: &[Vec<usize>],
    contents: &Contents,
    params: &CodeParams,
) -> Result<Vec<Product>, NumericError> {
    if members.is_empty() {
        return Ok(vec![]);
    }
    let (sample, count) = (fitted.sample(members), contents.count());
    let memories = memories(&sample, params.ridge)?;
    let all = sample.states.squared_norm_l2().max(f64::MIN_POSITIVE);
    let share = |i: usize| {
        let size = memories.col(count + i).squared_norm_l2();
        (i, size * sample.contents.row(count + i).squared_norm_l2() / all)
    };
    let mut shares: Vec<(usize, f64)> =
        (0..members.len()).map(share).filter(|(_, share)| *share > params.product_share).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares.truncate(REPORTED);
    let chosen: Vec<Vec<usize>> = shares.iter().map(|&(i, _)| members[i].clone()).collect();
    let products = |of: &SignedStates| {
        let rows = products_of(&of.signs, &chosen);
        Sample { states: of.states.clone(), contents: centred_by_step(&rows, of.episodes), episodes: of.episodes }
    };
    let (rows, known) = (products_of(&fresh.signs, &chosen), products(fresh).contents);
    let found = readers(&products(fitted), params.ridge)? * &fresh.states + (&rows - known);
    let read = right_signs(&found, &rows);
    let named = |members: &Vec<usize>| members.iter().filter_map(|&i| contents.named(i)).collect();
    Ok(shares.iter().zip(&read).map(|(&(i, share), &read)| Product { of: named(&members[i]), share, read }).collect())
}

/// Adds every choice of `size` among `count`, if they fit into `room` with what is there; nothing otherwise.
fn push_subsets(count: usize, size: usize, room: usize, into: &mut Vec<Vec<usize>>) -> bool {
    if into.len() as f64 + subset_count(count, size) > room as f64 {
        return false;
    }
    for_each_subset(count, size, |choice| into.push(choice.to_vec()));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_products_are_left_out_as_a_whole() {
        let mut all = vec![];
        assert!(push_subsets(5, 3, 10, &mut all) && all.len() == 10);
        assert!(!push_subsets(5, 2, 19, &mut all) && all.len() == 10);
    }
}
