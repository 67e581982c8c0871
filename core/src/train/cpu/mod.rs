//! Training on the processor.

mod cells;
mod chunk;
mod engine;
mod isa;
mod kernels;
mod lanes;
mod layout;
mod learner;
mod measure;
mod model;
mod optimizer;
mod panels;
mod peak;
mod product;
mod readout;
mod tanh;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use cells::LayerSizes;
pub use engine::CpuEngine;
pub(crate) use engine::{accuracy_on, context_accuracies, fisher};
#[cfg(feature = "cuda")]
pub(crate) use engine::{look_at, test_accuracy};
pub use isa::Isa;
pub(crate) use learner::CHUNK_SAMPLES;
pub use measure::{Rate, SpeedSetup, fma_peak};
pub(crate) use panels::PANEL;
#[cfg(test)]
pub(crate) use {isa::Dispatch, learner::Learner, optimizer::AdamStep};
