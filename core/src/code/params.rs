//! How a code is fitted and judged.

use super::{ContentKind, ContentsParams};
use crate::setting::settings;

settings! {
    /// How a code is fitted and judged.
    pub struct CodeParams {
        /// Which contents are asked for, and for how long.
        contents: ContentsParams;
        /// Ridge of the memories, relative to the mean second moment of the contents.
        ridge: f64 = 1e-6, RIDGE;
        /// Least variance that a unit is taken to have beside the code, as a share of the mean variance of all units.
        floor: f64 = 1e-6, RIDGE;
        /// As a share of its own variance instead: recorded units may be of any kind, and loud ones must not hide the others.
        floor_by_unit: bool;
        /// Signal to noise (in variances) from which on a direction of the code counts.
        direction: f64 = 10.0, TIMES;
        /// A content is read from this share of right signs on.
        read: f64 = 0.99, SHARE;
        /// A real-valued content is read if its values are missed by at most this share of their size.
        missed: f64 = 0.1, SIZE;
        /// A row of the step matrix is right if no entry misses by more than this.
        row: f64 = 0.1, SIZE;
        /// Random contents that are written into states, at least, and for each content.
        writings: (usize, usize) = (128, 3), EPISODES;
        /// Settled output steps between one on which a code is judged and the next, that one counted.
        judged_every: usize = 2, STEPS;
        /// Output steps that the control's code is fitted and judged on, after it has settled; not a multiple of s, after which
        /// repeat copy holds the same contents again.
        control_steps: usize = 9, STEPS;
        /// Episodes that a code is fitted on where f is a truth table, and as many that it is judged on.
        table_episodes: usize = 512, EPISODES;
        /// Output steps of those.
        table_steps: usize = 8, STEPS;
        /// The output step whose code is looked at by itself, for cells whose code may change with time.
        moment: usize = 30, SETTLING;
        /// Episodes for that, at least, and for each content.
        moment_episodes: (usize, usize) = (512, 8), EPISODES;
        /// Episodes for that where f is a truth table.
        table_moment_episodes: usize = 2048, EPISODES;
        /// Damping of what the code leaves over, relative to its mean, when contents are read as signs.
        noise_floor: f64 = 1.0, RIDGE;
        /// Contents whose memories have a larger cosine are also flipped together when they are read as signs.
        coupled: f64 = 0.3, SHARE;
        /// A rider's cosine with its host is at least this.
        rides: f64 = 0.9, SHARE;
        /// Least gap between the four levels of a shared direction, in standard deviations of the widest.
        separation: f64 = 2.5, DEVIATIONS;
        /// Most sweeps over the contents when they are read as signs.
        sweeps: usize = 6, COUNT;
        /// States that are read as signs, at most.
        sign_states: usize = 512, COUNT;
        /// Products of contents that are looked for in a state, at most.
        most_products: usize = 512, COUNT;
        /// Products of one more content are looked for while those of fewer leave over at least this share of the variance.
        products_left_over: f64 = 0.002, SHARE;
        /// A product that makes up no more than this share of the variance is not reported.
        product_share: f64 = 0.002, SHARE;
        /// Recordings are cross-validated in so many folds.
        folds: usize = 4, FOLDS;
        /// Times that the episodes of a recording are shuffled.
        null_draws: usize = 99, DRAWS;
        /// Contents are in recorded states if they explain them this many standard deviations better than those of other episodes.
        stands_out: f64 = 6.0, DEVIATIONS;
        /// Under noise a direction of the code counts from this many times the strength that chance gives it.
        significant: f64 = 10.0, TIMES;
        /// What the code leaves over is no noise, but something else that is held, if more than this share of it comes back. Few
        /// episodes leave over some of the contents themselves.
        left_over_returns: f64 = 0.75, SHARE;
        /// Where the step matrix is right, what comes back of what the code leaves over may be this share of what contents explain.
        structured: f64 = 0.05, SHARE;
        /// Steps later that are looked at, at most.
        noise_lags: usize = 40, STEPS;
    }
}

impl CodeParams {
    /// The share from which on a content is read.
    pub fn enough(&self, kind: ContentKind) -> f64 {
        match kind {
            ContentKind::Sign => self.read,
            ContentKind::Number => 1.0 - self.missed,
        }
    }
}
