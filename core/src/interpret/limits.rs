//! What an interpretation may take, checked before anything is simulated.

use super::InterpretParams;
use crate::network::MAX_HIDDEN;
use crate::observe::ObserveParams;
use crate::setting::Setting;

/// The largest window s*d that is interpreted: the dense matrices of that size take 32 MiB each, and minutes.
pub const MAX_WINDOW: usize = 2048;
/// The most numbers in the states that are kept of the probes: 2 GiB.
pub const MAX_STATES: usize = 1 << 28;

/// The most steps of episodes that settings may ask for; what they ask for by default may be more.
pub const MAX_WORK: usize = 1 << 24;

/// Why a network is too large to be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TooLarge {
    /// Too large a window.
    #[error(
        "s*d = {s}*{d} is over the limit of {MAX_WINDOW} window components for an interpretation; pass the number of \
         input steps with a smaller {}",
        Setting::named("s")
    )]
    Window {
        /// Variables.
        s: usize,
        /// Components of each.
        d: usize,
    },
    /// Too many units.
    #[error("the network has {0} units, over the limit of {MAX_HIDDEN} for an interpretation; use a smaller network")]
    Units(usize),
    /// Settings that ask for too much.
    #[error(
        "the settings of observe ask for {0} steps of episodes, over the limit of {MAX_WORK}; give fewer episodes or steps, or \
         leave them at their defaults"
    )]
    Work(usize),
    /// Too many numbers to keep, though neither window nor units are too many.
    #[error(
        "d={d} components in {hidden} units make {states} numbers to keep, over the limit of {MAX_STATES}; use a network \
         with fewer outputs or units"
    )]
    States {
        /// Components of a variable.
        d: usize,
        /// Hidden units.
        hidden: usize,
        /// Numbers.
        states: usize,
    },
}

/// Refuses sizes whose interpretation would take too much.
pub fn check(s: usize, d: usize, hidden: usize, params: &InterpretParams) -> Result<(), TooLarge> {
    if s.saturating_mul(d) > MAX_WINDOW {
        return Err(TooLarge::Window { s, d });
    }
    if hidden > MAX_HIDDEN {
        return Err(TooLarge::Units(hidden));
    }
    let seen = &params.observe;
    let probes = seen.probes.max(seen.probes_per_component.saturating_mul(d));
    let steps = seen.probe_steps.max(seen.score_steps.saturating_add(s));
    let states = probes.saturating_mul(steps).saturating_mul(hidden);
    if states > MAX_STATES {
        return Err(TooLarge::States { d, hidden, states });
    }
    let work = seen.work(s, d);
    if work > MAX_WORK.max(ObserveParams::default().work(s, d)) { Err(TooLarge::Work(work)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::Adjustable;

    #[test]
    fn each_size_has_its_limit_and_so_has_their_product() {
        let check = |s, d, hidden| check(s, d, hidden, &InterpretParams::default());
        assert_eq!(check(256, 8, 4096), Ok(()));
        assert_eq!(check(257, 8, 128), Err(TooLarge::Window { s: 257, d: 8 }));
        assert_eq!(check(usize::MAX, 8, 128), Err(TooLarge::Window { s: usize::MAX, d: 8 }));
        assert_eq!(check(8, 8, 4097), Err(TooLarge::Units(4097)));
        let long =
            InterpretParams::default().with(&["observe.accuracy_horizon=100000", "observe.accuracy_episodes=65536"]);
        assert!(matches!(super::check(2, 2, 8, &long.unwrap()), Err(TooLarge::Work(_))));
        assert!(matches!(check(1, 2048, 4096), Err(TooLarge::States { d: 2048, .. })));
    }
}
