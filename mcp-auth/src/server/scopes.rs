//! Required, granted and implied scopes.

use std::collections::{HashMap, HashSet};

use super::error::ResourceServerError;

/// The scopes that each scope implies.
#[derive(Clone, Debug, Default)]
pub(super) struct Implied(HashMap<String, Vec<String>>);

impl Implied {
    pub(super) fn add(&mut self, broad: String, narrow: impl IntoIterator<Item = String>) {
        self.0.entry(broad).or_default().extend(narrow);
    }

    /// The granted scopes, and all scopes that they imply, directly or indirectly.
    pub(super) fn all<'a>(&'a self, granted: impl Iterator<Item = &'a str>) -> HashSet<String> {
        let mut all = HashSet::new();
        let mut next: Vec<&str> = granted.collect();
        while let Some(scope) = next.pop() {
            if all.insert(scope.to_owned()) {
                let implied = self.0.get(scope).into_iter().flatten();
                next.extend(implied.map(String::as_str));
            }
        }
        all
    }

    pub(super) fn scopes(&self) -> impl Iterator<Item = &String> {
        self.0
            .iter()
            .flat_map(|(broad, narrow)| narrow.iter().chain([broad]))
    }
}

/// Scopes of OpenID Connect (Core 1.0 §5.4, §11), which do not belong to a particular server.
const OPENID: [&str; 4] = ["openid", "profile", "email", "offline_access"];

/// The form of a scope that clients must request.
pub(super) fn with_prefix(prefix: &str, scope: &str) -> String {
    if OPENID.contains(&scope) || scope.contains("://") {
        scope.to_owned()
    } else {
        format!("{prefix}{scope}")
    }
}

/// Checks the form of a scope (RFC 6749 §3.3).
pub(super) fn check(scope: &str) -> Result<(), ResourceServerError> {
    let may_have = |it: u8| it.is_ascii_graphic() && it != b'"' && it != b'\\';
    if !scope.is_empty() && scope.bytes().all(may_have) {
        Ok(())
    } else {
        Err(ResourceServerError::Scope(scope.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_imply_others_step_by_step_and_in_circles() {
        let mut implied = Implied::default();
        let to = |scopes: &[&str]| scopes.iter().map(ToString::to_string).collect::<Vec<_>>();
        implied.add("admin".to_owned(), to(&["write"]));
        implied.add("write".to_owned(), to(&["read", "list"]));
        implied.add("list".to_owned(), to(&["write"]));
        let all = |granted: &str| {
            let mut all: Vec<_> = implied.all(granted.split(' ')).into_iter().collect();
            all.sort();
            all
        };
        assert_eq!(all("admin"), ["admin", "list", "read", "write"]);
        assert_eq!(all("list"), ["list", "read", "write"]);
        assert_eq!(all("read other"), ["other", "read"]);
    }

    #[test]
    fn a_prefix_is_for_the_scopes_of_the_server() {
        for (scope, asked) in [
            ("files.read", "api://app/files.read"),
            ("openid", "openid"),
            ("offline_access", "offline_access"),
            ("https://graph.example/mail", "https://graph.example/mail"),
        ] {
            assert_eq!(with_prefix("api://app/", scope), asked);
        }
        assert_eq!(with_prefix("", "files:read"), "files:read");
    }

    #[test]
    fn scopes_are_words() {
        for scope in ["files:read", "https://example.com/a", "!"] {
            assert_eq!(check(scope), Ok(()));
        }
        for scope in ["", "a b", "a\"", "a\\", "\u{e9}", "a\n"] {
            assert!(check(scope).is_err(), "{scope}");
        }
    }
}
