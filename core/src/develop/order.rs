//! What appears when, and in which order.

use super::{DevelopParams, Moment};
use serde::Serialize;

/// The step from which on each thing is there and stays; nothing where it never comes, or does not stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Order {
    /// Memories: the contents explain the states, and each of them is read.
    pub memories: Option<u64>,
    /// Spectrum: as many directions on the circle as the theory asks for, at its angles; nothing where theory has no spectrum.
    pub spectrum: Option<u64>,
    /// Function: f is read back from the weights.
    pub function: Option<u64>,
    /// Accuracy over a long output phase.
    pub accuracy: Option<u64>,
    /// All of it in words, such as "memories < function = spectrum".
    pub in_words: String,
}

/// One thing that appears.
pub type Appeared = (&'static str, Option<u64>);

impl Order {
    /// Of moments in the order of training.
    pub fn of(moments: &[Moment], params: &DevelopParams) -> Self {
        let from = |there: &dyn Fn(&Moment) -> bool| {
            let stays = moments.iter().rev().take_while(|moment| there(moment)).last();
            stays.map(|moment| moment.step)
        };
        let mut order = Self {
            memories: from(&|m| m.read >= params.read && m.explained >= params.explained),
            spectrum: from(&|m| m.angle_error.is_some_and(|error| error <= params.angle)),
            function: from(&|m| m.recovered >= params.recovered),
            accuracy: from(&|m| m.accuracy >= params.accuracy),
            in_words: String::new(),
        };
        order.in_words = order.words();
        order
    }

    /// Each thing with its step.
    pub fn all(&self) -> [Appeared; 4] {
        let Self { memories, spectrum, function, accuracy, .. } = *self;
        [("memories", memories), ("spectrum", spectrum), ("function", function), ("accuracy", accuracy)]
    }

    fn words(&self) -> String {
        let mut there: Vec<(&str, u64)> =
            self.all().iter().filter_map(|(name, step)| Some((*name, (*step)?))).collect();
        there.sort_by_key(|(_, step)| *step);
        let mut text = String::new();
        for (k, (name, step)) in there.iter().enumerate() {
            if k > 0 {
                text.push_str(if there[k - 1].1 == *step { " = " } else { " < " });
            }
            text.push_str(name);
        }
        let missing: Vec<&str> = self.all().iter().filter(|(_, step)| step.is_none()).map(|(name, _)| *name).collect();
        match (there.is_empty(), missing.is_empty()) {
            (_, true) => text,
            (true, false) => "nothing appears".into(),
            (false, false) => format!("{text}; never {}", missing.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::Verdict;

    fn moment(step: u64, read: f64, angle_error: Option<f64>, recovered: f64, accuracy: f64) -> Moment {
        let verdict = Verdict::Partial;
        Moment { step, explained: 0.95, read, directions: Some(1.0), angle_error, recovered, accuracy, verdict }
    }

    #[test]
    fn a_thing_appears_where_it_stays() {
        let moments = [
            moment(0, 1.0, None, 0.0, 0.5),
            moment(10, 0.5, None, 0.5, 0.6),
            moment(20, 1.0, Some(0.2), 1.0, 0.9),
            moment(30, 1.0, Some(0.01), 1.0, 0.995),
        ];
        let order = Order::of(&moments, &DevelopParams::default());
        assert_eq!(
            (order.memories, order.function, order.spectrum, order.accuracy),
            (Some(20), Some(20), Some(30), Some(30))
        );
        assert_eq!(order.in_words, "memories = function < spectrum = accuracy");
    }

    #[test]
    fn what_never_comes_is_said() {
        let order = Order::of(&[moment(0, 0.0, None, 0.0, 0.5)], &DevelopParams::default());
        assert_eq!(order.in_words, "nothing appears");
        let order = Order::of(&[moment(0, 1.0, None, 0.0, 0.5)], &DevelopParams::default());
        assert_eq!(order.in_words, "memories; never spectrum, function, accuracy");
        assert_eq!(Order::of(&[], &DevelopParams::default()).memories, None);
    }
}
