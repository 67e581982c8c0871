//! The input that the figures show: "3141" written in bits, as the page writes it.

use crate::numeric::Matrix;

/// Digits 3 bits wide: rows from the top, bits from the left.
const TALL: [(char, &[u8]); 3] = [('3', &[7, 1, 7, 1, 7]), ('1', &[2, 6, 2, 2, 7]), ('4', &[5, 5, 7, 1, 1])];
const SMALL: [(char, &[u8]); 3] = [('3', &[7, 3, 7]), ('1', &[6, 2, 7]), ('4', &[5, 7, 1])];

/// An input of d components (rows) over s steps (columns), in -1 and +1.
pub(super) fn example(s: usize, d: usize) -> Matrix {
    let room = |height: usize| ((s + 1) / 4, (d + 1) / (height + 1));
    let fits = |height: usize| (room(height).0 * room(height).1).min(4);
    let (height, font) = if fits(3) > fits(5) { (3, SMALL) } else { (5, TALL) };
    let (across, down) = room(height);
    if across * down == 0 {
        return Matrix::from_fn(d, s, |j, t| if (3 * t + 5 * j + t * j) % 4 < 2 { 1.0 } else { -1.0 });
    }
    let mut input = Matrix::from_fn(d, s, |_, _| -1.0);
    for (at, digit) in "3141".chars().take(across * down).enumerate() {
        let rows = font.iter().find(|(name, _)| *name == digit).map_or(&[][..], |(_, rows)| rows);
        for (y, row) in rows.iter().enumerate() {
            for x in (0..3).filter(|x| row >> (2 - x) & 1 == 1) {
                input[((height + 1) * (at / across) + y, 4 * (at % across) + x)] = 1.0;
            }
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(s: usize, d: usize) -> Vec<String> {
        let input = example(s, d);
        (0..d).map(|j| (0..s).map(|t| if input[(j, t)] > 0.0 { '#' } else { '.' }).collect()).collect()
    }

    #[test]
    fn four_digits_fit_on_both_sizes_of_the_paper() {
        assert_eq!(drawn(8, 8)[..3], ["###.##..", ".##..#..", "###.###."]);
        assert_eq!(
            drawn(16, 5),
            ["###..#..#.#..#..", "..#.##..#.#.##..", "###..#..###..#..", "..#..#....#..#..", "###.###...#.###."]
        );
        assert_eq!(drawn(1, 1).len(), 1);
    }
}
