//! A network whose outputs cannot be its inputs: there is nothing to run and to measure, and that is what is said.

use super::{
    Details, InterpretParams, Interpretation, NetworkSummary, Spectra, StateView, TaskSummary, Verdict, Warning,
};
use crate::claims::Reason;
use crate::network::Network;
use crate::recurrence::Confidence;
use crate::spectrum::Spectrum;

pub(super) fn of_another_kind(network: &Network, s: usize, params: &InterpretParams) -> Interpretation {
    let (inputs, outputs) = (network.inputs(), network.outputs());
    Interpretation {
        task: TaskSummary { name: None, s, d: outputs, core: None },
        blind: true,
        hidden: network.state_size(),
        network: Some(NetworkSummary::of(network)),
        stimulus: None,
        kind: None,
        state: StateView::Whole,
        whole_state: None,
        accuracy: None,
        outputs: vec![],
        verdict: Verdict::OtherKind,
        reasons: vec![Reason::SizesDiffer { inputs, outputs }],
        claims: vec![],
        control: None,
        code: None,
        not_linear: vec![],
        spectrum: Spectra {
            origin: None,
            fixed_point: None,
            orbit: Spectrum::unknown(&params.orbit_spectrum),
            memories: None,
        },
        recording: None,
        over_time: None,
        superposition: None,
        rank: None,
        memories: None,
        methods: None,
        recurrence: None,
        function: vec![],
        recurrence_in_words: vec![],
        confidence: Confidence::CannotTell,
        readings: vec![],
        warnings: vec![Warning::InputsAtEveryStep.into()],
        params: params.clone(),
        details: Details::default(),
    }
}
