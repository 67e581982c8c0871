//! `ketbra compare`: are these networks the same circuit?

mod text;

use crate::arguments::Settings;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Count;
use crate::subject::{distinct_names, write};
use crate::terminal::answer;
use ketbra::compare::{
    CompareError, CompareParams, Comparison, Effect, Examined, Pair, Subject, compare_examined, effects, examine_all,
};
use ketbra::network::{Activation, NetworkFile};
use ketbra::report::figures::comparison_figures;
use ketbra::report::{Provenance, Side, page_of_two};
use ketbra::setting::Adjustable;
use ketbra::sweep::{Row, SweepFolder};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Are these networks the same circuit? In the basis of their codes, beside CKA, shape distance and DSA
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra compare runs/t2 runs/t2-again
  ketbra compare elman.safetensors gru.safetensors --out comparison
  ketbra compare runs/grid                # a sweep: what changes the solution
  ketbra compare nets/*.safetensors --json

Networks are read blind: the function is read back from each, and the task that a file names is used only to say that a network
has not learned. They are the same circuit if both are circuits, compute the same function, keep the same contents and no
other input that a linear reader finds in one alone, move them in the same way, and each goes on from what the other holds.
Networks with different numbers of input steps or components are not compared.")]
pub struct CompareCommand {
    /// Run folders, files (.safetensors, .npz, .pt, .pth, .ckpt) or the folder of a sweep
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Time steps of the input phase [default: what each file says]
    #[arg(long, value_name = "N")]
    s: Option<usize>,
    /// The networks' activation: tanh, relu, identity or softplus [default: what each file says, or tanh]
    #[arg(long, value_name = "NAME", value_parser = Activation::from_str)]
    activation: Option<Activation>,
    /// Seed of the inputs that drive the networks
    #[arg(long, default_value_t = CompareParams::default().interpret.observe.seed)]
    seed: u64,
    /// DSA: states in a row that make one embedded state
    #[arg(long, value_name = "N", default_value_t = CompareParams::default().dsa.delays)]
    delays: usize,
    /// DSA: coordinates that are kept, at most
    #[arg(long, value_name = "N", default_value_t = CompareParams::default().dsa.rank)]
    rank: usize,
    #[command(flatten)]
    settings: Settings,
    /// Write comparison.json and the figures (SVG) into this folder; of two networks also comparison.html, the page of both
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    found: &'a Comparison,
    /// What each setting of a sweep does to the solution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effects: Vec<Effect>,
}

/// Networks, what each was trained with, and where they are.
type Named = (Vec<Subject>, Vec<TrainedWith>, Vec<PathBuf>);

/// What a network was trained with, by name.
type TrainedWith = BTreeMap<String, String>;

impl CompareCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let params = self.params()?;
        let (subjects, settings, paths) = self.subjects()?;
        interrupt::listen();
        let bar = Count::new(subjects.len(), "networks");
        let examined = examine_all(&subjects, &params, &|_| !interrupt::asked(), &|| bar.one());
        bar.finish();
        let examined = examined?;
        let found = compare_examined(&examined, &params)?;
        let effects = if settings.is_empty() { vec![] } else { effects(&settings, &found.pairs) };
        let document = Document { found: &found, effects };
        if let Some(out) = &self.out {
            self.write(out, &document, &examined)?;
            if let ([left, right], [pair]) = (&paths[..], &found.pairs[..]) {
                self.write_page(out, [left, right], &examined, pair)?;
            }
        }
        answer(self.json, &document, || text::text(&found, &document.effects));
        Ok(())
    }

    fn params(&self) -> Result<CompareParams, Failure> {
        let mut params = CompareParams::default();
        params.interpret.observe.seed = self.seed;
        for (flag, name, value) in
            [("--delays", "compare.dsa.delays", self.delays), ("--rank", "compare.dsa.rank", self.rank)]
        {
            params.set(name, &value.to_string()).map_err(|error| error.called(flag))?;
        }
        self.settings.on(params)
    }

    /// The networks, the settings of each where all come from sweeps, and where they are.
    fn subjects(&self) -> Result<Named, Failure> {
        let (mut paths, mut settings) = (vec![], vec![]);
        for path in &self.paths {
            let Ok(folder) = SweepFolder::open(path) else {
                paths.push(path.clone());
                continue;
            };
            for row in folder.rows()?.iter().filter(|row| row.error.is_none()) {
                paths.push(folder.run_path(&row.name));
                settings.push(of_row(row)?);
            }
        }
        let names = distinct_names(&paths);
        let subject = |(path, name): (&PathBuf, &std::ffi::OsString)| self.subject(path, &name.to_string_lossy());
        let subjects = paths.iter().zip(&names).map(subject).collect::<Result<Vec<_>, _>>()?;
        settings.truncate(if settings.len() == paths.len() { settings.len() } else { 0 });
        Ok((subjects, settings, paths))
    }

    fn subject(&self, path: &Path, name: &str) -> Result<Subject, Failure> {
        let file = NetworkFile::open_as(path, self.activation)?;
        Subject::network(name, file, self.s).map_err(|error| match error {
            CompareError::NoInputSteps { name } => Failure::bad_input(format!(
                "nothing says for how many steps {name} gets inputs; pass --s N, or train it with its task in the file"
            )),
            error => error.into(),
        })
    }

    fn write(&self, out: &Path, document: &Document<'_>, examined: &[Examined]) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(document)? + "\n";
        write(&out.join("comparison.json"), text.as_bytes())?;
        for picture in comparison_figures(document.found, examined) {
            write(&out.join(format!("{}.svg", picture.name)), picture.svg().as_bytes())?;
        }
        Ok(())
    }

    /// The page of two networks, with what came of comparing them.
    fn write_page(&self, out: &Path, paths: [&Path; 2], examined: &[Examined], pair: &Pair) -> Result<(), Failure> {
        let files = paths.map(|path| NetworkFile::open_as(path, self.activation));
        let [Ok(left), Ok(right)] = files else { return Ok(()) };
        let told = [Provenance::of(paths[0], &left, &|_, _| ()), Provenance::of(paths[1], &right, &|_, _| ())];
        let side = |k: usize, file| Side { network: file, found: &examined[k].found, provenance: &told[k] };
        let html = page_of_two(&side(0, &left.network), &side(1, &right.network), Some(pair))?;
        write(&out.join("comparison.html"), html.as_bytes()).map(|_| ())
    }
}

/// What may change the solution: these of a row, and the settings of its cell.
const VARIED: [&str; 13] = [
    "task",
    "cell",
    "layers",
    "hidden",
    "l2",
    "threshold",
    "init",
    "recipe",
    "steps",
    "lr",
    "activation",
    "bias",
    "seed",
];

/// What a network of a sweep was trained with.
fn of_row(row: &Row) -> Result<TrainedWith, Failure> {
    let whole = serde_json::to_value(row)?;
    let own = VARIED.iter().map(|name| (name.to_string(), whole[*name].to_string()));
    let of_cell = row.cell_settings.iter().map(|(setting, value)| (setting.name.to_string(), value.to_string()));
    Ok(own.chain(of_cell).collect())
}
