//! Contents that ride on others.

use super::CodeParams;
use super::sharing::Shared;
use crate::ranges::ranges;
use crate::task::Component;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A component that rides on another one: one direction carries both, as four levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rider {
    /// The component, from 1.
    pub component: usize,
    /// The variables in which it rides, rising.
    pub variables: Vec<usize>,
    /// The component it rides on, from 1.
    pub host: usize,
    /// How many variables further (newer) the host sits.
    pub host_offset: isize,
    /// Whether it rides with the opposite sign.
    pub inverted: bool,
    /// Its amplitude relative to its host's, on average.
    pub amplitude: f64,
    /// Least gap between the four levels, in standard deviations of the widest.
    pub separation: f64,
}

impl std::fmt::Display for Rider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let offset = match self.host_offset {
            0 => String::new(),
            1 => ", 1 variable newer,".into(),
            -1 => ", 1 variable older,".into(),
            offset if offset > 0 => format!(", {offset} variables newer,"),
            offset => format!(", {} variables older,", -offset),
        };
        let inverted = match (self.inverted, self.host_offset) {
            (true, 0) => ", inverted,",
            (true, _) => " inverted,",
            (false, _) => "",
        };
        let several = if self.variables.len() == 1 { "" } else { "s" };
        write!(
            f,
            "u{} in variable{several} {} rides on u{}{offset}{inverted} at {:.2} of its amplitude: four levels on one direction",
            self.component,
            ranges(&self.variables),
            self.host,
            self.amplitude
        )
    }
}

/// Component, host, offset of the host, inverted.
type Pairing = (usize, usize, isize, bool);

/// Variable, relative amplitude, separation.
type Seat = (usize, f64, f64);

/// Riders among the contents that are not read linearly, grouped by component and host; and what rides on no single host.
pub(super) fn riders(
    code: &Shared<'_>,
    unread: &[usize],
    named: &impl Fn(usize) -> Component,
    params: &CodeParams,
) -> (Vec<Rider>, Vec<Component>) {
    let size = |i: usize| code.lengths[i];
    let mut groups: BTreeMap<Pairing, Vec<Seat>> = BTreeMap::new();
    let mut spread = vec![];
    for &i in unread {
        let others = (0..code.memories.ncols()).filter(|&j| j != i);
        let (host, alike) = others
            .map(|j| (j, code.cosines[(i, j)]))
            .fold((i, 0.0f64), |best, next| if next.1.abs() > best.1.abs() { next } else { best });
        if alike.abs() < params.rides {
            spread.push(i);
        } else if size(i) < size(host) {
            let separation = separation(code, i, host);
            if separation >= params.separation {
                let (me, it) = (named(i), named(host));
                let offset = it.variable as isize - me.variable as isize;
                let key = (me.component, it.component, offset, alike < 0.0);
                groups.entry(key).or_default().push((me.variable, size(i) / size(host), separation));
            } else {
                spread.push(i);
            }
        }
        // The larger of the two is a host itself; it is listed with its rider.
    }
    let riders = groups.into_iter().map(|((component, host, host_offset, inverted), mut rows)| {
        rows.sort_by_key(|row| row.0);
        Rider {
            component,
            host,
            host_offset,
            inverted,
            amplitude: rows.iter().map(|row| row.1).sum::<f64>() / rows.len() as f64,
            separation: rows.iter().map(|row| row.2).fold(f64::INFINITY, f64::min),
            variables: rows.into_iter().map(|row| row.0).collect(),
        }
    });
    (riders.collect(), spread.into_iter().map(named).collect())
}

/// How far the four levels of a shared direction lie apart, everything else taken out of the states.
fn separation(code: &Shared<'_>, rider: usize, host: usize) -> f64 {
    let direction = code.memories.col_as_slice(host);
    let length = code.lengths[host].max(f64::MIN_POSITIVE);
    let shared = |j: usize| if j == rider || j == host { 0.0 } else { code.cosines[(j, host)] * code.lengths[j] };
    let along: Vec<f64> = (0..code.memories.ncols()).map(shared).collect();
    let mut levels: [Vec<f64>; 4] = Default::default();
    for k in 0..code.fresh.states.ncols() {
        let (state, truth) = (code.fresh.states.col_as_slice(k), code.fresh.contents.col_as_slice(k));
        let whole: f64 = state.iter().zip(direction).map(|(h, e)| h * e).sum::<f64>() / length;
        let others: f64 = along.iter().zip(truth).map(|(e, v)| e * v).sum();
        let level = 2 * usize::from(truth[host] > 0.0) + usize::from(truth[rider] > 0.0);
        levels[level].push(whole - others);
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let spread = |values: &[f64]| {
        let middle = mean(values);
        (values.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    };
    if levels.iter().any(Vec::is_empty) {
        return 0.0;
    }
    let mut means: Vec<f64> = levels.iter().map(|values| mean(values)).collect();
    means.sort_by(f64::total_cmp);
    let gap = means.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    gap / levels.iter().map(|values| spread(values)).fold(f64::MIN_POSITIVE, f64::max)
}
