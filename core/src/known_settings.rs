//! Every setting that there is, from where each is declared.

use crate::compare::CompareParams;
use crate::develop::DevelopParams;
use crate::edit::EditParams;
use crate::setting::{Adjustable, Listed};

/// Every setting there is: of interpretation, and with the name of their command before them, those of commands beside it.
pub fn known_settings() -> Vec<Listed> {
    let beside =
        DevelopParams::default().list().into_iter().filter(|known| known.name.starts_with(DevelopParams::NAME));
    CompareParams::default().list().into_iter().chain(beside).chain(EditParams::default().list()).collect()
}
