//! Read recurrent networks as circuits of variable memories.

pub mod circuit;
pub mod files;
pub mod network;
pub mod numeric;
pub mod random;
pub mod task;
