//! Networks that are driven, with inputs at every step: what their states hold of the variables of a program.
//!
//! Reading proves nothing here by itself. Any recurrent network echoes its last inputs, and one that has not learned its program may
//! be read all the same. What is held is seen by writing: contents of another episode are put in place, the network runs on under
//! fresh inputs, and where the two make a difference its outputs follow those that were written, or do not.
//!
//! | GRU of 64 units, trained with PyTorch | worst reading | written | written with shuffled weights |
//! |---|---|---|---|
//! | 3 flip-flops | 1.00 | 1.00 | 0.47 |
//! | 4 registers of 2 signs | 1.00 | 1.00 | 0.49 |
//! | a stack 4 deep, by products of its depth and its places | 0.97 | 1.00 | 0.47 |
//! | sum modulo 5, not learned | 0.98 | 0.25 | 0.20 |
//!
//! ```no_run
//! use ketbra::driven::{DrivenParams, what_is_held};
//! use ketbra::network::NetworkFile;
//! use ketbra::task::Program;
//!
//! let file = NetworkFile::open("gru.safetensors".as_ref())?;
//! if let Some(program) = Program::named("registers:4x2") {
//!     let held = what_is_held(&file.network, &program?, &DrivenParams::default())?;
//!     println!("{:?} beside {:?}", held.written.interchange(), held.written_in_control.interchange());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod code;
mod contents;
mod episodes;
mod writing;

pub use writing::Followed;

use crate::network::{Network, NetworkError};
use crate::numeric::{Matrix, NumericError};
use crate::random::{Purpose, Stream};
use crate::setting::settings;
use crate::task::Program;
use code::{Code, Means, Sample, Terms, features};
use contents::Contents;
use episodes::Episodes;
use serde::{Deserialize, Serialize};
use writing::Writer;

/// Steps of an episode where a program has no end.
const STEPS: usize = 50;

/// Numbers in the states of all episodes and steps: a gigabyte.
const MOST_NUMBERS: usize = 1 << 27;

/// How strongly contents are written, at most a half more than they are on average: what has just been set is still growing.
const STRENGTHS: [f64; 3] = [1.0, 1.25, 1.5];

settings! {
    /// How the states of a driven network are read and written.
    pub struct DrivenParams {
        /// Seed of every input.
        seed: u64 = 1;
        /// Episodes that codes are fitted on, and chosen by.
        fitted: usize = 256, EPISODES;
        /// Fresh episodes that they are judged on.
        judged: usize = 128, EPISODES;
        /// Steps of an episode; the program's own, or 50, where nobody says how many.
        steps: Option<usize> = None, STEPS;
        /// Steps for which a network runs on after contents were written.
        follow: usize = 25, STEPS;
        /// Products of contents, or of contents and inputs, that a code has at most.
        most_products: usize = 512, COUNT;
        /// Ridge of the code, relative to the mean second moment of its terms.
        ridge: f64 = 1e-6, RIDGE;
        /// Least variance that a unit is taken to have beside the code, as a share of the mean variance of all units.
        floor: f64 = 1e-6, RIDGE;
    }
}

/// Why a driven network could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrivenError {
    /// Sizes that do not fit.
    #[error(
        "the network has {inputs} inputs and {outputs} outputs, and {task} needs {needs} and {says}; name a program of its sizes"
    )]
    Sizes {
        /// Inputs of the network.
        inputs: usize,
        /// Outputs of the network.
        outputs: usize,
        /// The program.
        task: String,
        /// Inputs that the program has.
        needs: usize,
        /// Outputs that it has.
        says: usize,
    },
    /// A program that keeps nothing.
    #[error("{0} has no variables: its outputs follow from the present input, and there is nothing to read")]
    NoVariables(String),
    /// Episodes that are too short to write into and to run on.
    #[error("episodes of {0} steps are too short to write contents and run on; give at least 4")]
    TooShort(usize),
    /// More states than fit into memory.
    #[error(
        "{episodes} episodes of {steps} steps of {size} numbers are more than {MOST_NUMBERS} in all; give fewer episodes or steps"
    )]
    TooLarge {
        /// Episodes, those to fit on and those to judge on.
        episodes: usize,
        /// Steps of each.
        steps: usize,
        /// Numbers in a state.
        size: usize,
    },
    /// Activity without bound.
    #[error("activity grows without bound: states are no longer finite at step {step}; use a network that is stable")]
    Diverged {
        /// The first such step, from 1.
        step: usize,
    },
    /// A network whose shapes do not fit or whose weights are not finite.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A regression that failed.
    #[error(transparent)]
    Numeric(#[from] NumericError),
}

