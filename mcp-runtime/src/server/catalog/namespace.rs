//! The prefix of a mounted server's names and URIs.

use std::sync::Arc;

/// A prefix for names and URIs. An empty prefix leaves both unchanged.
#[derive(Clone, Debug)]
pub(in crate::server) struct Namespace(Arc<str>);

impl Namespace {
    /// Creates a namespace with `prefix`.
    ///
    /// # Panics
    ///
    /// When the prefix is not allowed at the beginning of a name or of a URI scheme.
    pub(in crate::server) fn new(prefix: &str) -> Self {
        let allowed = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '.';
        let begins = prefix.starts_with(|it: char| it.is_ascii_alphabetic());
        assert!(
            prefix.is_empty() || (begins && prefix.chars().all(allowed)),
            "`{prefix}` can't be the prefix of a mounted server: it has to begin with a letter, \
             followed by letters, digits, `-` and `.`; `mount_prefix` makes a prefix from a name"
        );
        Self(prefix.into())
    }

    /// Adds the prefix to the name of a tool or prompt: `gh_search`.
    pub(in crate::server) fn name(&self, name: &str) -> String {
        match &*self.0 {
            "" => name.to_owned(),
            prefix => format!("{prefix}_{name}"),
        }
    }

    /// Adds the prefix to a URI or template: `gh+repo://{owner}`.
    ///
    /// The prefix becomes part of the scheme. It can therefore be removed from any URI, and clients
    /// do not mistake the resource for a file or web page that they can get directly.
    pub(in crate::server) fn uri(&self, uri: &str) -> String {
        match &*self.0 {
            "" => uri.to_owned(),
            prefix => format!("{prefix}+{uri}"),
        }
    }

    pub(in crate::server) fn strip<'a>(&self, uri: &'a str) -> &'a str {
        if self.0.is_empty() {
            return uri;
        }
        // The case of a scheme does not matter (RFC 3986, section 3.1).
        match uri.split_at_checked(self.0.len()) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(&self.0) => {
                rest.strip_prefix('+').unwrap_or(uri)
            }
            _ => uri,
        }
    }

    /// Returns the namespace of a server with the namespace `inner` that is mounted in this one.
    pub(in crate::server) fn join(&self, inner: &Self) -> Self {
        match (&*self.0, &*inner.0) {
            ("", _) => inner.clone(),
            (_, "") => self.clone(),
            (outer, inner) => Self(format!("{outer}+{inner}").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Namespace;

    #[test]
    fn what_is_put_before_is_taken_off_again() {
        for prefix in ["", "gh", "a-b.c"] {
            let namespace = Namespace::new(prefix);
            for uri in ["file:///a", "urn:x", "a+b://c", "gh+x:y"] {
                let outside = namespace.uri(uri);
                assert!(outside.starts_with(prefix));
                assert_eq!(namespace.strip(&outside), uri);
            }
        }
        let nested = Namespace::new("a").join(&Namespace::new("b"));
        assert_eq!(nested.uri("x:y"), "a+b+x:y");
        assert_eq!(nested.strip("A+b+x:y"), "x:y");
        assert_eq!(nested.strip("a+x:y"), "a+x:y");
        assert_eq!(Namespace::new("gh").name("search"), "gh_search");
        assert_eq!(Namespace::new("").name("search"), "search");
    }

    #[test]
    #[should_panic(expected = "`a_b` can't be the prefix of a mounted server")]
    fn a_prefix_that_no_scheme_can_have_is_refused() {
        Namespace::new("a_b");
    }
}
