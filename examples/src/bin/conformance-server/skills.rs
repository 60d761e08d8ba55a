//! Skills for the scenarios about skills.

use mcp_extensions::skills::{LoadError, Skill, Skills};
use serde_json::json;

/// Creates skills with unique names. The suite looks closely at the first, which must have a directory.
pub(crate) fn skills() -> Result<Skills, LoadError> {
    let invoices = Skill::new(
        "invoices",
        "Write invoices. Use it when a customer must pay.",
    )
    .field("license", "MIT")
    .field("metadata", json!({"version": "1.0"}))
    .instructions("# Invoices\n\nChoose a template from `templates/`.\n")
    .file("templates/short.md", "Please pay {{sum}}.\n")
    .file("templates/regional/eu.md", "Please pay {{sum}} with VAT.\n")
    .file("logo.bin", [0, 255, 0]);
    let reminders = Skill::new("reminders", "Write reminders for unpaid invoices.")
        .within("invoices")
        .instructions("# Reminders\n\nStay polite.\n");
    let daily = Skill::new("daily", "Writes the report of the day.")
        .within("reports")
        .dynamic();
    Skills::new([invoices, reminders, daily])
}
