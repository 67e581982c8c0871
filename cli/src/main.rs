//! The `ketbra` command: task, train, interpret, edit, show.

mod arguments;
mod command;
mod device;
mod failure;
mod interrupt;
mod picture;
mod progress;
mod subject;
mod terminal;
mod written;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::typed();
    match arguments.command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