/// A code that was tried, by its terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// Whether products of two contents are contents too, as where one says what the other means.
    pub products_of_contents: bool,
    /// Whether products of contents and the present input are beside them.
    pub products_with_input: bool,
    /// How strongly contents are written by it, as a multiple of what they are on average.
    pub strength: f64,
    /// What came of contents that it wrote in the episodes that it was fitted on.
    pub followed: Followed,
}

/// Share of the variance of fresh states, about their mean at each step, by terms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// By contents alone.
    pub contents: f64,
    /// By contents and the present input.
    pub with_input: f64,
    /// By these and products of every content with every input; nothing where these are too many.
    pub with_products: Option<f64>,
}

/// What is found of one variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariableHeld {
    /// Its name.
    pub name: String,
    /// Share of fresh states from which it is read rightly while it is set; of a number 1 less the share by which it is missed.
    pub read: Option<f64>,
    /// The same of the network with shuffled recurrent weights.
    pub read_in_control: Option<f64>,
    /// What came of it where it alone was written.
    pub written: Followed,
}

/// What the states of a driven network hold of the variables of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrivenReading {
    /// The program.
    pub task: String,
    /// Steps of an episode.
    pub steps: usize,
    /// Share of fresh outputs that are right.
    pub accuracy: f64,
    /// How much of the states the code without products of contents explains.
    pub explained: Explained,
    /// The code that contents were written by in the end: the one whose contents were followed best.
    pub code: Tried,
    /// Every code that was tried.
    pub tried: Vec<Tried>,
    /// What came of contents that it wrote in fresh episodes, all variables at once.
    pub written: Followed,
    /// The same of the network with shuffled recurrent weights.
    pub written_in_control: Followed,
    /// Each variable by itself.
    pub variables: Vec<VariableHeld>,
    /// Every number that decided something.
    pub params: DrivenParams,
}

/// Reads what a network holds of the variables of a program, and writes them to see what it makes of them.
pub fn what_is_held(network: &Network, program: &Program, params: &DrivenParams) -> Result<DrivenReading, DrivenError> {
    network.check()?;
    let (inputs, outputs) = (network.inputs(), network.outputs());
    let (needs, says) = (program.inputs(), program.outputs());
    if (inputs, outputs) != (needs, says) {
        return Err(DrivenError::Sizes { inputs, outputs, task: program.name().into(), needs, says });
    }
    if program.variables().len() == 0 {
        return Err(DrivenError::NoVariables(program.name().into()));
    }
    let steps = params.steps.or(program.longest()).unwrap_or(STEPS);
    if steps < 4 {
        return Err(DrivenError::TooShort(steps));
    }
    let (episodes, size) = (params.fitted.saturating_add(params.judged), network.state_size());
    if episodes.saturating_mul(steps).saturating_mul(size) > MOST_NUMBERS {
        return Err(DrivenError::TooLarge { episodes, steps, size });
    }
    let streams = [Purpose::ProbeInputs, Purpose::ScoreInputs].map(|purpose| Stream::new(params.seed, purpose));
    let fitted = Episodes::drawn(program, &streams[0], 0, params.fitted, steps);
    let judged = Episodes::drawn(program, &streams[1], 1, params.judged, steps);
    let drawn = Drawn { fitted, judged, streams, params };
    let whole = drawn.look(network)?;
    let (code, tried) = whole.choose()?;
    let control = network.shuffled(params.seed);
    // A control whose activity grows without bound holds nothing.
    let control = match drawn.look(&control) {
        Ok(look) => Some(look.under(&code)?),
        Err(DrivenError::Diverged { .. }) => None,
        Err(error) => return Err(error),
    };
    let found = whole.under(&code)?;
    let variables = found.variables.into_iter().enumerate().map(|(k, (name, read, written))| {
        let read_in_control = control.as_ref().and_then(|control| control.variables[k].1);
        VariableHeld { name, read, read_in_control, written }
    });
    Ok(DrivenReading {
        task: program.name().into(),
        steps,
        accuracy: whole.accuracy(),
        explained: whole.explained()?,
        code,
        tried,
        written: found.written,
        written_in_control: control.as_ref().map_or(Followed::default(), |control| control.written),
        variables: variables.collect(),
        params: params.clone(),
    })
}

