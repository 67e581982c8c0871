//! Numbers as a person writes them.

/// Rising numbers with runs of three or more drawn together: `1-4, 6, 8`.
pub fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = vec![];
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    runs.iter().map(run).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn runs_are_drawn_together_and_pairs_are_not() {
        assert_eq!(ranges(&[1, 2, 3, 4, 6, 8, 9]), "1-4, 6, 8, 9");
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[5]), "5");
    }
}
