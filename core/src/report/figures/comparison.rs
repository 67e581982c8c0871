//! Networks against each other: two circuits and the overlap of their codes, or the distances between many.

use super::drawing::{Anchor, Area, Drawing, INK, SOFT};
use super::matrix::{Line, Side, draw_matrix, draw_scale};
use super::{Picture, WIDE};
use crate::compare::{Comparison, Examined, MEASURES, Pair, PairVerdict};
use crate::numeric::Matrix;

/// Everything that a comparison has to show. `examined` are the networks in the order of the comparison.
pub fn comparison_figures(found: &Comparison, examined: &[Examined]) -> Vec<Picture> {
    match (&found.pairs[..], examined) {
        ([pair], [first, second]) => two(pair, first, second).into_iter().collect(),
        _ => vec![distances(found)],
    }
}

/// The steps of two circuits beside each other, and their memories after the best rotation.
fn two(pair: &Pair, first: &Examined, second: &Examined) -> Option<Picture> {
    let panels: Vec<(String, &Matrix, [Side; 2])> = [first, second]
        .iter()
        .filter_map(|of| {
            let circuit = of.circuit.as_ref()?;
            let contents = of.found.details.contents.as_ref()?;
            let d = contents.task().d();
            let side = |name: &str| match &circuit.slots {
                Some(slots) => Side::variables(name, slots, d, circuit.step.ncols() - circuit.step.nrows()),
                None => Side::counted(name, circuit.step.nrows(), 8),
            };
            let down = match &circuit.slots {
                Some(slots) => Side::variables("to variable", slots, d, 0),
                None => side("to"),
            };
            Some((of.name.clone(), &circuit.step, [side("from variable"), down]))
        })
        .collect();
    if panels.is_empty() {
        return None;
    }
    let side = (WIDE - 3.0 * 30.0) / 3.0;
    let mut drawing = Drawing::new(WIDE, side + 62.0);
    let mut at = 28.0;
    for (name, step, sides) in &panels {
        let area = Area::new(at, 40.0, side, side);
        drawing.text((at + side / 2.0, 8.0), 8.0, Anchor::Middle, INK, name);
        draw_matrix(&mut drawing, area, step, 1.0, &sides[0], &sides[1]);
        at += side + 30.0;
    }
    let mut caption = format!(
        "One step of {} and of {}, as read from their states: {}.",
        first.name,
        second.name,
        pair.verdict.name().replace('-', " ")
    );
    if let Some(codes) = &pair.codes {
        let area = Area::new(at, 40.0, side, side);
        let members = second.circuit.as_ref().and_then(|circuit| circuit.slots.clone()).unwrap_or_default();
        let sides = |name: &str| Side::variables(name, &members, second.size.1, 0);
        drawing.text((at + side / 2.0, 8.0), 8.0, Anchor::Middle, INK, "memories, rotated");
        let cosines = &codes.alignment.overlap.cosines;
        draw_matrix(&mut drawing, area, cosines, 1.0, &sides(&second.name), &sides(&first.name));
        caption += " On the right cosines between memories after the best rotation.";
    }
    draw_scale(&mut drawing, Area::new(28.0, 40.0, side, side), 1.0);
    Some(Picture { name: "comparison", caption, drawing })
}

/// One matrix of distances a measure, networks in the order of their clusters.
fn distances(found: &Comparison) -> Picture {
    let order: Vec<usize> = found.clusters.iter().flat_map(|cluster| cluster.members.clone()).collect();
    let mut ends = vec![];
    found.clusters.iter().fold(0, |sum, cluster| {
        ends.push(sum + cluster.members.len());
        sum + cluster.members.len()
    });
    let count = MEASURES.len();
    let gap = 12.0;
    let side = (WIDE - 8.0 - gap * (count as f64 - 1.0)) / count as f64;
    let between = Side {
        name: String::new(),
        lines: ends
            .iter()
            .filter(|end| **end < order.len())
            .map(|&end| Line { at: end as f64, strong: false })
            .collect(),
        ticks: vec![],
    };
    // Pairs come in the order of the networks.
    let networks = found.networks.len();
    let mut by_place: Vec<Option<&Pair>> = vec![None; networks * networks];
    for pair in &found.pairs {
        by_place[pair.first * networks + pair.second] = Some(pair);
        by_place[pair.second * networks + pair.first] = Some(pair);
    }
    let at = |i: usize, j: usize| by_place[order[i] * networks + order[j]];
    let mut drawing = Drawing::new(WIDE, side + 48.0);
    for (k, (name, value)) in MEASURES.iter().enumerate() {
        let area = Area::new(4.0 + k as f64 * (side + gap), 18.0, side, side);
        let of = |i: usize, j: usize| if i == j { Some(0.0) } else { at(i, j).and_then(value) };
        let matrix = Matrix::from_fn(order.len(), order.len(), |i, j| of(i, j).unwrap_or(0.0));
        let largest = matrix.norm_max();
        drawing.text((area.x + side / 2.0, 9.0), 8.0, Anchor::Middle, INK, name);
        draw_matrix(&mut drawing, area, &matrix, largest.max(f64::MIN_POSITIVE), &between, &between);
        // What could not be measured is no distance of 0.
        let mut blank = String::new();
        for i in 0..order.len() {
            let cells = (0..order.len()).filter(|&j| of(i, j).is_none()).map(|j| format!("M{j} {i}h1v1h-1z"));
            blank.extend(cells);
        }
        let blank = format!("<path fill=\"#ffffff\" d=\"{blank}\"/>\n");
        drawing.grid(area, order.len(), order.len(), &blank);
        let told = found.separations.iter().find(|of| of.measure == *name).and_then(|of| of.told_apart);
        let said = told.map_or_else(|| "nothing to tell apart".into(), |share| format!("tells apart {share:.3}"));
        drawing.text((area.x + side / 2.0, area.bottom() + 11.0), 7.0, Anchor::Middle, INK, &said);
        let most = format!("largest {largest:.3}");
        drawing.text((area.x + side / 2.0, area.bottom() + 22.0), 6.5, Anchor::Middle, SOFT, &most);
    }
    let same = found.pairs.iter().filter(|pair| pair.verdict == PairVerdict::SameCircuit).count();
    let caption = format!(
        "Distances between {} networks in {} clusters of the same circuit ({same} of {} pairs), by the circuit and by the \
         field's measures; grey is 0, red the largest of each, white what could not be measured.",
        found.networks.len(),
        found.clusters.len(),
        found.pairs.len()
    );
    Picture { name: "distances", caption, drawing }
}
