//! Whatever bytes a file holds, reading it neither panics nor takes memory out of proportion: one property a parser.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use crate::hostile::*;
use ketbra::network::NetworkFile;
use proptest::prelude::*;
use std::path::Path;

/// A few bytes of a valid file set to anything, a part cut out or doubled.
fn damaged(file: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let place = 0..file.len();
    let changes = prop::collection::vec((place.clone(), any::<u8>()), 0..6);
    (changes, place.clone(), place, 0..3u8).prop_map(move |(changes, a, b, cut)| {
        let (mut file, start, end) = (file.clone(), a.min(b), a.max(b));
        changes.into_iter().for_each(|(place, byte)| file[place] = byte);
        match cut {
            0 => file,
            1 => [&file[..start], &file[end..]].concat(),
            _ => [&file[..end], &file[start..]].concat(),
        }
    })
}

fn survives(file: &[u8]) -> Result<(), TestCaseError> {
    let (_, peak) = with_peak_memory(|| NetworkFile::from_bytes(file, Path::new("net.file"), None));
    prop_assert!(peak < 65_536 + 1100 * file.len(), "{} bytes for a file of {}", peak, file.len());
    Ok(())
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(name)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_pickles_are_survived(program in damaged([state_dict(&weights()), b"}b.".to_vec()].concat())) {
        survives(&pytorch(&program, &weights()))?;
    }

    #[test]
    fn random_pickles_are_survived(program in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&pytorch(&program, &weights()))?;
    }

    #[test]
    fn damaged_arrays_are_survived(array in damaged(array(3, 3))) {
        survives(&npz("weight_hh_l0.npy", array))?;
    }

    #[test]
    fn damaged_stored_archives_are_survived(file in damaged(fixture("stored.npz"))) {
        survives(&file)?;
    }

    #[test]
    fn damaged_deflated_archives_are_survived(file in damaged(fixture("deflated.npz"))) {
        survives(&file)?;
    }

    #[test]
    fn damaged_checkpoints_are_survived(file in damaged(fixture("lightning.ckpt"))) {
        survives(&file)?;
    }

    #[test]
    fn damaged_safetensors_are_survived(file in damaged(fixture("lightning.expected.safetensors"))) {
        survives(&file)?;
    }

    #[test]
    fn random_files_of_every_extension_are_survived(
        file in prop::collection::vec(any::<u8>(), 0..200),
        name in "net\\.(safetensors|npz|pt|ckpt|txt)",
    ) {
        prop_assert!(NetworkFile::from_bytes(&file, Path::new(&name), None).is_err());
    }
}
