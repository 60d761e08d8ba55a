//! Names and URIs of a mounted server, in its entries and in what they answer.

use std::sync::Arc;

use mcp_types::{CallToolResult, ContentBlock, GetPromptResult, ResourceContents};

use super::mount::Mount;
use crate::server::resources::{Contents, uri_of};

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
    /// The prefix becomes part of the scheme. So it can be taken off again whatever the URI looks
    /// like, and no client takes what it leads to for a file or a page that it may get by itself.
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

/// URIs in results get the prefix, so that clients can read what they lead to.
impl Mount {
    pub(in crate::server) fn tool_result(&self, mut result: CallToolResult) -> CallToolResult {
        for block in &mut result.content {
            self.block(block);
        }
        result
    }

    pub(in crate::server) fn prompt_result(&self, mut result: GetPromptResult) -> GetPromptResult {
        for message in &mut result.messages {
            self.block(&mut message.content);
        }
        result
    }

    pub(in crate::server) fn contents(&self, mut contents: Contents) -> Contents {
        match &mut contents {
            Contents::Parts(parts) => self.parts(parts),
            Contents::Whole(result) => self.parts(&mut result.contents),
            _ => {}
        }
        contents
    }

    fn block(&self, block: &mut ContentBlock) {
        let uri = match block {
            ContentBlock::ResourceLink(link) => Some(&mut link.uri),
            ContentBlock::Resource(embedded) => uri_of(&mut embedded.resource),
            _ => None,
        };
        if let Some(uri) = uri.filter(|uri| self.is_own(uri)) {
            *uri = self.namespace.uri(uri);
        }
    }

    fn parts(&self, parts: &mut [ResourceContents]) {
        for uri in parts.iter_mut().filter_map(uri_of) {
            *uri = self.namespace.uri(uri);
        }
    }

    /// Returns whether the mounted server has the resource: other links lead elsewhere.
    fn is_own(&self, uri: &str) -> bool {
        self.server.router().resources.canonical(uri).is_some()
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
