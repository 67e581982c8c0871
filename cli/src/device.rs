//! Where to train, and how exactly.

use crate::failure::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ketbra::UnknownWord;
use ketbra::sweep::Trainer;
use ketbra::train::cuda::Precision;
use ketbra::train::{Device, NamedEngine};
use std::str::FromStr;

/// The device that trains.
#[derive(clap::Args)]
pub struct DeviceChoice {
    /// Where to train
    #[arg(long, alias = "engine", default_value = "cpu", value_parser = word::<Device>(&Device::NAMES))]
    pub device: Device,
    /// How exactly a CUDA device multiplies: single as good as fp32, plain fp32, fast fewer products backward
    #[arg(long, default_value = "single", value_parser = word::<Precision>(&Precision::NAMES))]
    pub precision: Precision,
}

/// A word of one of the library's lists, which help shows.
pub fn word<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = UnknownWord> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|word| word.parse())
}

/// Most threads that may be asked for: each takes room of its own, whether it has work or not.
const MOST_THREADS: usize = 1024;

/// Refuses a number of threads that cannot be meant.
pub fn check_threads(threads: Option<usize>) -> Result<(), Failure> {
    match threads {
        Some(threads) if !(1..=MOST_THREADS).contains(&threads) => {
            let must = if threads == 0 { "at least 1".into() } else { format!("at most {MOST_THREADS}") };
            Err(Failure::bad_input(format!("--threads is {threads}, but must be {must}")))
        }
        _ => Ok(()),
    }
}

impl DeviceChoice {
    /// What trains the networks of a sweep: one a core, or hundreds at once on a device.
    pub fn trainer(&self, cores: usize) -> Result<Trainer, Failure> {
        Ok(Trainer::on(self.device, self.precision, cores)?)
    }

    /// The engine, and the name under which a run remembers it.
    pub fn engine(&self, threads: Option<usize>) -> Result<NamedEngine, Failure> {
        check_threads(threads)?;
        Ok(self.device.engine(self.precision, threads)?)
    }
}
