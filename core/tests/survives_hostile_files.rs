//! Damaged and hostile files are refused with a clear error: no panic, no code run, no memory out of proportion.

#![allow(clippy::unwrap_used, reason = "a test stops where something is wrong")]

use crate::hostile::*;
use ketbra::network::{MAX_FILE_BYTES, Network, NetworkError, NetworkFile};
use std::path::Path;

fn read(file: &[u8]) -> Result<Network, NetworkError> {
    NetworkFile::from_bytes(file, Path::new("net.file"), None).map(|file| file.network)
}

/// The message for a file that is refused, without memory out of proportion.
fn refused(file: &[u8]) -> String {
    let (result, peak) = with_peak_memory(|| read(file));
    assert!(peak < 4096 + 100 * file.len(), "{peak} bytes for a file of {}", file.len());
    result.unwrap_err().to_string()
}

/// The message for a state dict with one weight exchanged.
fn refused_weight(weight: Weight) -> String {
    let mut weights = weights();
    weights.retain(|other| other.name != weight.name);
    weights.push(weight);
    refused(&pytorch(&[state_dict(&weights), b".".to_vec()].concat(), &weights))
}

/// The message for a pickle that goes on like this after a whole state dict.
fn refused_program(continued: &[u8]) -> String {
    refused(&pytorch(&[state_dict(&weights()), continued.to_vec()].concat(), &weights()))
}

fn assert_says(message: &str, part: &str) {
    assert!(message.contains(part), "expected '{part}' in: {message}");
}

fn safetensors(header: &str, data: usize) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; data]].concat()
}

#[test]
fn the_hand_made_files_are_networks_before_they_are_damaged() {
    let network = read(&pytorch(&[state_dict(&weights()), b".".to_vec()].concat(), &weights())).unwrap();
    assert_eq!((network.hidden(), network.as_elman().unwrap().recurrent_weights[(1, 0)]), (3, 3.0 / 8.0));
    let network = read(&npz("weight_hh_l0.npy", array(3, 3))).unwrap();
    assert_eq!((network.hidden(), network.as_elman().unwrap().recurrent_weights[(1, 0)]), (3, 3.0 / 8.0));
}

#[test]
fn every_truncation_of_every_format_is_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import");
    for name in ["lightning.ckpt", "state_dict.pt", "deflated.npz", "stored.npz", "state_dict.expected.safetensors"] {
        let file = std::fs::read(folder.join(name)).unwrap();
        for length in 0..file.len() {
            refused(&file[..length]);
        }
    }
}

#[test]
fn a_file_of_nothing_is_refused() {
    assert_says(&refused(b""), "cannot tell what net.file is");
}

#[test]
fn a_file_beyond_the_limit_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.pt");
    std::fs::File::create(&path).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    let (result, peak) = with_peak_memory(|| NetworkFile::open(&path));
    assert_says(&result.unwrap_err().to_string(), "has 1073741825 bytes, more than the limit of 1073741824");
    assert!(peak < 4096, "{peak}");
}

// Pickles.

#[test]
fn a_pickle_that_calls_os_system_is_refused_by_name_and_not_run() {
    let marker = tempfile::tempdir().unwrap().path().join("run");
    let command = format!("touch {}", marker.display());
    let program = [b"cposix\nsystem\n(", &text(&command)[..], b"tR."].concat();
    assert_says(&refused(&pytorch(&program, &[])), "asks to run posix.system while loading");
    assert_says(&refused(&[b"\x80\x02", &program[..]].concat()), "asks to run posix.system while loading");
    assert!(!marker.exists());
}

#[test]
fn calls_of_eval_and_others_are_refused_by_name_in_every_spelling() {
    assert_says(&refused_program(b"c__builtin__\neval\n(X\x01\0\0\x001tR."), "asks to run __builtin__.eval");
    let stack_global = [&text("subprocess")[..], &text("Popen"), b"\x93)R."].concat();
    assert_says(&refused_program(&stack_global), "asks to run subprocess.Popen");
    assert_says(&refused_program(b"(S'ls'\nios\nsystem\n."), "asks to run os.system");
    assert_says(&refused_program(b"(cbuiltins\nexec\nS'1'\no."), "asks to run builtins.exec");
    assert_says(&refused_program(b"cos.path\n__builtins__\n."), "asks to run os.path.__builtins__");
}

