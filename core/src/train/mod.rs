//! Training: back-propagation through time, Adam, and the curricula of the paper.
//!
//! An [`Engine`] trains a list of [`Job`]s while a [`TrainObserver`] watches. The engines
//! [`cpu::CpuEngine`] and [`cuda::CudaEngine`] stand behind the same interface.

mod choices;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod curriculum;
mod device;
mod diagnosis;
mod engine;
mod error;
pub(crate) mod held;
pub mod limits;
mod params;
mod recipe;
mod restraint;
mod settings;
mod snapshots;
mod stopping;

pub use choices::{Choices, DEFAULT_HIDDEN};
pub use curriculum::{Curriculum, CurriculumState};
pub use device::threads_or_cores;
#[cfg(feature = "cuda")]
pub use device::{Device, NamedEngine};
pub use diagnosis::{Diagnosis, diagnose};
pub use engine::{Engine, Job, Metrics, Outcome, RecordError, Start, TrainObserver, TrainState, Unobserved};
pub use error::TrainError;
pub use params::{LearningRateChange, TestParams, TrainParams, TrainedStart};
pub use recipe::Recipe;
pub use restraint::{DEFAULT_STRENGTH, Freeze, Held, Hold, OldAccuracy, Penalty, Restraint, RestraintRule};
pub use settings::{SETTINGS, SettingKind, SettingValue, TrainSetting};
pub use snapshots::{MAX_SNAPSHOTS, Snapshots};
pub use stopping::{BestWeights, Evaluation, Evaluations, REACHED_ACCURACY, Stopping};
