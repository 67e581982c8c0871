//! One file a command, in the order of the pipeline.

mod bench;
mod compare;
mod compile;
mod compose;
mod demo;
mod develop;
mod edit;
mod figures;
mod interpret;
mod linearize;
mod of_cell;
mod recall;
mod reference;
mod report;
mod reproduce;
mod settings;
mod sweep;
mod table;
mod task;
mod train;

use crate::failure::Failure;
use clap::Subcommand;

/// What ketbra can be told to do.
#[derive(Subcommand)]
pub enum Command {
    Demo(demo::DemoCommand),
    Task(task::TaskCommand),
    Train(Box<train::TrainCommand>),
    Compile(compile::CompileCommand),
    Interpret(interpret::InterpretCommand),
    Compare(compare::CompareCommand),
    Compose(compose::ComposeCommand),
    Develop(develop::DevelopCommand),
    Linearize(linearize::LinearizeCommand),
    Report(report::ReportCommand),
    Figures(figures::FiguresCommand),
    Edit(edit::EditCommand),
    Recall(recall::RecallCommand),
    Bench(bench::BenchCommand),
    Sweep(Box<sweep::SweepCommand>),
    Table(table::TableCommand),
    Reproduce(reproduce::ReproduceCommand),
    Settings(settings::SettingsCommand),
    #[command(hide = true)]
    Reference(reference::ReferenceCommand),
}

impl Command {
    /// Does it.
    pub fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Demo(command) => command.run(),
            Self::Task(command) => command.run(),
            Self::Train(command) => command.run(),
            Self::Compile(command) => command.run(),
            Self::Interpret(command) => command.run(),
            Self::Compare(command) => command.run(),
            Self::Compose(command) => command.run(),
            Self::Develop(command) => command.run(),
            Self::Linearize(command) => command.run(),
            Self::Report(command) => command.run(),
            Self::Figures(command) => command.run(),
            Self::Edit(command) => command.run(),
            Self::Recall(command) => command.run(),
            Self::Bench(command) => command.run(),
            Self::Sweep(command) => command.run(),
            Self::Table(command) => command.run(),
            Self::Reproduce(command) => command.run(),
            Self::Settings(command) => command.run(),
            Self::Reference(command) => command.run(),
        }
    }
}
