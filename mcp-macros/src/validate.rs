//! The specification's rules, and those that follow from being one server.

use proc_macro2::Span;
use quote::quote_spanned;

use crate::diagnostics::Diagnostics;
use crate::model::{Callable, Tool};

/// Checks one tool: its name and its arguments' names.
pub(crate) fn tool(tool: &Tool, diagnostics: &mut Diagnostics) {
    if let Some(fault) = name_fault(&tool.name) {
        at(
            tool.name_span,
            diagnostics,
            format!("`{}` is no name for a tool: {fault}", tool.name),
            "use 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`",
        );
    }
    arguments(&tool.callable, diagnostics);
    headers(&tool.callable, diagnostics);
}

/// Drops each tool whose name an earlier one has.
pub(crate) fn unique(tools: &mut Vec<Tool>, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    tools.retain(|tool| {
        let fresh = !seen.contains(&tool.name) || !tool.callable.conditions.is_empty();
        if !fresh {
            at(
                tool.name_span,
                diagnostics,
                format!("a tool called `{}` exists already", tool.name),
                "rename one of them: `#[tool(name = \"…\")]`",
            );
        }
        seen.push(tool.name.clone());
        fresh
    });
}

fn arguments(callable: &Callable, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<&str> = Vec::new();
    for argument in callable.arguments() {
        if seen.contains(&argument.name.as_str()) {
            at(
                argument.name_span,
                diagnostics,
                format!("an argument called `{}` exists already", argument.name),
                "rename one of them: `#[arg(rename = \"…\")]`",
            );
        }
        seen.push(&argument.name);
    }
}

/// Checks that no two arguments ask for one header; case does not count.
fn headers(callable: &Callable, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    for header in callable
        .arguments()
        .filter_map(|argument| argument.rules.header.as_ref())
    {
        let name = header.value().to_lowercase();
        if seen.contains(&name) {
            let what = format!(
                "another argument is sent in the header `{}`",
                header.value()
            );
            diagnostics.mistake(header, what, "give each argument a header of its own");
        }
        seen.push(name);
    }
}

fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if name.len() > 128 {
        return Some(format!("it has {} characters", name.len()));
    }
    let allowed = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
    let foreign = name.chars().find(|letter| !allowed(letter))?;
    Some(format!("it contains {foreign:?}"))
}

fn at(span: Span, diagnostics: &mut Diagnostics, what: String, mend: &str) {
    diagnostics.mistake(quote_spanned!(span=> name), what, mend);
}
