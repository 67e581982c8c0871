//! `ketbra reproduce`: the paper, experiment by experiment.

use super::sweep::Bar;
use crate::device::{DeviceChoice, check_threads};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Count;
use crate::subject::write;
use crate::terminal::{FAINT, GOOD, WARN, answer, note, print, title};
use ketbra::interpret::{InterpretParams, Question, interpret};
use ketbra::report::figures::{Picture, comparison_figures, course_figure, development_figure, figures};
use ketbra::reproduce::course::{self, CourseRow};
use ketbra::reproduce::{Agreement, Authority, Experiment, ExperimentReport, Finding, judge};
use ketbra::run_folder::RunFolder;
use ketbra::sweep::{Local, Run, Runner, SweepFolder, to_csv};
use ketbra::train::threads_or_cores;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// Reproduce the paper: its tables, figures and claims
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ketbra reproduce --quick                 every verdict on a reduced grid
  ketbra reproduce table-1 --seeds 3       a part, with the first seeds only
  ketbra reproduce --device cuda           all of it, on a CUDA device
  ketbra reproduce --list

Every experiment is a folder: experiment.toml is the sweep that it needs, expected.toml what the paper says. Networks are
shared between experiments and kept; stop and start again at any time.")]
pub struct ReproduceCommand {
    /// Experiments [default: all]
    experiments: Vec<String>,
    /// A reduced grid
    #[arg(long)]
    quick: bool,
    /// Only the first seeds
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// Folder of networks and reports
    #[arg(long, value_name = "FOLDER", default_value = "reproduction")]
    out: PathBuf,
    /// Folder of experiments
    #[arg(long, value_name = "FOLDER", default_value = "experiments")]
    from: PathBuf,
    /// Networks that are trained side by side [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    #[command(flatten)]
    device: DeviceChoice,
    /// List the experiments
    #[arg(long)]
    list: bool,
    /// End with one JSON document
    #[arg(long)]
    json: bool,
}

impl ReproduceCommand {
    pub fn run(&self) -> Result<(), Failure> {
        let experiments = Experiment::read_all(&self.from, &self.experiments, self.quick)?;
        if self.list {
            experiments
                .iter()
                .for_each(|experiment| print(&format!("{:<16} {}\n", experiment.name, experiment.expected.title)));
            return Ok(());
        }
        let plans = experiments.iter().map(|experiment| self.runs_of(experiment)).collect::<Result<Vec<_>, _>>()?;
        let mut seen = BTreeSet::new();
        let runs: Vec<Run> = plans.iter().flatten().filter(|run| seen.insert(run.name.clone())).cloned().collect();
        check_threads(self.threads)?;
        let cores = threads_or_cores(self.threads);
        // A device that is not there is found out before a folder is begun.
        let engine = Local::new(self.device.trainer(cores)?);
        let folder = SweepFolder::create(&self.out.join("networks"), &runs)?;
        self.train(&engine, &folder, &runs)?;
        let rows: BTreeMap<String, _> = folder.rows()?.into_iter().map(|row| (row.name.clone(), row)).collect();
        let mut reports = vec![];
        for (experiment, plan) in experiments.iter().zip(&plans) {
            let rows: Vec<_> = plan.iter().filter_map(|run| rows.get(&run.name).cloned()).collect();
            let course = self.course(experiment, cores)?;
            let report = judge(experiment, &rows, course, &folder, self.quick)?;
            self.keep(&report, &to_csv(&rows)?)?;
            self.draw(experiment, plan, &folder, &report)?;
            if !self.json {
                print(&in_words(&report));
            }
            reports.push(report);
        }
        answer(self.json, &reports, || summary(&reports));
        Ok(())
    }

    fn runs_of(&self, experiment: &Experiment) -> Result<Vec<Run>, Failure> {
        let Some(plan) = &experiment.plan else { return Ok(vec![]) };
        let mut runs = plan.runs()?;
        if let Some(seeds) = self.seeds {
            runs.retain(|run| run.job.params.seed <= seeds);
        }
        Ok(runs)
    }

    fn train(&self, engine: &Local, folder: &SweepFolder, runs: &[Run]) -> Result<(), Failure> {
        interrupt::listen();
        if !self.json {
            note(&format!("{} networks, in {}", runs.len(), folder.path().display()));
        }
        let bar = Bar::new();
        let outcome = engine.run(folder, runs, &bar);
        bar.finish();
        outcome?;
        match interrupt::asked() {
            true => Err(Failure::interrupted("stopped, and saved; go on with the same command")),
            false => Ok(()),
        }
    }

