//! The OAuth scopes that operations need.

use super::Context;
use crate::error::RequestError;

/// The scopes that an operation needs, without duplicates.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Scopes(Vec<String>);

impl Scopes {
    /// Adds scopes.
    ///
    /// # Panics
    ///
    /// Panics if a string is not a scope (RFC 6749, section 3.3).
    #[track_caller]
    pub(in crate::server) fn add<S: Into<String>>(&mut self, scopes: impl IntoIterator<Item = S>) {
        for scope in scopes.into_iter().map(S::into) {
            assert!(
                is_scope(&scope),
                "{scope:?} is not a scope: use printable ASCII except spaces, quotes and backslashes"
            );
            if !self.0.contains(&scope) {
                self.0.push(scope);
            }
        }
    }

    pub(in crate::server) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::server) fn and(&self, more: &Self) -> Self {
        let mut all = self.clone();
        all.add(more.0.iter().cloned());
        all
    }

    /// Checks that the caller of `context` has all scopes.
    ///
    /// # Errors
    ///
    /// Fails if a scope is missing.
    pub(in crate::server) fn check(&self, context: &Context) -> Result<(), RequestError> {
        if !self.is_empty() {
            context.check_scopes(&self.as_strs())?;
            context.add_needed_scopes(&self.0);
        }
        Ok(())
    }

    pub(in crate::server) fn are_granted(&self, context: &Context) -> bool {
        self.is_empty() || context.has_scopes(&self.as_strs())
    }

    fn as_strs(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

/// Returns true if `text` is a `scope-token` (RFC 6749, section 3.3).
fn is_scope(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_printable_ascii_without_spaces_quotes_and_backslashes() {
        for scope in ["a", "files:write", "https://example.com/x.y", "!#[]~"] {
            assert!(is_scope(scope), "{scope}");
        }
        for other in ["", "a b", "\"", "a\\b", "\u{7f}", "é", "a\n"] {
            assert!(!is_scope(other), "{other:?}");
        }
    }

    #[test]
    fn each_scope_is_needed_once() {
        let mut ours = Scopes::default();
        let mut theirs = Scopes::default();
        ours.add(["a", "b", "a"]);
        theirs.add(["b", "c"]);
        assert_eq!(ours.and(&theirs).as_strs(), ["a", "b", "c"]);
    }

    #[test]
    #[should_panic(expected = "\"a b\" is not a scope")]
    fn what_is_not_a_scope_is_refused() {
        Scopes::default().add(["a b"]);
    }
}
