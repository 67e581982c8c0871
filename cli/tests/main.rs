//! The tests of the command line, one program: a file is a module of it.

mod compares_networks;
mod compiles_tasks;
mod describes_functions;
mod describes_tasks;
mod documents_itself;
mod fits_the_terminal;
mod interprets_networks;
mod knows_other_kinds;
mod linearizes_networks;
mod makes_pages;
mod recalls_memories;
mod refuses_bad_networks;
mod refuses_what_is_too_large;
mod support;
mod sweeps;
mod sweeps_on_a_cluster;
mod takes_any_path;
mod takes_settings;
mod trains_networks;
mod trains_on;