#[test]
fn a_protocol_0_pickle_outside_of_an_archive_is_refused_by_what_it_runs() {
    let file = NetworkFile::from_bytes(b"cos\nsystem\n(S'ls'\ntR.", Path::new("net.pt"), None);
    assert_says(&file.unwrap_err().to_string(), "asks to run os.system");
}

#[test]
fn an_unknown_call_beside_the_weights_is_inert() {
    let junk = b"Xjunk".iter().take(1).chain(b"\x04\0\0\0junkcsomebody\nanything\n(K\x01tR}bs.");
    let program: Vec<u8> = state_dict(&weights()).into_iter().chain(junk.copied()).collect();
    assert_eq!(read(&pytorch(&program, &weights())).unwrap().hidden(), 3);
}

#[test]
fn taking_from_an_empty_stack_is_refused() {
    for program in
        [&b"\x80\x02."[..], b"0.", b"R.", b"t.", b"u.", b"\x87.", b"b.", b"2.", b"Q.", b"(0.", b"q\0.", b"}(s."]
    {
        assert_says(&refused(&pytorch(program, &[])), "inconsistent at byte");
    }
}

#[test]
fn filling_a_number_like_a_list_or_dictionary_is_refused() {
    assert_says(&refused_program(b"K\x01K\x02a."), "inconsistent");
    assert_says(&refused_program(b"K\x01K\x02K\x03s."), "inconsistent");
    assert_says(&refused_program(b"}(K\x01u."), "inconsistent");
}

#[test]
fn a_memo_that_was_never_filled_is_refused() {
    assert_says(&refused_program(b"h\x07."), "inconsistent");
}

#[test]
fn memo_places_of_any_size_take_no_memory() {
    let places = (0..1000u32).flat_map(|k| [&b"Nr"[..], &(u32::MAX - k).to_le_bytes(), b"0"].concat());
    let program = [state_dict(&weights()), places.collect(), b".".to_vec()].concat();
    let (network, peak) = with_peak_memory(|| read(&pytorch(&program, &weights())));
    assert_eq!(network.unwrap().hidden(), 3);
    assert!(peak < 1 << 20, "{peak}");
}

#[test]
fn doubling_through_the_memo_stays_linear() {
    let doubled = b"}q\x01".iter().chain(b"X\x01\0\0\0ah\x01sX\x01\0\0\0bh\x01s".iter().cycle().take(18 * 1000));
    let program: Vec<u8> = doubled.chain(b".").copied().collect();
    assert_says(&refused(&pytorch(&program, &[])), "no tensor 'weight_hh_l0'");
    let tuples: Vec<u8> = b"N".iter().chain([b'2', 0x86].iter().cycle().take(20_000)).chain(b".").copied().collect();
    assert_says(&refused(&pytorch(&tuples, &[])), "no tensor 'weight_hh_l0'");
}

#[test]
fn nesting_of_any_depth_does_not_exhaust_the_stack() {
    let depth = 200_000;
    let tuples: Vec<u8> = [vec![b')'], vec![0x85; depth], vec![b'.']].concat();
    assert_says(&refused(&pytorch(&tuples, &[])), "no tensor 'weight_hh_l0'");
    let marks: Vec<u8> = [vec![b'('; depth], vec![b't'; depth], vec![b'.']].concat();
    assert_says(&refused(&pytorch(&marks, &[])), "no tensor 'weight_hh_l0'");
    let open: Vec<u8> = b"}X\x01\0\0\0a".iter().cycle().take(7 * depth).copied().collect();
    let dictionaries = [open, vec![b'N'], vec![b's'; depth], vec![b'.']].concat();
    assert_says(&refused(&pytorch(&dictionaries, &[])), "longer than 512 bytes");
}

