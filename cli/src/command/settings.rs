//! `ketbra settings`: what can be set about interpretation.

use crate::failure::Failure;
use crate::terminal::{FAINT, hanging, print, print_json};
use ketbra::known_settings;
use ketbra::setting::{Listed, typed};
use std::collections::BTreeMap;

/// List the settings of interpretation: name, default, what each takes and decides
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra settings
  ketbra settings claims
  ketbra settings code.read
  ketbra interpret runs/t2 --set code.read=0.95 --set claims.follows=0.99

Names go to --set of interpret, report, figures, linearize, compose, develop and compare; those that begin with a command's
name to that command alone, edit's to its --setting. Sweep files take them in a table [interpret].")]
pub struct SettingsCommand {
    /// Only those whose name begins with this
    #[arg(value_name = "PART", default_value = "")]
    part: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl SettingsCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let known: Vec<Listed> =
            known_settings().into_iter().filter(|known| known.name.starts_with(&self.part)).collect();
        if known.is_empty() {
            return Err(Failure::bad_input(format!(
                "no setting begins with '{}'; ketbra settings lists all",
                self.part
            )));
        }
        match self.json {
            true => print_json(&known),
            false => known.iter().for_each(|known| print(&in_words(known))),
        }
        Ok(())
    }
}

fn in_words(known: &Listed) -> String {
    let head = format!("{}={}  {FAINT}{}{FAINT:#}\n", known.name, typed(&known.default), takes(known));
    head + &hanging("    ", 4, &known.says)
}

/// What a setting takes, with its unit.
fn takes(known: &Listed) -> String {
    if known.unit.is_empty() { known.takes.clone() } else { format!("{} ({})", known.takes, known.unit) }
}

/// The page of the documentation: a table for each part.
pub fn page() -> String {
    let mut parts: BTreeMap<String, Vec<Listed>> = BTreeMap::new();
    for known in known_settings() {
        let part = known.name.split_once('.').map_or("interpret", |(part, _)| part).to_string();
        parts.entry(part).or_default().push(known);
    }
    let mut page = String::from(INTRODUCTION);
    for (part, settings) in parts {
        page += &format!("\n## {part}\n\n| setting | default | what it takes | what it decides |\n|---|---|---|---|\n");
        for known in settings {
            let (default, takes) = (typed(&known.default), takes(&known));
            page += &format!("| `{}` | `{default}` | {takes} | {} |\n", known.name, known.says.replace('|', "\\|"));
        }
    }
    page
}

const INTRODUCTION: &str = "# Settings\n\n<!-- Written by `ketbra reference --settings`; `scripts/docs commands` writes it again. -->\n\n\
Every number that decides something about a network has a name, a default and limits, all declared in one place beside the stage that \
uses it. What was used is written into the results, under `params`.\n\n\
```text\nketbra interpret runs/t2 --set code.read=0.95 --set claims.follows=0.99\nketbra settings claims\n```\n\n\
In Python: `ketbra.interpret(net, settings={\"code.read\": 0.95})`, and `ketbra.settings()` lists them. In a sweep file: a table \
`[interpret]` with lines such as `code.read = 0.95`. Names that begin with `compare`, `develop` or `edit` belong to that command alone; \
`ketbra edit` takes its own with `--setting`, as its `--set` takes a formula. `ketbra linearize` uses `fixed_points` for its own search, \
which begins from more states.\n";
