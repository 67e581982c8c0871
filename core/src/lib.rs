//! Read recurrent networks as circuits of variable memories.

pub mod random;