#[test]
fn a_text_longer_than_the_pickle_is_refused() {
    assert_says(&refused_program(b"X\xff\xff\xff\xff."), "cut short or damaged");
    assert_says(&refused_program(b"\x8d\xff\xff\xff\xff\xff\xff\xff\xff."), "cut short or damaged");
    assert_says(&refused_program(b"\x8b\xff\xff\xff\xff."), "cut short or damaged");
}

#[test]
fn an_opcode_that_no_weights_need_is_refused_by_number() {
    assert_says(&refused_program(b"\x82\x01."), "the opcode 0x82");
}

#[test]
fn a_tensor_beyond_its_storage_is_refused_by_name() {
    let beyond = Weight { offset: 1, ..matrix("rnn.weight_hh_l0", 3, 3) };
    assert_says(&refused_weight(beyond), "'rnn.weight_hh_l0' is no tensor that fits its storage");
    let claimed = Weight { length: 200, ..matrix("rnn.weight_hh_l0", 12, 12) };
    assert_says(&refused_weight(claimed), "'rnn.weight_hh_l0' is no tensor that fits its storage");
}

#[test]
fn negative_overflowing_and_missing_sizes_are_refused_by_name() {
    let (largest, name) = (i64::MAX, "rnn.weight_hh_l0");
    for (shape, strides, offset) in [
        (vec![-3, 3], vec![3, 1], 0),
        (vec![3, 3], vec![-3, 1], 0),
        (vec![3, 3], vec![3, 1], -1),
        (vec![largest, largest], vec![1, 1], 0),
        (vec![3, 3], vec![largest, largest], 0),
        (vec![3, 3], vec![3, 1], largest),
        (vec![3, 3], vec![3], 0),
        (vec![1; 100], vec![1; 100], 0),
    ] {
        let weight = Weight { name, shape, strides, offset, length: 9 };
        assert_says(&refused_weight(weight), "'rnn.weight_hh_l0' is no tensor that fits its storage");
    }
}

#[test]
fn a_huge_tensor_repeated_out_of_one_number_is_refused() {
    let repeated = Weight { strides: vec![0, 0], length: 1, ..matrix("rnn.weight_hh_l0", 1 << 20, 1 << 20) };
    assert_says(&refused_weight(repeated), "'rnn.weight_hh_l0' is no tensor that fits its storage");
}

#[test]
fn an_empty_tensor_with_one_absurd_size_is_refused() {
    let empty = Weight { length: 0, ..matrix("rnn.weight_hh_l0", 1 << 60, 0) };
    assert_says(&refused_weight(empty), "at least one row and column is needed");
}

#[test]
fn a_storage_that_is_not_there_is_refused_by_name() {
    let file = pytorch(&[state_dict(&weights()), b".".to_vec()].concat(), &weights()[..2]);
    assert_says(&refused(&file), "no entry 'net/data/2'");
}

// Shapes and values, in any format.

#[test]
fn a_recurrent_matrix_that_is_not_square_is_refused() {
    let message = refused_weight(matrix("rnn.weight_hh_l0", 3, 2));
    assert_says(&message, "rnn.weight_hh_l0 has shape [3, 2]: rows must be 1 (Elman), 3 (GRU) or 4");
    assert_says(
        &refused(&npz("weight_hh_l0.npy", array(3, 5))),
        "has shape [3, 5]: rows must be 1 (Elman), 3 (GRU) or 4 (LSTM) times the columns",
    );
}

#[test]
fn an_input_matrix_of_the_wrong_height_is_refused() {
    assert_says(&refused_weight(matrix("rnn.weight_ih_l0", 4, 2)), "rnn.weight_ih_l0 has shape [4, 2]");
}

#[test]
fn a_vector_in_place_of_a_matrix_is_refused() {
    let vector = Weight { shape: vec![9], strides: vec![1], ..matrix("rnn.weight_hh_l0", 3, 3) };
    assert_says(&refused_weight(vector), "rnn.weight_hh_l0 has shape [9], but a matrix");
}

