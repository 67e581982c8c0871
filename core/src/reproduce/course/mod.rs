//! Courses: networks that learn one thing after another, in several ways, from several seeds.
//!
//! A course is a file (`course.toml`): what every stage shares, and arms, each a list of stages. Every stage is a run folder;
//! stages that begin alike are trained once.

mod file;
mod measure;
mod run;

pub use file::{Arm, Course, Stage};
pub(super) use measure::measure;
pub use run::run;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What came of one arm from one seed, at the end of its last stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CourseRow {
    /// The arm.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// The run folder of its last stage.
    pub run: String,
    /// Optimizer steps of the last stage.
    pub steps: u64,
    /// Steps of the last stage before the first look at which accuracy was 0.99.
    pub steps_to_99: Option<u64>,
    /// Accuracy on what the last stage trained.
    pub accuracy: f64,
    /// Whether that counts as learned.
    pub learned: bool,
    /// Accuracy in each context at the end, where there are several.
    pub contexts: BTreeMap<String, f64>,
}
