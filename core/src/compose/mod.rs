//! Two circuits in one network.
//!
//! [`sum`] puts them side by side: components of the first, then components of the second, and neither knows of the other.
//! [`feed`] lets the first one drive the second by their codes: after every step the newest variable that the second network holds is
//! taken out and what the first one says is written there instead, so that the second computes its f of what the first says and no
//! longer of what it says itself. Both give a task with the network: what it is meant to compute, for
//! [`interpret`](crate::interpret::interpret()) to judge.
//!
//! ```
//! use ketbra::compile::{CompileParams, compile};
//! use ketbra::compose::sum;
//! use ketbra::task::Window;
//!
//! let made = |name| {
//!     let task = Window::named(name, Some(3), Some(2)).unwrap();
//!     compile(&task, &CompileParams { hidden: Some(24), ..CompileParams::default() }).unwrap()
//! };
//! let (first, second) = (made("repeat-copy"), made("compose-copy"));
//! let both = sum((&first.network, &first.task), (&second.network, &second.task))?;
//! assert_eq!((both.network.hidden(), both.task.d()), (48, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod feed;
mod sum;
mod tasks;

pub use error::ComposeError;
pub use feed::feed;
pub use sum::sum;

use crate::choose::words;
use crate::network::{MAX_HIDDEN, Metadata, Network, NetworkFile};
use crate::task::Window;

/// How two circuits are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum How {
    /// Side by side.
    #[default]
    Sum,
    /// The first drives the second.
    Feed,
}

words!(How, "way to compose": Sum = "sum", Feed = "feed");

/// A network of two, with the task that it should do.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// The network.
    pub network: Network,
    /// What it is meant to compute.
    pub task: Window,
}

impl Composed {
    /// The network as a file that names its task.
    pub fn file(&self) -> NetworkFile {
        let metadata = [("task", self.task.to_toml()), ("made", "composed".into())];
        let metadata: Metadata = metadata.into_iter().map(|(key, value)| (key.into(), value)).collect();
        NetworkFile::new(self.network.clone(), metadata)
    }
}

/// A network and the task that it does.
pub type NetworkAndTask<'a> = (&'a Network, &'a Window);

/// Refuses parts that do not fit their tasks or each other.
fn check(first: NetworkAndTask<'_>, second: NetworkAndTask<'_>) -> Result<(), ComposeError> {
    for (which, (network, task)) in [("first", first), ("second", second)] {
        network.check()?;
        if (network.inputs(), network.outputs()) != (task.d(), task.d()) {
            let (inputs, outputs, d) = (network.inputs(), network.outputs(), task.d());
            return Err(ComposeError::Components { which, inputs, outputs, d });
        }
    }
    let (a, b) = (first.1.s(), second.1.s());
    if a != b {
        return Err(ComposeError::InputSteps { first: a, second: b });
    }
    let units = first.0.layers.iter().zip(&second.0.layers).map(|(a, b)| a.units() + b.units()).max().unwrap_or(0);
    if units > MAX_HIDDEN { Err(ComposeError::TooLarge { units, limit: MAX_HIDDEN }) } else { Ok(()) }
}
