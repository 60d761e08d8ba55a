//! The requirement sets of the suite, which were frozen when their revision was released. They determine
//! the tiers of SDKs.

use std::collections::HashSet;

use itertools::Itertools;

/// Reads the summary that the suite prints: a line `✓ NAME: 2 passed, 0 failed` for each scenario,
/// followed by a list of the scenarios that are not scored. Returns true if all required scenarios passed,
/// and a description of the results.
pub(super) fn outcome(printed: &str) -> (bool, String) {
    let (_, summary) = printed.split_once("SUMMARY ===").unwrap_or_default();
    let (summary, not_scored) = summary
        .split_once("\nNot scored for ")
        .unwrap_or((summary, ""));
    let not_scored: HashSet<_> = scenarios(not_scored).map(|(name, _)| name).collect();
    let (not_scored, required): (Vec<_>, Vec<_>) =
        scenarios(summary).partition(|(name, _)| not_scored.contains(name));
    let count = |group: &[(&str, bool)]| {
        let passed = group.iter().filter(|(_, passed)| *passed).count();
        format!("{passed} of {}", group.len())
    };

    let conforms = !required.is_empty() && required.iter().all(|(_, passed)| *passed);
    let mut text = format!("{} required scenarios passed", count(&required));
    if !not_scored.is_empty() {
        text += &format!(", and {} that are not scored", count(&not_scored));
    }
    let all = required.iter().chain(&not_scored);
    let failed = all.filter(|it| !it.1).map(|it| it.0).join(", ");
    if !failed.is_empty() {
        text += &format!("; failed: {failed}");
    }
    (conforms, text)
}

/// Returns the names of the scenarios in a list, each with true if it passed.
fn scenarios(list: &str) -> impl Iterator<Item = (&str, bool)> {
    list.lines().filter_map(|line| {
        let (mark, text) = line.trim_start().split_once(' ')?;
        let name = text.split([':', ' ']).next()?;
        ["✓", "✗"].contains(&mark).then_some((name, mark == "✓"))
    })
}

#[cfg(test)]
mod tests {
    use super::outcome;

    const SUMMARY: &str = "\
✓ a check of another kind
=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tools-list: 2 passed, 1 failed
✓ server-sse-polling: 3 passed, 0 failed
✗ json-schema-2020-12: 0 passed, 8 failed

Total: 7 passed, 9 failed

Not scored for 2025-11-25: 2 scenario(s) run, 1 failing. These do not affect conformance.
  ✓ server-sse-polling (pending)
  ✗ json-schema-2020-12 (pending)
";

    #[test]
    fn a_required_scenario_that_fails_is_named() {
        let (conforms, text) = outcome(SUMMARY);
        assert!(!conforms);
        assert_eq!(
            text,
            "1 of 2 required scenarios passed, and 1 of 2 that are not scored; \
             failed: tools-list, json-schema-2020-12"
        );
    }

    #[test]
    fn scenarios_that_are_not_scored_may_fail() {
        assert!(outcome(&SUMMARY.replace("✗ tools-list", "✓ tools-list")).0);
    }

    #[test]
    fn a_suite_that_ran_nothing_has_not_passed() {
        assert!(!outcome("command not found").0);
    }
}
