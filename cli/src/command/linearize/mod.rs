//! `ketbra linearize`: the linear maps that stand for a network, and their spectra against the theory.

mod points;

use super::interpret::summary::spectrum_line;
use crate::arguments::in_options;
use crate::failure::Failure;
use crate::picture::Format;
use crate::progress::Count;
use crate::subject::{Known, name};
use crate::terminal::{WARN, print, print_exactly, title};
use ketbra::circuit::Core;
use ketbra::foreign_text::escaped_name;
use ketbra::interpret::{InterpretParams, Interpretation, Question, interpret_file};
use ketbra::linearize::{FixedPointDoubt, FixedPointParams, PhasePortrait, origin, phase_portrait};
use ketbra::network::{Network, NetworkFile, Part};
use ketbra::numeric::{Matrix, c64, eigenvalues};
use ketbra::observe::{Watch, observe};
use ketbra::path_text::path_text;
use ketbra::report::figures::phase_portrait_figure;
use ketbra::setting::Adjustable;
use ketbra::spectrum::{Spectrum, SpectrumParams, spectrum};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Linearize a network: at the origin, at its fixed points, on its orbit
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra linearize runs/t2
  ketbra linearize net.safetensors --at fixed-points --starts 1000
  ketbra linearize net.safetensors --at fixed-points --input 1,-1,1 --json
  ketbra linearize flip-flop.safetensors --at fixed-points --figure points.svg
  ketbra linearize model.pt --blind --s 8

Eigenvalues are compared with those of the task's circuit; the task comes from --task, from the file, or is read back
(--blind). Without a task they are only counted, and there is no orbit, as nobody knows how long inputs are presented.
Fixed points are searched for from the origin, from random states, from states that the network visits, and from where
pulses on the inputs and the unstable modes of points lead. Stable points are listed first. --figure draws them on their
principal components: stable points black, unstable ones red with their modes, slow states grey.")]
pub struct LinearizeCommand {
    /// A run folder or a file: .safetensors, .npz, .pt, .pth, .ckpt, or a saved interpretation
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Where, separated by commas [default: all three]
    #[arg(long, value_name = "PLACES", value_delimiter = ',')]
    at: Vec<Where>,
    #[command(flatten)]
    known: Known,
    /// Constant input under which fixed points are searched for [default: zero]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_negative_numbers = true)]
    input: Option<Vec<f64>>,
    /// Random starts of the search
    #[arg(long, value_name = "N", default_value_t = FixedPointParams::default().random_starts)]
    starts: usize,
    /// Seconds that the search for fixed points may take; what was found until then is shown, with a warning
    #[arg(long, value_name = "SECONDS", default_value_t = FixedPointParams::default().time_limit)]
    time_limit: f64,
    /// Points that are described, stable ones before any other; the rest is counted
    #[arg(long, value_name = "N", default_value_t = FixedPointParams::default().max_points)]
    max_points: usize,
    /// Draw the fixed points into a file: .svg or .png
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Put the Jacobians at the fixed points, by state and by input, into the JSON too; "state" says what rows and columns are
    #[arg(long, requires = "json")]
    jacobians: bool,
    /// Seed of inputs and starts
    #[arg(long, default_value_t = InterpretParams::default().observe.seed)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    Origin,
    FixedPoints,
    Orbit,
}

/// What was found, place by place.
struct Linearized {
    origin: Option<Spectrum>,
    orbit: Option<Spectrum>,
    fixed_points: Option<(PhasePortrait, Vec<Spectrum>)>,
    interpretation: Option<Interpretation>,
    /// What a state, and so every Jacobian, is made of.
    parts: Vec<Part>,
    /// States of the output phase, where a task is known.
    visited: Option<Matrix>,
}

