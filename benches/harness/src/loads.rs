//! The measured cases, in the order of the tables.

use crate::counts::Case;
use crate::message::{Ask, Wire};
use crate::servers::Way;
use crate::timing::Load;

/// Returns the cases whose instructions and allocations are counted.
pub(super) fn counted() -> Vec<Case> {
    let mut cases = Vec::new();
    for way in [Way::Stdio, Way::Http] {
        for wire in Wire::BOTH {
            for ask in [Ask::Add, Ask::Echo(10 << 10), Ask::List] {
                cases.push(Case::new(way, wire, ask));
            }
        }
    }
    cases
}

pub(super) fn stdio() -> Vec<Load> {
    let mut loads = Vec::new();
    for wire in Wire::BOTH {
        for (ask, at_once) in [
            (Ask::Add, 1),
            (Ask::Add, 16),
            (Ask::Add, 128),
            (Ask::Echo(100), 16),
            // The client does not read while it writes, so requests in flight must fit into the
            // pipe.
            (Ask::Echo(10 << 10), 4),
            (Ask::Echo(1 << 20), 1),
            (Ask::List, 16),
        ] {
            let case = Case::new(Way::Stdio, wire, ask);
            loads.push(Load { case, at_once });
        }
    }
    loads
}

pub(super) fn http() -> Vec<Load> {
    let mut loads = Vec::new();
    for wire in Wire::BOTH {
        for (ask, at_once) in [
            (Ask::Add, 1),
            (Ask::Add, 8),
            (Ask::Add, 64),
            (Ask::Echo(10 << 10), 8),
            (Ask::List, 8),
        ] {
            let case = Case::new(Way::Http, wire, ask);
            loads.push(Load { case, at_once });
        }
    }
    loads
}
