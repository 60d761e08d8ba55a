//! Compares the instructions of the hot path with the recorded counts.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::counts::{Case, Counter};
use crate::message::{Ask, Wire};
use crate::servers::{self, Way};

/// The file with the recorded counts, by case name.
const RECORD: &str = "benches/instructions.toml";

/// The tolerated increase over the record, because builds differ by one or two percent.
const TOLERANCE_PERCENT: u64 = 3;

const CASES: [Case; 10] = [
    Case::new(Way::Stdio, Wire::Handshake, Ask::Add),
    Case::new(Way::Stdio, Wire::Stateless, Ask::Add),
    Case::new(Way::Stdio, Wire::Stateless, Ask::Echo(10 * 1024)),
    Case::new(Way::Stdio, Wire::Handshake, Ask::List),
    Case::new(Way::Http, Wire::Handshake, Ask::Add),
    Case::new(Way::Http, Wire::Stateless, Ask::Add),
    Case::new(Way::Stdio, Wire::Handshake, Ask::Add).layered(),
    Case::new(Way::Stdio, Wire::Stateless, Ask::Add).layered(),
    Case::new(Way::Http, Wire::Handshake, Ask::Add).layered(),
    Case::new(Way::Http, Wire::Stateless, Ask::Add).layered(),
];

/// Counts instructions, and fails if a count exceeds the record. With `accept`, the counts
/// replace the record instead.
pub(super) fn run(root: &Path, built: bool, accept: bool) -> Result<String, Box<dyn Error>> {
    let server = servers::ours();
    if !built {
        servers::build(root, &[server])?;
    }
    let mut counted = BTreeMap::new();
    for case in CASES {
        let count = Counter::Instructions.per_request(root, server, case)?;
        counted.insert(case.name(), count.round() as u64);
    }
    let path = root.join(RECORD);
    if accept {
        let table = toml::to_string(&counted)?;
        let head =
            "# Instructions of one request, as `cargo xtask bench --guard --accept` counts them.\n";
        fs::write(&path, format!("{head}{table}"))?;
    }
    let record: BTreeMap<String, u64> = toml::from_str(&fs::read_to_string(&path)?)?;
    let (text, slower) = compare(&counted, &record);
    if slower {
        Err(format!(
            "{text}the hot path has become slower; if that is worth it, say why in the change and \
             run `cargo xtask bench --guard --accept`"
        )
        .into())
    } else {
        Ok(text)
    }
}

/// Returns a report, and whether any count exceeds the record.
fn compare(counted: &BTreeMap<String, u64>, record: &BTreeMap<String, u64>) -> (String, bool) {
    let mut text = String::new();
    let mut slower = false;
    for (name, count) in counted {
        let Some(before) = record.get(name) else {
            slower = true;
            let _ = writeln!(text, "{name}: {count}, nothing on record");
            continue;
        };
        let change = *count as f64 / *before as f64 - 1.0;
        slower |= *count * 100 > *before * (100 + TOLERANCE_PERCENT);
        let percent = change * 100.0;
        let _ = writeln!(text, "{name}: {count}, on record {before}, {percent:+.1} %");
    }
    (text, slower)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_slower(counted: u64, record: &[(&str, u64)]) -> bool {
        let counted = BTreeMap::from([("call".to_owned(), counted)]);
        let record = record
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count));
        compare(&counted, &record.collect()).1
    }

    #[test]
    fn three_percent_more_than_on_record_are_tolerated() {
        assert!(!is_slower(1_030, &[("call", 1_000)]));
        assert!(is_slower(1_031, &[("call", 1_000)]));
        assert!(!is_slower(500, &[("call", 1_000)]));
    }

    #[test]
    fn what_is_not_on_record_fails() {
        assert!(is_slower(1, &[("other", 1)]));
    }
}
