//! Documents that a reader expects to find.

use super::violation::{Rule, Violation};
use super::workspace::Workspace;

const PRESENT: Rule = Rule {
    name: "the usual documents are there",
    mend: "write it",
};

const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
];

pub(super) fn check(workspace: &Workspace, violations: &mut Vec<Violation>) {
    for path in DOCUMENTS {
        if workspace.get(path).is_none() {
            violations.push(PRESENT.broken_at(path, 1, "missing"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::places;
    use super::{DOCUMENTS, check};

    #[test]
    fn each_missing_document_is_named() {
        let all: Vec<_> = DOCUMENTS.iter().map(|path| (*path, "")).collect();
        assert!(places(check, &all).is_empty());
        assert_eq!(places(check, &all[1..]), ["ARCHITECTURE.md:1"]);
    }
}
