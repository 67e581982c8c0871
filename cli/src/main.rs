//! The `ketbra` command.

fn main() {}
