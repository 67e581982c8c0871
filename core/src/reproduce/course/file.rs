//! The file of a course.

use crate::network::CellKind;
use crate::reproduce::{ReproduceError, read};
use crate::task::Task;
use crate::train::{Choices, Freeze};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Most seeds of a course.
const MAX_SEEDS: u64 = 1000;

/// What is learned, in which ways, from how many seeds.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Course {
    /// Seeds, from 1 to this.
    pub seeds: u64,
    /// Kind of the layers. Default Elman.
    #[serde(default)]
    pub cell: CellKind,
    /// Hidden units.
    pub hidden: usize,
    /// Optimizer steps of a stage, at most. Default: as the recipe has it.
    pub steps: Option<u64>,
    /// Steps between two looks. Default 500.
    pub look_every: Option<u64>,
    /// Task of every stage that names none.
    pub task: Option<String>,
    /// Variables of a task that comes in any size.
    pub s: Option<usize>,
    /// Components of such a task.
    pub d: Option<usize>,
    /// The ways through the course.
    #[serde(rename = "arm")]
    pub arms: Vec<Arm>,
    /// Where task files are looked for.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// One way through the course.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// What it is called.
    pub name: String,
    /// What is learned, one after the other.
    #[serde(rename = "stage")]
    pub stages: Vec<Stage>,
}

/// One thing to learn. Every key may be left out.
#[derive(Clone, Debug, Default, Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stage {
    /// The task, or a task file.
    pub task: Option<String>,
    /// The only context whose episodes are drawn. Default all.
    pub context: Option<String>,
    /// What stays of the network of the stage before.
    pub freeze: Option<Freeze>,
    /// Contexts that are protected.
    pub protect: Vec<String>,
    /// Contexts whose spaces are reused.
    pub reuse: Vec<String>,
    /// Share of the variance of old states and inputs that may be left unprotected.
    pub left_out: Option<f64>,
    /// Whether the cue of the context is drawn strong.
    pub strong_cue: bool,
    /// Contexts whose weights are pulled back.
    pub ewc: Vec<String>,
    /// How strongly they are pulled back.
    pub ewc_strength: Option<f64>,
}

impl Course {
    /// Reads a course.
    pub fn read(path: &Path) -> Result<Self, ReproduceError> {
        let wrong = |problem| ReproduceError::InvalidFile { file: path.into(), line: 1, problem };
        let mut course: Self = read(path)?;
        course.folder = path.parent().unwrap_or(Path::new("")).into();
        if !(1..=MAX_SEEDS).contains(&course.seeds) {
            return Err(wrong(format!("seeds is {}, but must be from 1 to {MAX_SEEDS}", course.seeds)));
        }
        for arm in &course.arms {
            if arm.stages.is_empty() {
                return Err(wrong(format!("arm {} has no stages", arm.name)));
            }
            for stage in &arm.stages {
                course.task(stage).map_err(|problem| wrong(format!("arm {}: {problem}", arm.name)))?;
            }
        }
        Ok(course)
    }

    /// The task of a stage.
    pub(super) fn task(&self, stage: &Stage) -> Result<Task, String> {
        let Some(name) = stage.task.as_ref().or(self.task.as_ref()) else { return Err("a stage has no task".into()) };
        let task = match name.ends_with(".toml") {
            true => Task::read_toml(&self.folder.join(name)),
            false => Task::parse(name, self.s, self.d),
        };
        let task = task.map_err(|error| error.to_string())?;
        stage.context.iter().try_for_each(|name| task.context(name).map(|_| ())).map_err(|error| error.to_string())?;
        Ok(task)
    }

    /// What training is told for a stage that begins with a network, or with none.
    pub(super) fn choices(&self, stage: &Stage, seed: u64, from: Option<PathBuf>) -> Choices {
        let first = from.is_none();
        Choices {
            cell: first.then_some(self.cell),
            hidden: first.then_some(self.hidden),
            seed: Some(seed),
            steps: self.steps,
            look_every: self.look_every,
            context: stage.context.clone(),
            from,
            freeze: stage.freeze,
            protect: stage.protect.clone(),
            reuse: stage.reuse.clone(),
            left_out: stage.left_out,
            strong_cue: stage.strong_cue,
            ewc: stage.ewc.clone(),
            ewc_strength: stage.ewc_strength,
            ..Choices::default()
        }
    }
}
