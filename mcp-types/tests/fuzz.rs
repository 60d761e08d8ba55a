//! Runs the checks of the fuzz targets on their corpus and on mutated inputs, without a fuzzer.

#![allow(clippy::unwrap_used)]

#[macro_use]
#[rustfmt::skip]
#[path = "generated/types.rs"]
mod types;

#[path = "../../fuzz/checks/message.rs"]
mod message;
#[path = "../../fuzz/checks/model.rs"]
mod model;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::Path;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    let entries = std::fs::read_dir(folder.join(target)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

/// Pieces of JSON, to insert at random places.
const PIECES: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"null",
    b"true",
    b"0",
    b"-1.5e3",
    b"1e400",
    b"9223372036854775808",
    b"\"type\":",
    b"\"_meta\":{}",
    b"\\ud800",
    b"\n",
    b"\xff",
    b"",
];

/// Generates inputs of the corpus with some bytes replaced by pieces.
fn mutated(target: &str) -> impl Strategy<Value = Vec<u8>> {
    let cuts = prop::collection::vec((any::<Index>(), 0..8_usize, select(PIECES)), 0..6);
    (select(corpus(target)), cuts).prop_map(|(mut bytes, cuts)| {
        for (start, length, piece) in cuts {
            let start = start.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, piece.iter().copied());
        }
        bytes
    })
}

#[test]
fn the_corpus_of_messages_holds() {
    corpus("message")
        .iter()
        .for_each(|bytes| message::check(bytes));
}

#[test]
fn the_corpus_of_the_model_holds() {
    corpus("model").iter().for_each(|bytes| model::check(bytes));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn mutated_messages_hold(bytes in mutated("message")) {
        message::check(&bytes);
    }

    #[test]
    fn arbitrary_bytes_hold(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        message::check(&bytes);
    }

    #[test]
    fn mutated_values_hold(bytes in mutated("model")) {
        model::check(&bytes);
    }
}