#[test]
fn weights_that_are_nan_or_infinite_are_refused() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut file = array(3, 3);
        let last = file.len() - 8;
        file[last..].copy_from_slice(&bad.to_le_bytes());
        assert_says(&refused(&npz("weight_hh_l0.npy", file)), "rnn.weight_hh_l0 holds NaN or infinite values");
    }
}

// Arrays.

#[test]
fn arrays_of_python_objects_are_refused_as_weights_and_left_out_beside_them() {
    let objects = || npy("{'descr': '|O', 'fortran_order': False, 'shape': (), }", b"cos\nsystem\n(S'ls'\ntR.");
    assert_says(&refused(&npz("weight_hh_l0.npy", objects())), "array of Python objects, which are never loaded");
    assert_eq!(read(&npz("config.npy", objects())).unwrap().hidden(), 3);
}

#[test]
fn shapes_that_do_not_fit_the_data_are_refused_before_allocating() {
    for shape in ["(3, 4)", "(18446744073709551615, 18446744073709551615)", "(4294967296, 4294967296)", "(0, 3)", "()"]
    {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        assert_says(&refused(&npz("weight_hh_l0.npy", npy(&header, &[0; 72]))), "does not fit its 72 bytes of data");
    }
}

#[test]
fn an_empty_array_with_one_absurd_size_is_refused() {
    for order in ["False", "True"] {
        let header = format!("{{'descr': '<f8', 'fortran_order': {order}, 'shape': (1152921504606846976, 0)}}");
        assert_says(&refused(&npz("weight_hh_l0.npy", npy(&header, &[]))), "at least one row and column");
    }
}

#[test]
fn array_headers_that_are_not_plain_descriptions_are_refused() {
    for header in [
        "",
        "{}",
        "{'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3)",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3)} + 1",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), 'shape': (3, 3)}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 99999999999999999999999)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': [3, 3]}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (9,)}",
        "{'descr': __import__('os').system('ls'), 'fortran_order': False, 'shape': (3, 3)}",
    ] {
        assert_says(&refused(&npz("weight_hh_l0.npy", npy(header, &[0; 72]))), "its header is damaged");
    }
}

#[test]
fn array_headers_of_absurd_length_or_version_are_refused() {
    let long = [&b"\x93NUMPY\x02\x00"[..], &u32::MAX.to_le_bytes(), b"{"].concat();
    assert_says(&refused(&npz("weight_hh_l0.npy", long)), "4294967295 bytes long, more than the limit of 10000");
    assert_says(&refused(&npz("weight_hh_l0.npy", b"\x93NUMPY\x09\x00\x00\x00".to_vec())), "format version 9");
    assert_says(&refused(&npz("weight_hh_l0.npy", b"PLAINTEXT".to_vec())), "does not start as a NumPy array");
}

// Archives.

#[test]
fn a_bomb_that_states_its_size_is_refused_before_unpacking() {
    let bomb = |size| Entry { method: 8, size, ..stored("weight_hh_l0.npy", &[0; 1000]) };
    assert_says(&refused(&zip(&[bomb(1 << 21)])), "1000 bytes unpack to 2097152, more than compression can reach");
    assert_says(&refused(&zip(&[bomb(1 << 29)])), "unpacks to 536870912, over 16 times as many");
}

#[test]
fn a_bomb_that_hides_its_size_is_stopped_at_the_size_it_states() {
    // Deflate: one literal 0, then matches of 258 zeros at distance 1, written with the fixed code (RFC 1951, 3.2.6).
    let (mut bits, mut packed) = (vec![true, true, false], Vec::new());
    bits.extend([false, false, true, true, false, false, false, false]);
    (0..20_000).for_each(|_| {
        bits.extend([true, true, false, false, false, true, false, true, false, false, false, false, false])
    });
    bits.extend([false; 7]);
    for byte in bits.chunks(8) {
        packed.push(byte.iter().enumerate().map(|(place, bit)| u8::from(*bit) << place).sum());
    }
    let whole = Entry { method: 8, size: 1 + 20_000 * 258, ..stored("a.npy", &packed) };
    // The start is enough to refuse it, however much follows.
    assert_says(&refused(&zip(&[whole])), "does not start as a NumPy array does");
    let hidden = Entry { method: 8, size: 1000, ..stored("a.npy", &packed) };
    assert_says(&refused(&zip(&[hidden])), "not as long as the directory says");
}

