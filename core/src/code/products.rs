//! Product memories: what a state holds beside its contents.
//!
//! Any function of contents of +-1 is a sum of their products, so that `h = mean + sum Psi_k v_k + sum Psi_kl v_k v_l + ...`
//! says everything that a state can hold of them. How far one has to go is found on fresh states.

use super::{Code, CodeParams, ContentKind, Contents, Directions, Judged, Sample, products_of};
use crate::numeric::{NumericError, for_each_subset, subset_count};
use crate::task::Component;
use serde::{Deserialize, Serialize};

/// The most contents that are multiplied.
const MOST_TOGETHER: usize = 5;
/// Columns that a product needs to be fitted.
const COLUMNS_EACH: usize = 4;
/// Products that are reported, at most.
const REPORTED: usize = 16;

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
        fitted: &Sample,
        fresh: &Sample,
        contents: &Contents,
        params: &CodeParams,
    ) -> Result<Self, NumericError> {
        let code = Code::fit(fitted, Directions::Own, params)?;
        let alone = code.judge(fresh);
        let mut by_degree = vec![alone.explained];
        let (count, mut members) = (contents.count(), vec![]);
        for degree in 2..=MOST_TOGETHER.min(count) {
            let mut wider = members.clone();
            let before = by_degree[by_degree.len() - 1];
            if 1.0 - before < params.products_left_over
                || !push_subsets(count, degree, room(fitted, params), &mut wider)
            {
                break;
            }
            let explained = explained(fitted, fresh, &wider, params)?;
            if explained < before {
                break;
            }
            by_degree.push(explained);
            members = wider;
        }
        let largest = largest(fitted, fresh, &members, contents, params)?;
        let judged = Judged { explained: by_degree[by_degree.len() - 1], ..alone };
        Ok(Self { code, judged, products: Products { members, by_degree, largest } })
    }
}

/// Share of the variance of fresh states that contents and their products of two explain; nothing where there are too many.
pub fn explained_with_pairs(fitted: &Sample, fresh: &Sample, params: &CodeParams) -> Result<Option<f64>, NumericError> {
    let (count, mut pairs) = (fitted.contents.nrows(), vec![]);
    let few = count >= 2 && push_subsets(count, 2, room(fitted, params), &mut pairs);
    few.then(|| explained(fitted, fresh, &pairs, params)).transpose()
}

/// How many products can be fitted.
fn room(fitted: &Sample, params: &CodeParams) -> usize {
    params.most_products.min(fitted.len() / COLUMNS_EACH)
}

fn explained(
    fitted: &Sample,
    fresh: &Sample,
    products: &[Vec<usize>],
    params: &CodeParams,
) -> Result<f64, NumericError> {
    let memories = fitted.with_products(products).memories(params.ridge)?;
    Ok(fresh.with_products(products).explained_by(&memories))
}

/// The products that make up most of the variance, and how well they are read.
fn largest(
    fitted: &Sample,
    fresh: &Sample,
    members: &[Vec<usize>],
    contents: &Contents,
    params: &CodeParams,
) -> Result<Vec<Product>, NumericError> {
    if members.is_empty() {
        return Ok(vec![]);
    }
    let (sample, count) = (fitted.with_products(members), contents.count());
    let (memories, held) = (sample.memories(params.ridge)?, sample.deviations());
    let all = sample.states.squared_norm_l2().max(f64::MIN_POSITIVE);
    let share = |i: usize| {
        let size = memories.col(count + i).squared_norm_l2();
        (i, size * held.row(count + i).squared_norm_l2() / all)
    };
    let mut shares: Vec<(usize, f64)> =
        (0..members.len()).map(share).filter(|(_, share)| *share > params.product_share).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares.truncate(REPORTED);
    let chosen: Vec<Vec<usize>> = shares.iter().map(|&(i, _)| members[i].clone()).collect();
    let products = |of: &Sample| of.with_contents(products_of(&of.contents, &chosen), ContentKind::Sign);
    let read = products(fresh).read_by(&products(fitted).readers(params.ridge)?);
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
