//! How a command fails: one clear message and an exit code.

use crate::arguments::in_options;
use crate::{interrupt, terminal};
use ketbra::UnknownWord;
use ketbra::circuit::CircuitError;
use ketbra::compare::CompareError;
use ketbra::compile::CompileError;
use ketbra::compose::ComposeError;
use ketbra::develop::DevelopError;
use ketbra::edit::EditError;
use ketbra::files::FileError;
use ketbra::interpret::InterpretError;
use ketbra::linearize::LinearizeError;
use ketbra::network::NetworkError;
use ketbra::numeric::NumericError;
use ketbra::observe::ObserveError;
use ketbra::recall::RecallError;
use ketbra::report::ReportError;
use ketbra::reproduce::ReproduceError;
use ketbra::run_folder::RunFolderError;
use ketbra::setting::SettingError;
use ketbra::sweep::SweepError;
use ketbra::task::TaskError;
use ketbra::train::TrainError;
use ketbra::train::cuda::CudaError;
use serde_json::Error as JsonError;
use std::process::ExitCode;

/// Exit code for input that cannot be meant: a wrong name, number or file.
const BAD_INPUT: u8 = 2;
/// Exit code for work that could not be done: a disk that is full, a network that diverged.
const COULD_NOT: u8 = 1;

/// Why a command stopped.
#[derive(Debug)]
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// The input is at fault; the message says what to type instead.
    pub fn bad_input(message: impl std::fmt::Display) -> Self {
        Self { message: in_options(message), code: BAD_INPUT }
    }

    /// The input was fine, the work failed.
    pub fn could_not(message: impl std::fmt::Display) -> Self {
        Self { message: in_options(message), code: COULD_NOT }
    }

    /// The person asked for a stop.
    pub fn interrupted(message: impl std::fmt::Display) -> Self {
        Self { message: in_options(message), code: interrupt::EXIT_CODE }
    }

    /// Whether the input is at fault.
    pub fn is_bad_input(&self) -> bool {
        self.code == BAD_INPUT
    }

    /// Tells the person and gives the exit code.
    pub fn report(self) -> ExitCode {
        terminal::complain(&self.message);
        ExitCode::from(self.code)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Self {
        match error {
            TaskError::UnknownName { .. } => Self::bad_input(format!("{error}; `ketbra task --list` shows all")),
            error => Self::bad_input(error),
        }
    }
}

/// Whose fault an error of the library is. What stands in braces is another error's to say; those in brackets are as the first word
/// says, all others as the second.
macro_rules! blame {
    ($($Error:ident { $($On:ident),* } [$($Variant:ident),*] $how:ident, $otherwise:ident;)+) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                match error {
                    $($Error::$On(error) => error.into(),)*
                    $($Error::$Variant { .. } => Self::$how(error),)*
                    _ => Self::$otherwise(error),
                }
            }
        })+
    };
}

blame! {
    SettingError {} [] bad_input, bad_input;
    UnknownWord {} [] bad_input, bad_input;
    CircuitError {} [TangleTooLarge, TooManyVectors] bad_input, could_not;
    TrainError { Task, Cuda, Start } [
        OutOfRange, TooLarge, WrongNetwork, WrongCell, NoKernel, EngineLacks, NothingToKeep, BadRestraint, NoSuchNetwork, TwoStarts,
        NoSuchStart
    ] bad_input, could_not;
    CudaError {} [TooManyStages] bad_input, could_not;
    CompileError {} [Numeric] could_not, bad_input;
    ComposeError {} [] bad_input, bad_input;
    EditError {} [] bad_input, bad_input;
    RecallError {} [Parameter] bad_input, could_not;
    ObserveError {} [] bad_input, bad_input;
    LinearizeError {} [] bad_input, bad_input;
    NumericError {} [] could_not, could_not;
    ReportError {} [] could_not, could_not;
    JsonError {} [] could_not, could_not;
    RunFolderError { Train, Io } [] bad_input, bad_input;
    SweepError { Io } [Damaged, Refused, Panicked] could_not, bad_input;
    ReproduceError { Sweep } [] bad_input, bad_input;
}

impl From<NetworkError> for Failure {
    fn from(error: NetworkError) -> Self {
        match error {
            NetworkError::Io { action: "write", .. } => Self::could_not(error),
            _ => Self::bad_input(error),
        }
    }
}

impl From<InterpretError> for Failure {
    fn from(error: InterpretError) -> Self {
        if error.is_stop() { Self::interrupted(error) } else { Self::bad_input(error) }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            error if error.is_stop() => Self::interrupted(error),
            CompareError::Numeric(_) => Self::could_not(error),
            error => Self::bad_input(error),
        }
    }
}

impl From<DevelopError> for Failure {
    fn from(error: DevelopError) -> Self {
        match error {
            DevelopError::Interpret { source, .. } if source.is_stop() => Self::interrupted(source),
            error => Self::bad_input(error),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        if error.action == "read" { Self::bad_input(error) } else { Self::could_not(error) }
    }
}
