//! Every choice of some things among others.

/// How many choices of `size` among `all` there are; a float, as there may be very many.
pub(crate) fn subset_count(all: usize, size: usize) -> f64 {
    (0..size).fold(1.0, |count, k| count * all.saturating_sub(k) as f64 / (k + 1) as f64)
}

/// Shows every choice of `size` among the first `all` numbers, each rising, in lexical order.
pub(crate) fn for_each_subset(all: usize, size: usize, mut see: impl FnMut(&[usize])) {
    if size > all {
        return;
    }
    let mut choice: Vec<usize> = (0..size).collect();
    loop {
        see(&choice);
        let Some(at) = (0..size).rev().find(|&k| choice[k] < all - size + k) else { return };
        choice[at] += 1;
        (at + 1..size).for_each(|k| choice[k] = choice[k - 1] + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_made_once() {
        let mut seen: Vec<Vec<usize>> = vec![];
        for_each_subset(5, 3, |choice| seen.push(choice.to_vec()));
        assert_eq!((seen.len(), &seen[0][..], &seen[9][..]), (10, &[0, 1, 2][..], &[2, 3, 4][..]));
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(subset_count(5, 3), 10.0);
        for_each_subset(2, 3, |_| panic!("there is no such choice"));
    }
}
