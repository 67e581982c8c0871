//! Confidence intervals of a mean over seeds.

use serde::Serialize;

/// How intervals are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct IntervalParams {
    /// Share of intervals that hold the mean. Default 0.95.
    pub confidence: f64,
    /// Fewer values have no interval. Default 5: of fewer, intervals miss the mean far more often than they say.
    pub least: usize,
}

impl Default for IntervalParams {
    fn default() -> Self {
        Self { confidence: 0.95, least: 5 }
    }
}

impl IntervalParams {
    /// Student's interval of the mean. Nothing for few values; and nothing for equal ones, which show no spread to go by.
    pub fn interval_of_mean(&self, values: &[f64]) -> Option<[f64; 2]> {
        let count = values.len() as f64;
        if values.len() < self.least.max(2) {
            return None;
        }
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let reach =
            student_deviation(0.5 + 0.5 * self.confidence.clamp(0.0, 0.999), count - 1.0) * (variance / count).sqrt();
        (variance > 0.0 && reach.is_finite()).then_some([mean - reach, mean + reach])
    }

    /// Wilson's interval of a share, of yes (1) and no (0); nothing for few. All yes leaves room for some no.
    pub fn interval_of_share(&self, flags: &[f64]) -> Option<[f64; 2]> {
        let count = flags.len() as f64;
        if flags.len() < self.least.max(2) {
            return None;
        }
        let (share, z) = (flags.iter().sum::<f64>() / count, NORMAL_95);
        let middle = (share + z * z / (2.0 * count)) / (1.0 + z * z / count);
        let reach = z / (1.0 + z * z / count) * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt();
        Some([(middle - reach).max(0.0), (middle + reach).min(1.0)])
    }
}

/// 97.5 of 100 of normal numbers lie below this.
const NORMAL_95: f64 = 1.959_964;

/// The value that a share of Student's distribution, at least a half, lies below.
fn student_deviation(share: f64, freedom: f64) -> f64 {
    let (mut below, mut above) = (0.0, 1e3);
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        if student_below(middle, freedom) < share { below = middle } else { above = middle }
    }
    above
}

/// The share of Student's distribution below a value from 0 on, by Simpson's rule.
fn student_below(value: f64, freedom: f64) -> f64 {
    const PARTS: usize = 64;
    let scale =
        libm::lgamma(0.5 * (freedom + 1.0)) - libm::lgamma(0.5 * freedom) - 0.5 * (freedom * std::f64::consts::PI).ln();
    // Angles instead of values: the tails are long.
    let end = (value / freedom.sqrt()).atan();
    let density = |k: usize| (end * k as f64 / PARTS as f64).cos().powf(freedom - 1.0);
    let weight = |k: usize| {
        if k == 0 || k == PARTS {
            1.0
        } else if k % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    let sum: f64 = (0..=PARTS).map(|k| weight(k) * density(k)).sum();
    0.5 + scale.exp() * freedom.sqrt() * sum * end / (3.0 * PARTS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    #[test]
    fn deviations_are_those_of_the_tables() {
        for (freedom, wanted) in [(1.0, 12.706_205), (4.0, 2.776_445), (9.0, 2.262_157), (30.0, 2.042_272)] {
            assert!((student_deviation(0.975, freedom) - wanted).abs() < 1e-4, "{freedom}");
        }
    }

    /// Intervals hold the mean at least nine times in ten of those that they say, however the values are spread.
    #[test]
    fn the_share_of_intervals_that_hold_the_mean_is_measured() {
        let half_normal = (2.0 / std::f64::consts::PI).sqrt();
        type Spread = (fn(f64) -> f64, f64);
        let spreads: [(&str, Spread); 4] = [
            ("normal", (|x| x, 0.0)),
            ("uniform", (|x| libm::erf(x / std::f64::consts::SQRT_2), 0.0)),
            ("half normal", (f64::abs, half_normal)),
            ("accuracy", (|x| 1.0 - 0.02 * x.abs(), 1.0 - 0.02 * half_normal)),
        ];
        let params = IntervalParams::default();
        for (name, (of, mean)) in spreads {
            for count in [5, 8, 20] {
                let stream = Stream::new(count as u64, Purpose::Bootstrap);
                let holds = |draw: &u32| {
                    let mut values = vec![0.0; count];
                    stream.fill_normal(*draw, 3, &mut values);
                    let values: Vec<f64> = values.into_iter().map(of).collect();
                    params.interval_of_mean(&values).is_some_and(|[low, high]| low <= mean && mean <= high)
                };
                let share = (0..2000).filter(holds).count() as f64 / 2000.0;
                assert!(share >= 0.9 * params.confidence, "{name}, {count} seeds: {share}");
            }
        }
    }

    #[test]
    fn a_share_is_held_as_often_as_is_said() {
        let params = IntervalParams::default();
        for share in [0.5, 0.8, 0.95] {
            for count in [5, 10, 30] {
                let stream = Stream::new(count as u64, Purpose::Bootstrap);
                let holds = |draw: &u32| {
                    let mut uniform = vec![0.0; count];
                    stream.fill_uniform(*draw, 5, &mut uniform);
                    let flags: Vec<f64> = uniform.iter().map(|u| f64::from(u8::from(*u < share))).collect();
                    params.interval_of_share(&flags).is_some_and(|[low, high]| low <= share && share <= high)
                };
                let held = (0..2000).filter(holds).count() as f64 / 2000.0;
                assert!(held >= 0.9 * params.confidence, "{share} of {count}: {held}");
            }
        }
        assert!(params.interval_of_share(&[1.0; 20]).unwrap()[0] > 0.8);
    }

    #[test]
    fn few_and_equal_values_have_no_interval() {
        let params = IntervalParams::default();
        assert_eq!(params.interval_of_mean(&[0.5, 0.6, 0.7, 0.8]), None);
        assert_eq!(params.interval_of_mean(&[0.5; 8]), None);
        let [low, high] = params.interval_of_mean(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((low + high - 6.0).abs() < 1e-12 && (high - low - 2.0 * 2.776_445 * 0.5f64.sqrt()).abs() < 1e-4);
    }
}