/// Episodes to fit on and to judge on.
struct Drawn<'a> {
    fitted: Episodes<'a>,
    judged: Episodes<'a>,
    streams: [Stream; 2],
    params: &'a DrivenParams,
}

/// What a network does in them.
struct Look<'a> {
    network: &'a Network,
    drawn: &'a Drawn<'a>,
    fitted: Vec<Matrix>,
    judged: Vec<Matrix>,
}

/// What came out under one code.
struct Under {
    written: Followed,
    /// Name, reading, and what came of it where it alone was written.
    variables: Vec<(String, Option<f64>, Followed)>,
}

/// Contents with their features in both batches, and the samples that these make.
struct Described {
    contents: Contents,
    fitted: Vec<Matrix>,
    judged: Vec<Matrix>,
    means: Means,
}

impl<'a> Drawn<'a> {
    fn look(&'a self, network: &'a Network) -> Result<Look<'a>, DrivenError> {
        Ok(Look { network, drawn: self, fitted: self.fitted.states(network)?, judged: self.judged.states(network)? })
    }
}

impl Look<'_> {
    fn described(&self, contents: Contents) -> Described {
        let (fitted, judged) = (features(&contents, &self.drawn.fitted), features(&contents, &self.drawn.judged));
        let means = Means::of(&self.fitted, &fitted, &self.drawn.fitted.inputs);
        Described { contents, fitted, judged, means }
    }

    fn contents(&self, with_products: bool) -> Option<Contents> {
        let alone = Contents::of(self.drawn.fitted.program);
        if with_products { alone.with_products(self.drawn.params.most_products) } else { Some(alone) }
    }

    fn fitted_sample(&self, of: &Described) -> Sample {
        of.means.sample(&self.fitted, &of.fitted, &self.drawn.fitted.inputs)
    }

    fn judged_sample(&self, of: &Described) -> Sample {
        of.means.sample(&self.judged, &of.judged, &self.drawn.judged.inputs)
    }

    /// Terms without products, and with them where these are not too many.
    fn terms(&self, of: &Described) -> Vec<Terms> {
        let products = of.contents.features() * self.drawn.fitted.program.inputs();
        let few = products <= self.drawn.params.most_products;
        [Terms::AndInput].into_iter().chain(few.then_some(Terms::AndProducts)).collect()
    }

    /// Moments in which contents are written: long after the start, and long before the end.
    fn moments(&self) -> Vec<usize> {
        let steps = self.drawn.fitted.steps();
        [steps / 4, steps / 2, 3 * steps / 4].to_vec()
    }

    /// Of every code that is tried, the one whose contents are followed best; the plainer one at a tie.
    fn choose(&self) -> Result<(Tried, Vec<Tried>), DrivenError> {
        let mut tried = vec![];
        for products_of_contents in [false, true] {
            let Some(contents) = self.contents(products_of_contents) else { continue };
            let described = self.described(contents);
            let sample = self.fitted_sample(&described);
            for terms in self.terms(&described) {
                let code = Code::fit(&sample, terms, self.drawn.params)?;
                let (episodes, states) = (&self.drawn.fitted, &self.fitted[..]);
                let writer = self.writer(&described, episodes, states, &described.fitted, &self.drawn.streams[0]);
                for strength in STRENGTHS {
                    let followed = writer.follow(&code, strength, &self.moments(), None);
                    let products_with_input = terms == Terms::AndProducts;
                    tried.push(Tried { products_of_contents, products_with_input, strength, followed });
                }
            }
        }
        let share = |tried: &Tried| tried.followed.interchange().unwrap_or(0.0);
        let mut best = tried[0];
        for next in &tried {
            if share(next) > share(&best) {
                best = *next;
            }
        }
        Ok((best, tried))
    }

    fn writer<'b>(
        &'b self,
        of: &'b Described,
        episodes: &'b Episodes<'b>,
        states: &'b [Matrix],
        features: &'b [Matrix],
        stream: &'b Stream,
    ) -> Writer<'b, 'b> {
        let (contents, means, follow) = (&of.contents, &of.means, self.drawn.params.follow);
        Writer { network: self.network, contents, episodes, states, features, means, stream, follow }
    }

    /// What fresh episodes say of a code: its contents written, and each variable read and written by itself.
    fn under(&self, tried: &Tried) -> Result<Under, DrivenError> {
        let contents = self.contents(tried.products_of_contents).unwrap_or(Contents::of(self.drawn.fitted.program));
        let described = self.described(contents);
        let terms = if tried.products_with_input { Terms::AndProducts } else { Terms::AndInput };
        let code = Code::fit(&self.fitted_sample(&described), terms, self.drawn.params)?;
        let (episodes, stream) = (&self.drawn.judged, &self.drawn.streams[1]);
        let writer = self.writer(&described, episodes, &self.judged, &described.judged, stream);
        let follow = |only| writer.follow(&code, tried.strength, &self.moments(), only);
        // Readers see contents alone: products of contents are another way to write them.
        let alone = self.described(Contents::of(self.drawn.fitted.program));
        let reader = Code::fit(&self.fitted_sample(&alone), Terms::AndInput, self.drawn.params)?;
        let read = reader.read(&self.judged_sample(&alone));
        let each = alone.contents.all.iter().map(|content| {
            (content.name.clone(), self.share_read(content, &alone, &read), follow(Some(content.variable)))
        });
        Ok(Under { written: follow(None), variables: each.collect() })
    }

    /// Nothing where the variable is never set.
    fn share_read(&self, content: &contents::Content, of: &Described, read: &Matrix) -> Option<f64> {
        let episodes = &self.drawn.judged;
        let (mut all, mut right, mut missed, mut size) = (0usize, 0usize, 0.0, 0.0);
        for t in 0..episodes.steps() {
            for e in (0..episodes.count()).filter(|&e| content.is_set(&episodes.frame(t, e).variables)) {
                let column = read.col_as_slice(t * episodes.count() + e);
                let (found, held) = (of.means.with_mean(t, column), of.judged[t].col_as_slice(e));
                all += 1;
                right += usize::from(content.is_read(&found, held));
                let first = content.at.start;
                let mean = found[first] - column[first];
                missed += (found[first] - held[first]).powi(2);
                size += (held[first] - mean).powi(2);
            }
        }
        if all == 0 {
            return None;
        }
        Some(match content.is_number() {
            true => 1.0 - (missed / f64::max(size, f64::MIN_POSITIVE)).sqrt().min(1.0),
            false => right as f64 / all as f64,
        })
    }

    fn explained(&self) -> Result<Explained, DrivenError> {
        let described = self.described(Contents::of(self.drawn.fitted.program));
        let (fitted, judged) = (self.fitted_sample(&described), self.judged_sample(&described));
        let by = |terms| Ok::<_, DrivenError>(Code::fit(&fitted, terms, self.drawn.params)?.explained(&judged));
        let products = self.terms(&described).contains(&Terms::AndProducts);
        Ok(Explained {
            contents: by(Terms::Contents)?,
            with_input: by(Terms::AndInput)?,
            with_products: products.then(|| by(Terms::AndProducts)).transpose()?,
        })
    }

    /// Share of fresh outputs that are right.
    fn accuracy(&self) -> f64 {
        let (episodes, program) = (&self.drawn.judged, self.drawn.judged.program);
        let (mut all, mut right) = (0usize, 0usize);
        let (mut wanted, mut counts) = (vec![0.0; program.outputs()], vec![false; program.output_columns().len()]);
        for (t, states) in self.judged.iter().enumerate() {
            let said = self.network.read(states.as_ref());
            for e in 0..episodes.count() {
                program.write_outputs(episodes.frame(t, e), &mut wanted, &mut counts);
                for (columns, _) in program.output_columns().iter().zip(&counts).filter(|(_, counts)| **counts) {
                    all += 1;
                    right += usize::from(columns.is_right(said.col_as_slice(e), &wanted));
                }
            }
        }
        right as f64 / all.max(1) as f64
    }
}
