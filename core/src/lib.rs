//! Read recurrent networks as circuits of variable memories.

pub mod circuit;
pub mod files;
pub mod interpret;
pub mod linearize;
pub mod memories;
pub mod network;
pub mod numeric;
pub mod observe;
pub mod random;
pub mod recall;
pub mod recurrence;
pub mod spectrum;
pub mod task;
