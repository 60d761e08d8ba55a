//! Results of the suite: a file `checks.json` in the folder of each scenario.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) scenarios: usize,
    pub(super) passed: usize,
    pub(super) skipped: usize,
    pub(super) failed: Vec<String>,
    pub(super) warned: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Check {
    id: String,
    status: String,
    #[serde(default)]
    error_message: String,
}

/// The start of the names of the scenarios of skills.
pub(super) const SKILLS: &str = "sep-2640-";

/// The file that each scenario writes.
const CHECKS: &str = "checks.json";

impl Totals {
    /// Adds the results in `folder` and its subfolders.
    ///
    /// # Errors
    ///
    /// When a result can't be read.
    pub(super) fn read(&mut self, folder: &Path) -> Result<()> {
        let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                self.read(&path)?;
            } else if path.ends_with(CHECKS) {
                let place = || path.display().to_string();
                let text = fs::read_to_string(&path).with_context(place)?;
                let checks: Vec<Check> = serde_json::from_str(&text).with_context(place)?;
                self.add(&scenario(folder), &checks);
            }
        }
        Ok(())
    }

    fn add(&mut self, scenario: &str, checks: &[Check]) {
        self.scenarios += 1;
        let mut judged = false;
        for check in checks {
            let named = || format!("{scenario}: {}: {}", check.id, check.error_message);
            match &*check.status {
                "SUCCESS" => self.passed += 1,
                "SKIPPED" | "WARNING" if is_fault(scenario, &check.id) => self.failed.push(named()),
                "SKIPPED" => self.skipped += 1,
                "FAILURE" => self.failed.push(named()),
                "WARNING" => self.warned.push(named()),
                _ => continue,
            }
            judged = true;
        }
        // The suite does not report a failure if the program sends nothing.
        if !judged {
            self.failed.push(format!("{scenario}: nothing was checked"));
        }
    }
}

/// Returns true if a warning or a skipped check of the scenario is a fault. The suite skips all checks of skills if
/// the server does not declare them.
fn is_fault(scenario: &str, check: &str) -> bool {
    // 2025-11-25 has no such attributes.
    scenario.contains(SKILLS) && !check.ends_with("-cache-attributes")
}

impl Display for Totals {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let failed = self.failed.len();
        let warned = self.warned.len();
        writeln!(
            f,
            "{} scenarios, {} checks passed, {failed} failed, {warned} warnings, {} skipped",
            self.scenarios, self.passed, self.skipped,
        )?;
        for (word, faults) in [("failed", &self.failed), ("warned", &self.warned)] {
            for fault in faults {
                writeln!(f, "  {word}: {fault}")?;
            }
        }
        Ok(())
    }
}

/// Returns the scenario with the results in `folder`: the name of the folder without the time.
fn scenario(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let starts = name.match_indices("-20").map(|(place, _)| place);
    let stamp = starts.last().unwrap_or(name.len());
    name[..stamp].to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn totals(results: &[(&str, &str)]) -> Totals {
        let folder = tempfile::tempdir().unwrap();
        for (scenario, checks) in results {
            let folder = folder.path().join(scenario);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(CHECKS), checks).unwrap();
        }
        let mut totals = Totals::default();
        totals.read(folder.path()).unwrap();
        totals
    }

    #[test]
    fn checks_are_counted_and_faults_named() {
        let checks = r#"[
            {"id": "a", "status": "SUCCESS"},
            {"id": "b", "status": "FAILURE", "errorMessage": "it is wrong"},
            {"id": "c", "status": "WARNING"},
            {"id": "d", "status": "SKIPPED"},
            {"id": "e", "status": "INFO"}
        ]"#;
        let totals = totals(&[("server-ping-2026-11-21T12-10-40-526Z", checks)]);
        let expected = Totals {
            scenarios: 1,
            passed: 1,
            skipped: 1,
            failed: vec!["server-ping: b: it is wrong".to_owned()],
            warned: vec!["server-ping: c: ".to_owned()],
        };
        assert_eq!(totals, expected);
    }

    #[test]
    fn skills_may_only_skip_the_attributes_of_caches() {
        let checks = r#"[
            {"id": "sep-2640-skills-list-cache-attributes", "status": "SKIPPED"},
            {"id": "sep-2640-resources-complete", "status": "SKIPPED"},
            {"id": "sep-2640-limit-total-size", "status": "WARNING"}
        ]"#;
        let totals = totals(&[("server-sep-2640-skills-enumeration-2026-11-29T04", checks)]);
        assert_eq!(totals.skipped, 1);
        let expected = ["sep-2640-resources-complete", "sep-2640-limit-total-size"]
            .map(|id| format!("server-sep-2640-skills-enumeration: {id}: "));
        assert_eq!(totals.failed, expected);
    }

    #[test]
    fn a_scenario_that_checks_nothing_has_failed() {
        let totals = totals(&[("a", "[]"), ("b/c", r#"[{"id": "x", "status": "INFO"}]"#)]);
        assert_eq!(totals.scenarios, 2);
        let expected = ["a: nothing was checked", "c: nothing was checked"];
        assert_eq!(totals.failed, expected);
    }
}
