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

/// Whose fault an error of the library is: with the variants in brackets as the first word says, with all others as the second.
macro_rules! blame {
    ($($Error:ty [$($Variant:pat),*] $how:ident, $otherwise:ident;)+) => {
        $(impl From<$Error> for Failure {
            fn from(error: $Error) -> Self {
                match error {
                    $($Variant => Self::$how(error),)*
                    _ => Self::$otherwise(error),
                }
            }
        })+
    };
}

blame! {
    SettingError [] bad_input, bad_input;
    UnknownWord [] bad_input, bad_input;
    CircuitError [CircuitError::TangleTooLarge { .. }, CircuitError::TooManyVectors { .. }] bad_input, could_not;
    NetworkError [NetworkError::Io { action: "write", .. }] could_not, bad_input;
    CudaError [CudaError::TooManyStages { .. }] bad_input, could_not;
    CompileError [CompileError::Numeric(_)] could_not, bad_input;
    ComposeError [] bad_input, bad_input;
    EditError [] bad_input, bad_input;
    RecallError [RecallError::Parameter { .. }] bad_input, could_not;
    ObserveError [] bad_input, bad_input;
    LinearizeError [] bad_input, bad_input;
    NumericError [] could_not, could_not;
    ReportError [] could_not, could_not;
    serde_json::Error [] could_not, could_not;
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

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::Sweep(error) => error.into(),
            error => Self::bad_input(error),
        }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        if error.action == "read" { Self::bad_input(error) } else { Self::could_not(error) }
    }
}

impl From<TrainError> for Failure {
    fn from(error: TrainError) -> Self {
        match error {
            TrainError::OutOfRange { .. }
            | TrainError::TooLarge { .. }
            | TrainError::WrongNetwork { .. }
            | TrainError::WrongCell { .. }
            | TrainError::NoKernel { .. }
            | TrainError::EngineLacks { .. }
            | TrainError::NothingToKeep
            | TrainError::BadRestraint(_)
            | TrainError::NoSuchNetwork { .. }
            | TrainError::TwoStarts
            | TrainError::NoSuchStart { .. } => Self::bad_input(error),
            TrainError::Task(error) => error.into(),
            TrainError::Cuda(error) => error.into(),
            TrainError::Start(error) => error.into(),
            _ => Self::could_not(error),
        }
    }
}

impl From<RunFolderError> for Failure {
    fn from(error: RunFolderError) -> Self {
        match error {
            RunFolderError::Train(error) => error.into(),
            RunFolderError::Io(error) => error.into(),
            _ => Self::bad_input(error),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Io(error) => error.into(),
            SweepError::Damaged { .. } | SweepError::Refused { .. } | SweepError::Panicked(_) => Self::could_not(error),
            _ => Self::bad_input(error),
        }
    }
}
