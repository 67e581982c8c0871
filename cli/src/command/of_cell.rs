//! Flags for what cells leave to choose, from the library's table.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use ketbra::network::{CELL_SETTINGS, CellSetting, CellSettings, CellValues};

/// The settings of cells that were given.
pub struct OfCell(pub CellSettings);

impl FromArgMatches for OfCell {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given = Self(CellSettings::default());
        given.update_from_arg_matches(matches)?;
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for setting in &CELL_SETTINGS {
            let value = match setting.values {
                CellValues::Flag => matches.get_flag(setting.name).then_some(1.0),
                CellValues::Number { .. } => matches.get_one(setting.name).copied(),
            };
            self.0.set(setting.name, value);
        }
        Ok(())
    }
}

impl Args for OfCell {
    fn augment_args(command: Command) -> Command {
        command.args(CELL_SETTINGS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn flag(setting: &CellSetting) -> Arg {
    let arg = Arg::new(setting.name).long(setting.flag);
    let of = format!("Of {} layers: {}", setting.cell.name(), setting.help);
    match setting.values {
        CellValues::Flag => arg.help(of).action(ArgAction::SetTrue),
        CellValues::Number { usual, .. } => arg
            .help(format!("{of} [default: {usual}]"))
            .value_name("X")
            .allow_negative_numbers(true)
            .value_parser(clap::value_parser!(f64)),
    }
}
