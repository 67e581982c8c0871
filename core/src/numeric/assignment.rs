//! The cheapest one-to-one matching of two sets of equal size.

/// For each of `size` rows its column, so that the sum of `cost(row, column)` is least.
///
/// Rows are added one at a time, each along the path that costs least under prices that keep every matched pair tight (Kuhn,
/// Munkres; cubic in the size). Costs must be finite.
pub fn assignment(size: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let (mut row_price, mut column_price) = (vec![0.0; size], vec![0.0; size]);
    let mut row_of: Vec<Option<usize>> = vec![None; size];
    for row in 0..size {
        let mut reached = vec![false; size];
        let mut dearest = vec![f64::INFINITY; size];
        let mut from: Vec<Option<usize>> = vec![None; size];
        // The column whose row is looked at next; at first there is only the new row.
        let (mut at, mut looked) = (None, row);
        let free = loop {
            let mut next: Option<usize> = None;
            for column in (0..size).filter(|&column| !reached[column]) {
                let slack = cost(looked, column) - row_price[looked] - column_price[column];
                if slack < dearest[column] {
                    (dearest[column], from[column]) = (slack, at);
                }
                if next.is_none_or(|best| dearest[column] < dearest[best]) {
                    next = Some(column);
                }
            }
            let Some(column) = next else { break None };
            let step = dearest[column];
            row_price[row] += step;
            for other in 0..size {
                match (reached[other], row_of[other]) {
                    (true, Some(owner)) => {
                        row_price[owner] += step;
                        column_price[other] -= step;
                    }
                    _ => dearest[other] -= step,
                }
            }
            reached[column] = true;
            match row_of[column] {
                None => break Some(column),
                Some(owner) => (at, looked) = (Some(column), owner),
            }
        };
        // Every column on the path changes hands.
        let mut column = free;
        while let Some(here) = column {
            let before = from[here];
            row_of[here] = before.map_or(Some(row), |before| row_of[before]);
            column = before;
        }
    }
    let mut column_of = vec![0; size];
    row_of.iter().enumerate().for_each(|(column, row)| {
        if let Some(row) = row {
            column_of[*row] = column;
        }
    });
    column_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cheapest(costs: &[Vec<f64>], row: usize, used: &mut Vec<bool>) -> f64 {
        if row == costs.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..costs.len() {
            if !used[column] {
                used[column] = true;
                best = best.min(costs[row][column] + cheapest(costs, row + 1, used));
                used[column] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn no_other_matching_is_cheaper(size in 1usize..7, values in prop::collection::vec(0.0..1.0f64, 36)) {
            let costs: Vec<Vec<f64>> = (0..size).map(|i| (0..size).map(|j| values[i * 6 + j]).collect()).collect();
            let found = assignment(size, |i, j| costs[i][j]);
            let mut columns = found.clone();
            columns.sort_unstable();
            prop_assert_eq!(columns, (0..size).collect::<Vec<_>>());
            let sum: f64 = found.iter().enumerate().map(|(i, &j)| costs[i][j]).sum();
            prop_assert!((sum - cheapest(&costs, 0, &mut vec![false; size])).abs() < 1e-12);
        }
    }
}
