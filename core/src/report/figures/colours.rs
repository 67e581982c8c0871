//! The field's diverging colours: blue below zero, red above, symmetric limits.

/// Quarter points of matplotlib's `coolwarm`.
const ANCHORS: [[u8; 3]; 5] = [[59, 76, 192], [141, 176, 254], [221, 221, 221], [244, 152, 122], [180, 4, 38]];
const LEVELS: usize = 256;

/// The level of a value between -limit and limit, from 0 to 256; 128 is zero.
pub(super) fn level(value: f64, limit: f64) -> usize {
    let share = if limit > 0.0 && value.is_finite() { (value / limit).clamp(-1.0, 1.0) } else { 0.0 };
    ((1.0 + share) * LEVELS as f64 / 2.0).round() as usize
}

/// The colour of a level, as SVG writes it.
pub(super) fn colour_of(level: usize) -> String {
    let at = level.min(LEVELS) as f64 / (LEVELS / 4) as f64;
    let k = (at as usize).min(3);
    let mix = |c: usize| {
        let (from, to) = (f64::from(ANCHORS[k][c]), f64::from(ANCHORS[k + 1][c]));
        (from + (to - from) * (at - k as f64)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// The colour of a value.
pub(super) fn colour(value: f64, limit: f64) -> String {
    colour_of(level(value, limit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_grey_and_the_limits_are_the_ends() {
        assert_eq!([-9.0, 0.0, 1.0, f64::NAN].map(|x| colour(x, 1.0)), ["#3b4cc0", "#dddddd", "#b40426", "#dddddd"]);
    }
}
