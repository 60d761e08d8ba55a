//! Reads `scopes(…)`, the OAuth scopes that a caller needs.

use syn::LitStr;

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;

/// Reads `scopes("files:read", "files:write")`, a list of scope tokens (RFC 6749, section 3.3).
pub(crate) fn read(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Vec<LitStr> {
    let scopes = entries.texts("scopes", "files:read", diagnostics);
    for scope in scopes.iter().filter(|scope| !is_scope(&scope.value())) {
        let value = scope.value();
        let mend = if value.contains(' ') {
            "write each scope as a separate string, with commas in between"
        } else {
            "use printable ASCII without spaces, quotes and backslashes"
        };
        diagnostics.mistake(scope, format!("{value:?} is not a scope"), mend);
    }
    scopes
}

/// The scopes of the surroundings, followed by the function's own scopes.
pub(crate) fn read_with(
    surroundings: &[LitStr],
    entries: &mut Entries,
    diagnostics: &mut Diagnostics,
) -> Vec<LitStr> {
    let mut scopes = surroundings.to_vec();
    scopes.extend(read(entries, diagnostics));
    scopes
}

/// Whether `text` is a `scope-token` (RFC 6749, section 3.3).
fn is_scope(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !text.is_empty() && text.bytes().all(allowed)
}
