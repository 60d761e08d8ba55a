//! The requirement sets of the suite, which were frozen when their revision was released. They determine
//! the tiers of SDKs.

use std::fmt::{self, Display, Formatter};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    required: Group,
    not_scored: Group,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    passed: usize,
    failed: Vec<String>,
}

impl Outcome {
    /// Parses the summary that the suite prints: a line `✓ NAME: 2 passed, 0 failed` for each scenario,
    /// followed by a list of the scenarios that are not scored.
    pub(super) fn read(printed: &str) -> Self {
        let (summary, not_scored) = printed
            .split_once("\nNot scored for ")
            .unwrap_or((printed, ""));
        let not_scored: Vec<_> = not_scored
            .lines()
            .filter_map(|line| marked(line.trim_start()))
            .filter_map(|(_, text)| text.split(' ').next())
            .collect();
        let mut outcome = Self {
            required: Group::default(),
            not_scored: Group::default(),
        };
        let results = summary.lines().filter_map(marked);
        for (passed, text) in results {
            let Some((name, _)) = text.split_once(": ") else {
                continue;
            };
            let group = if not_scored.contains(&name) {
                &mut outcome.not_scored
            } else {
                &mut outcome.required
            };
            group.add(name, passed);
        }
        outcome
    }

    /// Returns true if all required scenarios passed. Scenarios that are not scored are ignored.
    pub(super) fn conforms(&self) -> bool {
        self.required.failed.is_empty() && self.required.passed > 0
    }
}

impl Group {
    fn add(&mut self, name: &str, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed.push(name.to_owned());
        }
    }

    fn total(&self) -> usize {
        self.passed + self.failed.len()
    }
}

impl Display for Outcome {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            required,
            not_scored,
        } = self;
        write!(
            f,
            "{} of {} required scenarios passed",
            required.passed,
            required.total()
        )?;
        if not_scored.total() > 0 {
            let (passed, total) = (not_scored.passed, not_scored.total());
            write!(f, ", and {passed} of {total} that are not scored")?;
        }
        let failed = [&required.failed[..], &not_scored.failed].concat();
        if !failed.is_empty() {
            write!(f, "; failed: {}", failed.join(", "))?;
        }
        Ok(())
    }
}

/// Splits off the mark of a scenario. Returns true if the mark says that the scenario passed.
fn marked(line: &str) -> Option<(bool, &str)> {
    let passed = line.strip_prefix("✓ ").map(|text| (true, text));
    passed.or_else(|| Some((false, line.strip_prefix("✗ ")?)))
}

#[cfg(test)]
mod tests {
    use super::Outcome;

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
        let outcome = Outcome::read(SUMMARY);
        assert!(!outcome.conforms());
        assert_eq!(
            outcome.to_string(),
            "1 of 2 required scenarios passed, and 1 of 2 that are not scored; \
             failed: tools-list, json-schema-2020-12"
        );
    }

    #[test]
    fn scenarios_that_are_not_scored_may_fail() {
        let outcome = Outcome::read(&SUMMARY.replace("✗ tools-list", "✓ tools-list"));
        assert!(outcome.conforms());
    }

    #[test]
    fn a_suite_that_ran_nothing_has_not_passed() {
        assert!(!Outcome::read("command not found").conforms());
    }
}
