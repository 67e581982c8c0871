//! Groups of permutations, by name.

/// The most elements of a group that is written out.
pub(super) const MOST_ELEMENTS: usize = 120;

/// The elements of a group: where each of n things goes. The identity comes first.
pub(super) fn group(name: &str) -> Option<Vec<Vec<usize>>> {
    let (kind, number) = name.split_at_checked(1)?;
    let n: usize = number.parse().ok()?;
    let rotation = |n: usize| (0..n).map(|k| (k + 1) % n).collect::<Vec<usize>>();
    match kind {
        "s" if (2..=5).contains(&n) => Some(permutations(n, false)),
        "a" if (3..=5).contains(&n) => Some(permutations(n, true)),
        "z" if (2..=MOST_ELEMENTS).contains(&n) => Some(generated(vec![rotation(n)])),
        // Rotations and reflections of a polygon.
        "d" if (3..=MOST_ELEMENTS / 2).contains(&n) => Some(generated(vec![rotation(n), (0..n).rev().collect()])),
        _ => None,
    }
}

/// All permutations: the even ones first, both parts with the identity's rotations before the rest.
fn permutations(n: usize, even_only: bool) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in 0..n {
        let longer = |so_far: &Vec<usize>| {
            let so_far = so_far.clone();
            (0..n).filter(|k| !so_far.contains(k)).map(|k| [so_far.clone(), vec![k]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let odd = |of: &Vec<usize>| {
        (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| of[j] > of[i]).count() % 2 == 1
    };
    let rotation = |of: &Vec<usize>| !(0..n).all(|k| of[k] == (of[0] + k) % n);
    all.sort_by_key(|of| (odd(of), rotation(of)));
    all.retain(|of| !(even_only && odd(of)));
    if n == 3 && !even_only {
        // The order in which the field writes S3: 102, 021, 210.
        all[3..].sort_by_key(|of| (0..3).position(|k| of[k] == k).map(|fixed| [1, 2, 0][fixed]));
    }
    all
}

/// Everything that products of some permutations make.
fn generated(by: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![(0..by[0].len()).collect()];
    let mut next = 0;
    while next < all.len() {
        for of in &by {
            let product = product(of, &all[next]);
            if !all.contains(&product) {
                all.push(product);
            }
        }
        next += 1;
    }
    all
}

/// First b, then a.
pub(super) fn product(a: &[usize], b: &[usize]) -> Vec<usize> {
    b.iter().map(|&k| a[k]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_closed_and_have_as_many_elements_as_they_should() {
        for (name, count) in [("s3", 6), ("s4", 24), ("s5", 120), ("a4", 12), ("a5", 60), ("z7", 7), ("d4", 8)] {
            let all = group(name).unwrap();
            assert_eq!(all.len(), count, "{name}");
            assert!(all[0].iter().enumerate().all(|(k, to)| k == *to), "{name} begins with the identity");
            assert!(all.iter().all(|a| all.iter().all(|b| all.contains(&product(a, b)))), "{name}");
        }
        assert!(group("s6").is_none() && group("q8").is_none() && group("").is_none());
    }

    #[test]
    fn s3_stands_in_the_order_of_the_field() {
        let names: Vec<String> =
            group("s3").unwrap().iter().map(|of| of.iter().map(usize::to_string).collect()).collect();
        assert_eq!(names, ["012", "120", "201", "102", "021", "210"]);
    }
}
