//! Trains the 3-bit flip-flop of the tests and writes it to a file: `cargo run --release --example flip_flop -- FILE`.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "an example that stops where it fails")]

#[path = "../tests/flip_flop/mod.rs"]
mod flip_flop;

use ketbra::network::{Metadata, NetworkFile};

fn main() {
    let path = std::env::args_os().nth(1).expect("the file to write");
    let (network, error) = flip_flop::trained(1);
    println!("mean squared error {error:.2e}, accuracy {:.4}", flip_flop::accuracy(&network, 99));
    NetworkFile::new(network, Metadata::new()).save(path.as_ref()).expect("the file can be written");
}
