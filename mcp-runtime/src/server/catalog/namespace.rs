//! Names and URIs of a mounted server, as the server that mounts it has them.

use std::sync::Arc;

/// A prefix for names and URIs; without a text, both stay as they are.
#[derive(Clone, Debug)]
pub(in crate::server) struct Namespace(Arc<str>);

impl Namespace {
    /// The namespace of `prefix`.
    ///
    /// # Panics
    ///
    /// When the prefix can't begin both a name and the scheme of a URI.
    pub(in crate::server) fn new(prefix: &str) -> Self {
        let allowed = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '.';
        let begins = prefix.starts_with(|it: char| it.is_ascii_alphabetic());
        assert!(
            prefix.is_empty() || (begins && prefix.chars().all(allowed)),
            "`{prefix}` can't be the prefix of a mounted server: it has to begin with a letter, \
             followed by letters, digits, `-` and `.`"
        );
        Self(prefix.into())
    }

    /// The name of a tool or prompt, as the server that mounts has it: `gh_search`.
    pub(in crate::server) fn name(&self, name: &str) -> String {
        match &*self.0 {
            "" => name.to_owned(),
            prefix => format!("{prefix}_{name}"),
        }
    }

    /// A URI or template, as the server that mounts has it: `gh+repo://{owner}`.
    ///
    /// The prefix becomes part of the scheme. So it can be removed from any URI again, and clients
    /// do not mistake the resource for a file or web page that they could get directly.
    pub(in crate::server) fn uri(&self, uri: &str) -> String {
        match &*self.0 {
            "" => uri.to_owned(),
            prefix => format!("{prefix}+{uri}"),
        }
    }

    /// The URI as the mounted server has it.
    pub(in crate::server) fn strip<'a>(&self, uri: &'a str) -> &'a str {
        if self.0.is_empty() {
            return uri;
        }
        // The case of a scheme does not matter (RFC 3986, section 3.1).
        match uri.split_once('+') {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(&self.0) => rest,
            _ => uri,
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
        assert_eq!(Namespace::new("gh").name("search"), "gh_search");
        assert_eq!(Namespace::new("").name("search"), "search");
    }

    #[test]
    #[should_panic(expected = "`a_b` can't be the prefix of a mounted server")]
    fn a_prefix_that_no_scheme_can_have_is_refused() {
        Namespace::new("a_b");
    }
}
