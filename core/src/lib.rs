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
//! | go on training a network and keep what it has learned | [`transfer`] |
//! | train and interpret a grid of networks | [`sweep::Plan`], [`sweep::Local`] |
//! | check what the paper says | [`reproduce::Experiment`] |
//! | see the memory model behind the theory | `ketbra recall` |
//!
//! Open a file, interpret it, and act on what is claimed of it. Every claim was measured on inputs of its own and could have
//! failed; the verdict is drawn from them.
//!
//! ```
//! use ketbra::{InterpretParams, Known, NetworkFile, Verdict, interpret_file};
//! use std::path::Path;
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/networks/t3-h128.safetensors");
//! # /*
//! let path = "net.safetensors"; // or .npz, .pt, .pth, .ckpt, or a run folder
//! # */
//! let file = NetworkFile::open(Path::new(path))?;
//! // The task that the file names; `Known { blind: true, s: Some(8), ..Known::default() }` reads the function back instead.
//! let question = Known::default().question(&file)?;
//! let found = interpret_file(&file, &question, &InterpretParams::default(), &|_| true)?;
//!
//! match found.verdict {
//!     Verdict::Circuit => println!("computes {}", found.recurrence_in_words.join("; ")),
//!     Verdict::Superposed => println!("holds its contents, but in shared directions"),
//!     verdict => println!("{}: {:?}", verdict.name(), found.reasons),
//! }
//! for claim in found.claims.iter().filter(|claim| !claim.holds) {
//!     println!("{} does not hold: {:?}, the limit is {:?}", claim.name.name(), claim.measured, claim.limit);
//! }
//! assert_eq!(found.verdict, Verdict::Circuit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! | feature | what it adds | dependencies |
//! |---|---|---|
//! | `report` | `report`: the page of a network, one HTML file | flate2, base64 |
//! | `figures` | `report::figures`: SVG, PNG, GIF | resvg, gif, a font |
//! | `cuda` | `train::cuda`: training on an NVIDIA device | cudarc |
//!
//! All are on by default. `default-features = false` leaves everything else, and builds for `wasm32-unknown-unknown` too; there,
//! only what trains, sweeps or writes files needs what the target does not have: a clock, threads and a disk.
//!
//! # Order
//! Stages are folders, in the order in which data flows: task, circuit, compile, network, train, transfer, observe, code, linearize,
//! spectrum, memories, recurrence, claims, interpret, develop, compare, compose, edit, report. A stage is `verb(&input, &Params) -> Result<Noun, Error>`
//! and keeps no state. Analysis is in f64 and deterministic; random numbers come from [`random`], addressed by seed and purpose.
//!
//! A circuit by itself, as theory predicts it:
//! ```
//! use ketbra::circuit::{AnalyticNetwork, Basis, Core};
//! use ketbra::random::{Purpose, Stream};
//! use ketbra::task::Window;
//!
//! // Repeat copy of three variables, hidden in a random basis of ten units: its weights look like noise.
//! let task = Window::named("repeat-copy", Some(3), Some(2))?;
//! let basis = Basis::orthonormal(10, 6, &Stream::new(1, Purpose::Matrices), 0)?;
//! let circuit = AnalyticNetwork::of(&task, basis)?;
//!
//! // In the basis of its variable memories they are the circuit again.
//! let seen = circuit.basis.components_of_operator(&circuit.network.as_elman().unwrap().recurrent_weights);
//! let predicted = Core::of(&task)?.step;
//! assert!((seen - predicted).norm_max() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Hidden modules are for the shells of this repository (`cli/`, `python/`, `web/`): no part of what the library promises.
mod choose;
pub mod circuit;
pub mod claims;
pub mod code;
pub mod compare;
pub mod compile;
pub mod compose;
mod crc32c;
mod csv;
pub mod develop;
pub mod driven;
pub mod edit;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod foreign_text;
#[cfg(fuzzing)]
pub mod fuzzing;
pub mod interpret;
mod known_settings;
pub mod linearize;
pub mod memories;
pub mod network;
pub mod numeric;
pub mod observe;
#[doc(hidden)]
pub mod panics;
#[doc(hidden)]
pub mod path_text;
pub mod random;
mod ranges;
pub mod recall;
pub mod recurrence;
#[cfg(feature = "report")]
pub mod report;
pub mod reproduce;
pub mod run_folder;
mod score;
pub mod setting;
pub mod spectrum;
pub mod sweep;
pub mod table;
pub mod task;
pub mod train;
pub mod transfer;

pub use choose::UnknownWord;
pub use claims::{Claim, ClaimName};
pub use compare::{CompareParams, Comparison};
pub use edit::{Change, EditParams, Edited};
pub use interpret::{InterpretError, InterpretParams, Interpretation, Known, Question, Verdict, interpret_file};
pub use known_settings::known_settings;
pub use network::{Network, NetworkError, NetworkFile};
pub use ranges::ranges;
pub use task::{Task, TaskError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
