//! What a network is made of and which part of its state is looked at: in words, and row by row for the page.

use crate::interpret::{Interpretation, StateView};
use crate::network::{Cell, CellKind, Network, PartKind};
use crate::observe::View;
use serde::Serialize;

/// Rows of the state that are looked at, under the name that axes give them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Part {
    /// A layer, h or what follows it.
    pub(super) name: String,
    /// The first row in the state.
    pub(super) first: usize,
    /// How many rows.
    pub(super) count: usize,
    /// Whether tanh of them is seen.
    pub(super) squashed: bool,
}

/// How an interpretation looked at the state.
pub(super) fn view(network: &Network, found: &Interpretation) -> View {
    match found.state {
        StateView::Units => View::units(network),
        StateView::Whole => View::whole(network),
    }
}

/// What that view shows, part under part.
pub(super) fn parts(network: &Network, state: StateView) -> Vec<Part> {
    let whole = state == StateView::Whole && network.has_inner_state();
    let name = |kind: PartKind, layer: usize| match (network.layers.len(), whole) {
        (1, _) => title_of(kind).to_string(),
        (_, false) => format!("layer {}", layer + 1),
        (_, true) => format!("{} {}", title_of(kind), layer + 1),
    };
    let seen = network.parts().into_iter().filter(|part| whole || part.kind == PartKind::H);
    seen.map(|part| Part {
        name: name(part.kind, part.layer),
        first: part.from,
        count: part.to - part.from,
        squashed: part.kind == PartKind::C,
    })
    .collect()
}

/// A part as it is looked at.
fn title_of(kind: PartKind) -> &'static str {
    match kind {
        PartKind::H => "h",
        PartKind::C => "tanh c",
        PartKind::Real => "Re x",
        PartKind::Imaginary => "Im x",
    }
}

/// The cell, its sizes, and what its state holds beside its units.
pub(super) fn made_of(network: &Network) -> String {
    let sizes: Vec<usize> = network.layers.iter().map(Cell::units).collect();
    let Some(kind) = network.kind() else {
        let layer = |cell: &Cell| format!("{} of {} units", cell.kind().title(), cell.units());
        return network.layers.iter().map(layer).collect::<Vec<_>>().join(", then ");
    };
    let sizes = match &sizes[..] {
        [one] => format!("{one} units"),
        [first, rest @ ..] if rest.iter().all(|size| size == first) => {
            format!("{} layers of {first} units", sizes.len())
        }
        _ => format!("layers of {} units", listed(&sizes)),
    };
    let more = match kind {
        CellKind::Lstm => Some("state (h, c)".into()),
        _ => network.activation().map(|activation| activation.name().to_string()),
    };
    let modes = network.layers.iter().find_map(|cell| match cell {
        Cell::Ssm(cell) if cell.imaginary.is_some() => Some(format!("{} complex modes", cell.modes())),
        Cell::Ssm(cell) => Some(format!("{} real modes", cell.modes())),
        _ => None,
    });
    [Some(kind.about().layer.into()), Some(sizes), modes, more]
        .into_iter()
        .flatten()
        .collect::<Vec<String>>()
        .join(", ")
}

/// What a network is called in a sentence: a plain one just that.
pub(super) fn noun(network: &Network) -> String {
    let kind = network.kind().unwrap_or_default().about().noun;
    match network.layers.len() {
        1 => kind.into(),
        layers => format!("{kind} of {layers} layers"),
    }
}

/// Whether it is one plain layer, which its units describe.
pub(super) fn is_plain(network: &Network) -> bool {
    network.as_elman().is_some()
}

/// How the whole state is written: the units and what follows them.
pub(super) fn whole_state(network: &Network) -> &'static str {
    network.kind().and_then(|kind| kind.about().whole_state).unwrap_or("of all layers")
}

fn listed(sizes: &[usize]) -> String {
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    match sizes.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => sizes.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Activation, Architecture, CellSettings, Initialization};

    fn network(cell: CellKind, layers: usize) -> Network {
        let of = Architecture {
            cell,
            layers,
            hidden: 5,
            activation: Activation::Tanh,
            bias: true,
            settings: CellSettings::usual(cell),
        };
        Initialization::Uniform.network(&of, 2, 2, 1)
    }

    fn seen(parts: &[Part], state: &[f64]) -> Vec<f64> {
        let part = |part: &Part| {
            let rows = state[part.first..part.first + part.count].iter();
            rows.map(|x| if part.squashed { x.tanh() } else { *x }).collect::<Vec<_>>()
        };
        parts.iter().flat_map(part).collect()
    }

    #[test]
    fn the_parts_are_what_the_interpretation_sees() {
        for (cell, layers) in CellKind::ALL.into_iter().flat_map(|cell| [(cell, 1), (cell, 2)]) {
            let network = network(cell, layers);
            let state: Vec<f64> = (0..network.state_size()).map(|k| (k as f64 * 0.7).sin()).collect();
            for (which, view) in [(StateView::Units, View::units(&network)), (StateView::Whole, View::whole(&network))]
            {
                let (page, library) = (seen(&parts(&network, which), &state), view.of_one(&state));
                assert_eq!(page.len(), library.len(), "{cell:?} {which:?}");
                let worst = page.iter().zip(&library).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(worst < 1e-15, "{cell:?} {which:?}: {worst}");
            }
        }
    }

    #[test]
    fn cells_are_named_with_their_sizes() {
        let named = [
            (CellKind::Elman, 1, "Elman, 5 units, tanh"),
            (CellKind::Gru, 1, "GRU, 5 units"),
            (CellKind::Lstm, 2, "LSTM, 2 layers of 5 units, state (h, c)"),
            (CellKind::Ssm, 1, "state-space layer, 5 units, 5 complex modes, tanh"),
        ];
        for (cell, layers, expected) in named {
            assert_eq!(made_of(&network(cell, layers)), expected);
        }
        let mut mixed = network(CellKind::Gru, 2);
        mixed.layers[1] = network(CellKind::Lstm, 2).layers.remove(1);
        assert_eq!(made_of(&mixed), "GRU of 5 units, then LSTM of 5 units");
        let mut uneven = network(CellKind::Gru, 1);
        uneven
            .layers
            .extend(Initialization::Uniform.network(&Architecture::elman(5, Activation::Tanh, true), 5, 2, 1).layers);
        assert_eq!(made_of(&uneven), "GRU of 5 units, then Elman of 5 units");
    }

    #[test]
    fn parts_of_several_layers_are_told_apart() {
        let names = |network: &Network, state| -> Vec<String> {
            parts(network, state).into_iter().map(|part| part.name).collect()
        };
        assert_eq!(names(&network(CellKind::Gru, 2), StateView::Whole), ["layer 1", "layer 2"]);
        assert_eq!(names(&network(CellKind::Lstm, 1), StateView::Whole), ["h", "tanh c"]);
        assert_eq!(names(&network(CellKind::Ssm, 1), StateView::Whole), ["h", "Re x", "Im x"]);
        assert_eq!(names(&network(CellKind::Ssm, 1), StateView::Units), ["h"]);
        assert_eq!(names(&network(CellKind::Lstm, 2), StateView::Whole)[3], "tanh c 2");
    }
}