#[test]
fn an_archive_that_unpacks_beyond_the_limit_is_refused() {
    let half = |name| Entry { size: 3 << 28, ..stored(name, b"") };
    assert_says(&refused(&zip(&[half("a.npy"), half("b.npy")])), "unpacks to 1610612736 bytes, more than the limit");
}

#[test]
fn an_entry_shorter_or_longer_than_stated_is_refused() {
    for size in [0, 5, 1000] {
        let entry = Entry { size, ..stored("weight_hh_l0.npy", b"contents") };
        assert_says(&refused(&zip(&[entry])), "not as long as the directory says");
    }
}

#[test]
fn an_entry_with_other_bytes_than_were_written_is_refused() {
    let entry = Entry { checksum: 7, ..stored("weight_hh_l0.npy", b"contents") };
    assert_says(&refused(&zip(&[entry])), "'weight_hh_l0.npy' does not match its checksum");
}

#[test]
fn encryption_and_unusual_compression_are_refused() {
    let encrypted = Entry { flags: 1, ..stored("a.npy", b"contents") };
    assert_says(&refused(&zip(&[encrypted])), "cannot be read (method 0)");
    let lzma = Entry { method: 14, ..stored("a.npy", b"contents") };
    assert_says(&refused(&zip(&[lzma])), "cannot be read (method 14)");
}

#[test]
fn one_name_twice_in_an_archive_is_refused() {
    let entry = stored("weight_hh_l0.npy", b"contents");
    assert_says(&refused(&zip(&[entry.clone(), entry])), "holds 'weight_hh_l0.npy' twice");
}

#[test]
fn an_archive_of_something_else_is_refused_by_what_it_holds() {
    assert_says(&refused(&zip(&[stored("word/document.xml", b"")])), "[word/document.xml]");
    assert_says(&refused(&zip(&[])), "neither arrays (.npy) nor a data.pkl");
}

// Safetensors.

#[test]
fn a_safetensors_header_of_absurd_length_is_refused() {
    for length in [u64::MAX, 1 << 40, 99_999_999] {
        let file = [&length.to_le_bytes()[..], b"{}"].concat();
        assert_says(&refused(&file), "not a readable safetensors file");
    }
}

#[test]
fn safetensors_shapes_and_offsets_that_do_not_fit_the_data_are_refused() {
    for about in [
        r#""shape":[3,3],"data_offsets":[0,99]"#,
        r#""shape":[4294967296,4294967296,4],"data_offsets":[0,36]"#,
        r#""shape":[3,3],"data_offsets":[36,0]"#,
        r#""shape":[-3,3],"data_offsets":[0,36]"#,
        r#""shape":[3,3],"data_offsets":[18446744073709551615,36]"#,
    ] {
        let header = format!(r#"{{"rnn.weight_hh_l0":{{"dtype":"F32",{about}}}}}"#);
        assert_says(&refused(&safetensors(&header, 36)), "not a readable safetensors file");
    }
}

#[test]
fn an_empty_safetensors_matrix_with_one_absurd_size_is_refused() {
    let header = r#"{"weight_hh_l0":{"dtype":"F32","shape":[1152921504606846976,0],"data_offsets":[0,0]}}"#;
    assert_says(&refused(&safetensors(header, 0)), "at least one row and column");
}

#[test]
fn an_activation_that_is_not_known_is_refused_with_those_that_are() {
    let header = r#"{"__metadata__":{"activation":"sine"}}"#;
    assert_says(&refused(&safetensors(header, 0)), "unknown variant `sine`, expected one of `tanh`");
}
