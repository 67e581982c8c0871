//! Read recurrent networks as circuits of variable memories.
//!
//! | you want to | start at |
//! |---|---|
//! | say what a network should compute | [`task::Task`] |
//! | know the circuit that theory predicts | [`circuit::Core`], [`circuit::Description`] |
//! | make a network whose circuit is known | [`compile`] |
//! | bring a network, trained anywhere | [`network::NetworkFile::open`] |
//! | know what it computes and how | [`interpret`] |
//! | know whether two networks hold the same circuit | [`compare`] |
//! | put two circuits into one network | [`compose`] |
//! | see how a circuit came to be | [`develop`] |
//! | train a network on, and keep what it has learned | [`transfer`] |
//! | train and interpret a grid of networks | [`sweep::Plan`], [`sweep::Local`] |
//! | check what the paper says | [`reproduce::Experiment`] |
//! | see the memory model behind the theory | `ketbra recall` |
//!
//! Stages are folders, in the order in which data flows: task, circuit, compile, network, train, transfer, observe, code, linearize, spectrum,
//! memories, recurrence, claims, interpret, develop, compare, compose, edit, report. Analysis is in f64 and deterministic; random numbers come from [`random`],
//! addressed by seed and purpose.
//!
//! ```
//! use ketbra::circuit::{AnalyticNetwork, Basis, Core};
//! use ketbra::random::{Purpose, Stream};
//! use ketbra::task::Task;
//!
//! // Repeat copy of three variables, hidden in a random basis of ten units: its weights look like noise.
//! let task = Task::named("repeat-copy", Some(3), Some(2))?;
//! let basis = Basis::orthonormal(10, 6, &Stream::new(1, Purpose::Matrices), 0)?;
//! let circuit = AnalyticNetwork::of(&task, basis)?;
//!
//! // In the basis of its variable memories they are the circuit again.
//! let seen = circuit.basis.components_of_operator(&circuit.network.as_elman().unwrap().recurrent_weights);
//! let predicted = Core::of(&task)?.step;
//! assert!((seen - predicted).norm_max() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod choose;
pub mod circuit;
pub mod claims;
pub mod code;
pub mod compare;
pub mod compile;
pub mod compose;
pub mod develop;
pub mod edit;
pub mod files;
pub mod foreign_text;
pub mod interpret;
pub mod linearize;
pub mod memories;
pub mod network;
pub mod numeric;
pub mod observe;
pub mod panics;
pub mod path_text;
pub mod random;
mod ranges;
pub mod recall;
pub mod recurrence;
pub mod report;
pub mod reproduce;
pub mod run_folder;
pub mod spectrum;
pub mod sweep;
pub mod table;
pub mod task;
pub mod train;
pub mod transfer;

pub use ranges::ranges;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
