//! Memories from the change of basis between the orbit's linear system and the theory's.

use super::{Evidence, Frame, MemoriesError, MemoriesParams, observability};
use crate::numeric::{RELATIVE_CUT, pseudo_inverse};

/// Both systems say the same over s steps: `O_Phi v = O_A z`, so `v = T z` with `T = pinv(O_Phi) O_A`.
pub(super) fn orbit(evidence: &Evidence<'_>, params: &MemoriesParams) -> Result<Frame, MemoriesError> {
    let (core, orbit, s) = (evidence.core, evidence.orbit, evidence.task.s());
    let said_by_theory = observability(&core.readout, &core.step, s);
    let said_by_orbit = observability(&(evidence.readout * &orbit.basis), &orbit.operator, s);
    let change = pseudo_inverse(&said_by_theory, RELATIVE_CUT)? * said_by_orbit;
    let memories = &orbit.basis * pseudo_inverse(&change, params.relative_cut)?;
    Ok(Frame { memories, readers: change * &orbit.dual })
}