    /// Draws what an experiment asks for: figures of its networks with seed 1, how they came to be, what came of its course, and
    /// all networks against each other.
    fn draw(
        &self,
        Experiment { name, expected, .. }: &Experiment,
        plan: &[Run],
        folder: &SweepFolder,
        report: &ExperimentReport,
    ) -> Result<(), Failure> {
        let mut pictures = vec![];
        let shown = plan.iter().filter(|run| run.job.params.seed == 1 && !expected.pictures.is_empty());
        for run in shown {
            // A network that failed has nothing to show.
            let Ok(network) = RunFolder::open(&folder.run_path(&run.name)).and_then(|run| run.read_network()) else {
                continue;
            };
            let Ok(task) = run.job.task.window() else { continue };
            let question = Question::Task(task.clone());
            let found =
                interpret(&network, &question, &InterpretParams::default(), &|_| true).map_err(Failure::could_not)?;
            let of_run = |picture: Picture| (format!("{}-{}", picture.name, run.name), picture);
            pictures.extend(figures(&network, &found, None)?.into_iter().map(of_run));
        }
        for found in report.developments.iter().filter(|found| found.seed == 1) {
            let name = format!("development-{}-{}", found.task.to_lowercase(), found.cell);
            pictures.push((name, development_figure(found)));
        }
        let course = (!report.course.is_empty()).then(|| course_figure(&report.course));
        let compared = report.comparison.iter().flat_map(|found| comparison_figures(found, &[]));
        pictures.extend(course.into_iter().chain(compared).map(|picture| (picture.name.to_string(), picture)));
        for (file, picture) in pictures.iter().filter(|(_, of)| expected.pictures.iter().any(|name| name == of.name)) {
            write(&self.out.join(name).join(format!("{file}.svg")), picture.svg().as_bytes())?;
        }
        Ok(())
    }

    /// Goes through the course of an experiment, where it has one.
    fn course(&self, experiment: &Experiment, threads: usize) -> Result<Vec<CourseRow>, Failure> {
        let Some(course) = &experiment.course else { return Ok(vec![]) };
        if !self.json {
            note(&format!("{}: networks that learn one thing after another, on the processor", experiment.name));
        }
        interrupt::listen();
        let bar = Count::new(0, "stages");
        let out = self.out.join("networks");
        std::fs::create_dir_all(&out).map_err(Failure::could_not)?;
        let rows = course::run(course, self.seeds, &out, threads, &|done, of| bar.set(done, of), &interrupt::asked);
        bar.finish();
        rows?.ok_or_else(|| Failure::interrupted("stopped, and saved; go on with the same command"))
    }

    /// Keeps a report and the results that it rests on.
    fn keep(&self, report: &ExperimentReport, results: &str) -> Result<(), Failure> {
        let folder = self.out.join(&report.name);
        let json = serde_json::to_string_pretty(report)? + "\n";
        write(&folder.join("report.json"), json.as_bytes())?;
        // Of a course every row is in the report.
        if !results.is_empty() {
            write(&folder.join("results.csv"), results.as_bytes())?;
        }
        Ok(())
    }
}

fn in_words(report: &ExperimentReport) -> String {
    let mut text = title(&format!("{}: {}", report.name, report.title));
    let _ = writeln!(text, "  {FAINT}the paper:{FAINT:#} {}", report.paper);
    for finding in &report.findings {
        text += &finding_in_words(finding);
    }
    let (style, word) = verdict(report.verdict);
    let _ = writeln!(text, "  {style}{word}{style:#} {FAINT}({} networks){FAINT:#}\n", report.networks);
    text
}

fn finding_in_words(finding: &Finding) -> String {
    let (style, mark) = match finding.holds {
        Some(true) => (GOOD, "yes"),
        Some(false) => (WARN, "no "),
        None => (FAINT, "-  "),
    };
    let number =
        |value: f64| if value.abs() < 0.01 && value != 0.0 { format!("{value:.2e}") } else { format!("{value:.4}") };
    let found = finding.found.map_or("---".into(), number);
    let which: Vec<String> = finding.check.which.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut text =
        format!("  {style}{mark}{style:#} {:<16} {:>10}  expected {}", finding.check.what, found, finding.expected);
    let _ = write!(text, "  {FAINT}{}", which.join(" ").replace('"', ""));
    if finding.check.source == Authority::Ours {
        text.push_str(" (beyond the paper)");
    }
    if !finding.check.says.is_empty() {
        let _ = write!(text, " {}", finding.check.says);
    }
    let _ = writeln!(text, "{FAINT:#}");
    text
}

fn summary(reports: &[ExperimentReport]) -> String {
    let mut text = title("Verdicts");
    for report in reports {
        let (style, word) = verdict(report.verdict);
        let told = report.findings.iter().filter_map(|finding| finding.holds);
        let (held, of) = told.fold((0, 0), |(held, of), holds| (held + usize::from(holds), of + 1));
        let _ = writeln!(text, "  {:<16} {style}{word:<10}{style:#} {held} of {of} numbers as expected", report.name);
    }
    text
}

fn verdict(verdict: Agreement) -> (anstyle::Style, &'static str) {
    match verdict {
        Agreement::Reproduced => (GOOD, "reproduced"),
        Agreement::Partly => (WARN, "partly"),
        Agreement::Not => (WARN, "not"),
    }
}
