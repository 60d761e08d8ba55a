//! The tables of `docs/lifecycle.md`, as they follow from the code.

use super::LifecycleState;

const DOCUMENT: &str = include_str!("../../../docs/lifecycle.md");

/// Checks that the document has the table of what comes of each event in each state: what is
/// decided, in a word if there is anything to decide, and the state that follows.
pub(super) fn assert_documented<E: Copy>(
    states: &[LifecycleState],
    events: &[(&str, E)],
    happen: impl Fn(LifecycleState, E) -> (String, LifecycleState),
) {
    let row = |name: &str, cells: Vec<String>| format!("| {name} | {} |", cells.join(" | "));
    let head = states.iter().map(ToString::to_string).collect();
    let mut rows = vec![row("event", head), "|---".repeat(states.len() + 1) + "|"];
    for (name, event) in events {
        let cells = states.iter().map(|state| {
            let (decision, after) = happen(*state, *event);
            cell(decision, *state, after)
        });
        rows.push(row(name, cells.collect()));
    }
    let table = rows.join("\n");
    assert!(
        DOCUMENT.contains(&table),
        "docs/lifecycle.md should contain:\n{table}"
    );
}

fn cell(decision: String, before: LifecycleState, after: LifecycleState) -> String {
    match (decision.as_str(), before == after) {
        ("", true) => "ignored".to_owned(),
        ("", false) => format!("→ {after}"),
        (_, true) => decision,
        (_, false) => format!("{decision}, → {after}"),
    }
}
