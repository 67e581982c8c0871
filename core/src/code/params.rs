//! How a code is fitted and judged.

use super::ContentsParams;
use serde::{Deserialize, Serialize};

/// How a code is fitted and judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CodeParams {
    /// Which contents are asked for, and for how long.
    pub contents: ContentsParams,
    /// Ridge of the memories, relative to the mean second moment of the contents.
    pub ridge: f64,
    /// Least variance that a unit is taken to have beside the code, as a share of the mean variance of all units.
    pub floor: f64,
    /// As a share of its own variance instead: recorded units may be of any kind, and loud ones must not hide the others.
    pub floor_by_unit: bool,
    /// Signal to noise (in variances) from which on a direction of the code counts.
    pub direction: f64,
    /// A content is read from this share of right signs on.
    pub read: f64,
    /// A real-valued content is read if its values are missed by at most this share of their size.
    pub missed: f64,
    /// A row of the step matrix is right if no entry misses by more than this.
    pub row: f64,
    /// Random contents that are written into states, at least, and for each content.
    pub writings: (usize, usize),
    /// Settled output steps between one on which a code is judged and the next, that one counted.
    pub judged_every: usize,
    /// Output steps that the control's code is fitted and judged on, after it has settled; not a multiple of s, after which
    /// repeat copy holds the same contents again.
    pub control_steps: usize,
    /// Episodes that a code is fitted on where f is a truth table, and as many that it is judged on.
    pub table_episodes: usize,
    /// Output steps of those.
    pub table_steps: usize,
    /// The output step whose code is looked at by itself, for cells whose code may change with time.
    pub moment: usize,
    /// Episodes for that, at least, and for each content.
    pub moment_episodes: (usize, usize),
    /// Episodes for that where f is a truth table.
    pub table_moment_episodes: usize,
    /// Damping of what the code leaves over, relative to its mean, when contents are read as signs.
    pub noise_floor: f64,
    /// Contents whose memories have a larger cosine are also flipped together when they are read as signs.
    pub coupled: f64,
    /// A rider's cosine with its host is at least this.
    pub rides: f64,
    /// Least gap between the four levels of a shared direction, in standard deviations of the widest.
    pub separation: f64,
    /// Most sweeps over the contents when they are read as signs.
    pub sweeps: usize,
    /// States that are read as signs, at most.
    pub sign_states: usize,
    /// Products of contents that are looked for in a state, at most.
    pub most_products: usize,
    /// Products of one more content are looked for while those of fewer leave over at least this share of the variance.
    pub products_left_over: f64,
    /// A product that makes up no more than this share of the variance is not reported.
    pub product_share: f64,
    /// Recordings are cross-validated in so many folds.
    pub folds: usize,
    /// Times that the episodes of a recording are shuffled.
    pub null_draws: usize,
    /// Contents are in recorded states if they explain them this many standard deviations better than those of other episodes.
    pub stands_out: f64,
    /// Under noise a direction of the code counts from this many times the strength that chance gives it.
    pub significant: f64,
    /// What the code leaves over is no noise, but something else that is held, if more than this share of it comes back. Few
    /// episodes leave over some of the contents themselves.
    pub left_over_returns: f64,
    /// Where the step matrix is right, what comes back of what the code leaves over may be this share of what contents explain.
    pub structured: f64,
    /// Steps later that are looked at, at most.
    pub noise_lags: usize,
}

impl Default for CodeParams {
    fn default() -> Self {
        Self {
            contents: ContentsParams::default(),
            ridge: 1e-6,
            floor: 1e-6,
            floor_by_unit: false,
            direction: 10.0,
            read: 0.99,
            missed: 0.1,
            row: 0.1,
            writings: (128, 3),
            judged_every: 2,
            control_steps: 9,
            table_episodes: 512,
            table_steps: 8,
            moment: 30,
            moment_episodes: (512, 8),
            table_moment_episodes: 2048,
            noise_floor: 1.0,
            coupled: 0.3,
            rides: 0.9,
            separation: 2.5,
            sweeps: 6,
            sign_states: 512,
            most_products: 512,
            products_left_over: 0.002,
            product_share: 0.002,
            folds: 4,
            null_draws: 99,
            stands_out: 6.0,
            significant: 10.0,
            left_over_returns: 0.75,
            structured: 0.05,
            noise_lags: 40,
        }
    }
}