impl LinearizeCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let search = self.search()?;
        let format = self.figure.as_deref().map(|path| Format::of("--figure", path)).transpose()?;
        if format.is_some() && !self.wants(Where::FixedPoints) {
            return Err(Failure::bad_input("--figure draws fixed points; add fixed-points to --at"));
        }
        let mut params = InterpretParams::default();
        params.observe.seed = self.seed;
        let params = self.known.settings.on(params)?;
        let (file, saved) = match self.known.saved(&self.path, &params)? {
            Some((file, found)) => (file, Some(found)),
            None => (self.known.open_cell(&self.path)?, None),
        };
        file.network.check()?;
        let found = self.linearize(&file, saved, &params, &search)?;
        if self.json {
            print_exactly(&format!("{}\n", self.document(&found)));
        } else {
            print(&self.in_words(&found));
        }
        if let (Some(path), Some(format), Some((points, _))) = (&self.figure, format, &found.fixed_points) {
            format.write(
                path,
                &phase_portrait_figure(points, found.visited.as_ref().map(Matrix::as_ref))
                    .map_err(Failure::could_not)?,
            )?;
        }
        Ok(())
    }

    /// How fixed points are searched for; what else is set is about the interpretation.
    fn search(&self) -> Result<FixedPointParams, Failure> {
        let mut search = FixedPointParams { seed: self.seed, ..FixedPointParams::default() };
        for (flag, name, value) in [
            ("--starts", "random_starts", self.starts.to_string()),
            ("--max-points", "max_points", self.max_points.to_string()),
            ("--time-limit", "time_limit", self.time_limit.to_string()),
        ] {
            search.set(&format!("fixed_points.{name}"), &value).map_err(|error| error.called(flag))?;
        }
        search.settled_starts = search.settled_starts.min(self.starts);
        let about_points = self.known.settings.set.iter().filter(|set| set.starts_with(FixedPointParams::NAME));
        search.with(&about_points.collect::<Vec<_>>()).map_err(Failure::bad_input)
    }

    fn wants(&self, place: Where) -> bool {
        self.at.is_empty() || self.at.contains(&place)
    }

    fn linearize(
        &self,
        file: &NetworkFile,
        saved: Option<Interpretation>,
        params: &InterpretParams,
        search: &FixedPointParams,
    ) -> Result<Linearized, Failure> {
        let question = match &saved {
            Some(found) => Some(found.question()),
            None => self.question(file)?,
        };
        let network = &file.network;
        let found = |question| interpret_file(file, question, params, &|_| true).map_err(Failure::bad_input);
        let interpretation = match saved {
            Some(saved) => Some(saved),
            None => question.as_ref().map(found).transpose()?,
        };
        let task = interpretation.as_ref().and_then(|found| found.details.task.as_ref());
        let core = task.map(Core::of).transpose().map_err(Failure::bad_input)?;
        let theory = core.as_ref().map(Core::eigenvalues);
        let origin = self.wants(Where::Origin).then(|| at_origin(network, theory)).transpose()?;
        let orbit = interpretation.as_ref().filter(|_| self.wants(Where::Orbit));
        let visited = question.as_ref().filter(|_| self.wants(Where::FixedPoints));
        let visited = visited.map(|question| visited_states(network, question, params)).transpose()?;
        let fixed_points = match self.wants(Where::FixedPoints) {
            true => Some(self.fixed_points(file, visited.as_ref(), theory, search)?),
            false => None,
        };
        let orbit = orbit.map(|found| found.spectrum.orbit.clone());
        Ok(Linearized { origin, orbit, fixed_points, interpretation, parts: network.parts(), visited })
    }

    /// What is known of the network; nothing where nothing is and the orbit is not insisted on.
    fn question(&self, file: &NetworkFile) -> Result<Option<Question>, Failure> {
        let unknown = self.known.task.is_none() && !self.known.blind && file.task(None, None)?.is_none();
        if unknown && !self.at.contains(&Where::Orbit) {
            return Ok(None);
        }
        self.known.question(file).map(Some)
    }

    fn fixed_points(
        &self,
        file: &NetworkFile,
        visited: Option<&Matrix>,
        theory: Option<&[c64]>,
        search: &FixedPointParams,
    ) -> Result<(PhasePortrait, Vec<Spectrum>), Failure> {
        let bar = Count::new(search.random_starts, "starts");
        let watch = |done, of| bar.set(done, of);
        let visited = visited.map(Matrix::as_ref);
        let found = phase_portrait(&file.network, self.input.as_deref(), visited, search, &watch);
        bar.finish();
        let mut found = found?;
        found.points.doubts.extend(FixedPointDoubt::of_file(file, self.input.as_deref()));
        let compare = |point: &ketbra::linearize::FixedPoint| {
            spectrum(&point.eigenvalues, theory, &SpectrumParams::at_a_point()).map_err(Failure::could_not)
        };
        let spectra = found.points.unique.iter().map(compare).collect::<Result<_, _>>()?;
        Ok((found, spectra))
    }

    fn document(&self, found: &Linearized) -> Value {
        let mut document = Map::from_iter([("path".to_string(), json!(path_text(&self.path)))]);
        document.insert("task".into(), json!(found.interpretation.as_ref().map(|found| &found.task)));
        document.insert("state".into(), json!(found.parts));
        if let Some(origin) = &found.origin {
            document.insert("origin".into(), json!(origin));
        }
        if let Some((points, spectra)) = &found.fixed_points {
            document.insert("fixed_points".into(), points::document(points, spectra, self.jacobians));
        }
        if let Some(orbit) = &found.orbit {
            document.insert("orbit".into(), json!(orbit));
            document.insert("rank".into(), json!(found.interpretation.as_ref().map(|found| &found.rank)));
            document.insert("warnings".into(), json!(found.interpretation.as_ref().map(|found| &found.warnings)));
        }
        Value::Object(document)
    }

    fn in_words(&self, found: &Linearized) -> String {
        let size = found.interpretation.as_ref().map_or(String::new(), |found| {
            let name = found.task.name.as_deref().filter(|_| !found.blind).map_or("read back".into(), escaped_name);
            let made_of = found.network.as_ref().map_or(format!("H={}", found.hidden), ToString::to_string);
            format!(", {name}, s={} d={} {made_of}", found.task.s, found.task.d)
        });
        let mut text = title(&format!("{}{size}", name(&self.path)));
        for (place, spectrum) in [("origin", &found.origin), ("orbit", &found.orbit)] {
            if let Some(spectrum) = spectrum {
                text.push_str(&format!("  {place:<12}{}\n", spectrum_line(spectrum)));
            }
        }
        if let (Some(_), Some(rank)) = (&found.orbit, found.interpretation.as_ref().and_then(|f| f.rank.as_ref())) {
            let missed = format!("the linear map misses {:.4} of each step", rank.residual);
            text.push_str(&format!("  {:<12}{} directions, {missed}\n", "", rank.used));
        }
        if let Some((points, spectra)) = &found.fixed_points {
            text.push_str(&points::in_words(points, spectra));
        }
        if found.orbit.is_some() {
            for note in found.interpretation.iter().flat_map(|found| &found.warnings) {
                text.push_str(&format!("{WARN}warning:{WARN:#} {}\n", in_options(&note.warning)));
            }
        }
        text
    }
}

fn at_origin(network: &Network, theory: Option<&[c64]>) -> Result<Spectrum, Failure> {
    let found = eigenvalues(&origin(network))?;
    spectrum(&found, theory, &SpectrumParams::at_a_point()).map_err(Failure::could_not)
}

/// States of the output phase, one a step, each from another episode.
fn visited_states(network: &Network, question: &Question, params: &InterpretParams) -> Result<Matrix, Failure> {
    let size = question.size(network.outputs());
    let observed = observe(network, size, &params.observe, &Watch::nobody())?;
    let states = &observed.probe.states;
    Ok(Matrix::from_fn(network.state_size(), states.len(), |unit, t| states[&t][(unit, t % observed.probe.episodes)]))
}
