//! Confidence intervals by resampling seeds.

use crate::random::{Purpose, Stream};
use serde::Serialize;

/// How intervals are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BootstrapParams {
    /// Resamples. Default 2,000.
    pub resamples: u32,
    /// Share of resamples within the interval. Default 0.95.
    pub confidence: f64,
    /// Seed of the resampling. Default 1.
    pub seed: u64,
}

impl Default for BootstrapParams {
    fn default() -> Self {
        Self { resamples: 2_000, confidence: 0.95, seed: 1 }
    }
}

impl BootstrapParams {
    /// The percentile interval of the mean; nothing for fewer than two values, of which no spread can be told.
    pub fn interval_of_mean(&self, values: &[f64]) -> Option<[f64; 2]> {
        if values.len() < 2 || self.resamples == 0 {
            return None;
        }
        let stream = Stream::new(self.seed, Purpose::Bootstrap);
        let count = values.len();
        let mut draws = vec![0.0; count];
        let mut means: Vec<f64> = (0..self.resamples)
            .map(|resample| {
                stream.fill_uniform(resample, 0, &mut draws);
                draws.iter().map(|draw| values[(draw * count as f64) as usize]).sum::<f64>() / count as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[(share * (means.len() - 1) as f64).round() as usize];
        let outside = (1.0 - self.confidence).clamp(0.0, 1.0) / 2.0;
        Some([at(outside), at(1.0 - outside)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_normal_numbers_has_the_width_that_theory_gives() {
        let mut values = vec![0.0; 400];
        Stream::new(3, Purpose::Matrices).fill_normal(0, 0, &mut values);
        let [low, high] = BootstrapParams::default().interval_of_mean(&values).unwrap();
        // 2 * 1.96 / sqrt(400)
        assert!((high - low - 0.196).abs() < 0.02, "{low} {high}");
        assert!(low < 0.05 && high > -0.05);
    }

    #[test]
    fn equal_values_have_no_width_and_one_value_has_no_interval() {
        let params = BootstrapParams::default();
        assert_eq!(params.interval_of_mean(&[0.5; 3]), Some([0.5, 0.5]));
        assert_eq!(params.interval_of_mean(&[0.5]), None);
    }
}
