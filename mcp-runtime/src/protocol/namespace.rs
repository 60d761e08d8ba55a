//! The prefix of a server's names and URIs within another server.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_types::JsonObject;
use serde_json::Value;

/// The members of a tool's `_meta` that are the URI of its page, like `resourceUri` in `ui`. The
/// second is ChatGPT's.
pub(crate) const PAGE_KEYS: [&str; 2] = ["ui/resourceUri", "openai/outputTemplate"];

/// How the URIs of pages begin (MCP Apps). Hosts refuse pages with other URIs.
const PAGE: &str = "ui://";

/// A prefix for names and URIs. An empty prefix leaves both unchanged.
///
/// The string is empty or ends with `+`. In a nested namespace, each prefix ends with `+`.
#[derive(Clone, Debug)]
pub(crate) struct Namespace(Arc<str>);

impl Namespace {
    /// Creates a namespace with `prefix`.
    ///
    /// # Panics
    ///
    /// When the prefix is not allowed at the beginning of a name or of a URI scheme.
    pub(crate) fn new(prefix: &str) -> Self {
        if prefix.is_empty() {
            return Self("".into());
        }
        let allowed = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '.';
        let begins = prefix.starts_with(|it: char| it.is_ascii_alphabetic());
        assert!(
            begins && prefix.chars().all(allowed),
            "`{prefix}` can't be the prefix of a mounted server: it has to begin with a letter, \
             followed by letters, digits, `-` and `.`; `mount_prefix` makes a prefix from a name"
        );
        Self(format!("{prefix}+").into())
    }

    pub(crate) fn prefix(&self) -> &str {
        self.0.trim_end_matches('+')
    }

    /// Adds the prefix to the name of a tool or prompt: `gh_search`.
    pub(crate) fn name(&self, name: &str) -> String {
        format!("{}{name}", self.0.replace('+', "_"))
    }

    /// Removes the prefix from a name. Returns `None` if the name has another prefix.
    pub(crate) fn strip_name<'a>(&self, name: &'a str) -> Option<&'a str> {
        name.strip_prefix(&self.0.replace('+', "_"))
    }

    /// Adds the prefix to a URI or template: `gh+repo://{owner}`, `ui://gh/clock`.
    ///
    /// The prefix becomes part of the scheme. It can therefore be removed from any URI, and clients
    /// do not mistake the resource for a file or web page that they can get directly. A page keeps
    /// its scheme. In the place of a host, the prefix is in lower case, as in a normalized URI.
    pub(crate) fn uri(&self, uri: &str) -> String {
        match uri.strip_prefix(PAGE) {
            Some(page) => {
                let path = self.0.replace('+', "/").to_ascii_lowercase();
                format!("{PAGE}{path}{page}")
            }
            None => format!("{}{uri}", self.0),
        }
    }

    /// Removes the prefix from a URI or template. Returns `None` if it has another prefix.
    ///
    /// Clients may normalize the case of schemes and hosts (RFC 3986, section 6.2.2.1).
    pub(crate) fn strip<'a>(&self, uri: &'a str) -> Option<Cow<'a, str>> {
        match after(PAGE, uri) {
            Some(page) if !self.0.is_empty() => {
                let page = after(&self.0.replace('+', "/"), page)?;
                Some(format!("{PAGE}{page}").into())
            }
            _ => after(&self.0, uri).map(Cow::Borrowed),
        }
    }

    /// Adds the prefix to the URIs of pages in the `_meta` of a tool.
    pub(crate) fn add_to_pages(&self, meta: &mut JsonObject) {
        for (key, value) in meta {
            let uri = match &**key {
                "ui" => value.get_mut("resourceUri"),
                key => PAGE_KEYS.contains(&key).then_some(value),
            };
            if let Some(Value::String(uri)) = uri {
                *uri = self.uri(uri);
            }
        }
    }

    /// Returns the namespace of a server with the namespace `inner` that is mounted in this one.
    pub(crate) fn join(&self, inner: &Self) -> Self {
        Self(format!("{}{}", self.0, inner.0).into())
    }
}

/// Returns the part of `text` after `prefix`, whose case does not matter.
fn after<'a>(prefix: &str, text: &'a str) -> Option<&'a str> {
    let (found, rest) = text.split_at_checked(prefix.len())?;
    found.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::Namespace;

    fn nested(prefixes: &[&str]) -> Namespace {
        let prefixes = prefixes.iter().map(|prefix| Namespace::new(prefix));
        prefixes.fold(Namespace::new(""), |outer, inner| outer.join(&inner))
    }

    #[test]
    fn each_prefix_has_its_place_in_names_and_uris() {
        for (prefixes, [name, uri, page]) in [
            (&[][..], ["search", "x:y", "ui://clock"]),
            (&["gh"], ["gh_search", "gh+x:y", "ui://gh/clock"]),
            (&["A", "b"], ["A_b_search", "A+b+x:y", "ui://a/b/clock"]),
            (&["", "a", ""], ["a_search", "a+x:y", "ui://a/clock"]),
        ] {
            let namespace = nested(prefixes);
            assert_eq!(namespace.name("search"), name);
            assert_eq!(namespace.uri("x:y"), uri);
            assert_eq!(namespace.uri("ui://clock"), page);
        }
    }

    #[test]
    fn a_prefix_is_removed_in_any_case_and_only_as_a_whole() {
        let namespace = nested(&["a", "b"]);
        for (uri, own) in [
            ("A+b+x:Y", Some("x:Y")),
            ("UI://A/B/Clock", Some("ui://Clock")),
            ("a+x:y", None),
            ("a+bc+x:y", None),
            ("ui://a/clock", None),
            ("ui://a", None),
            ("ui://b/a/clock", None),
            ("x:y", None),
            ("\u{e9}\u{e9}\u{e9}", None),
        ] {
            assert_eq!(namespace.strip(uri).as_deref(), own, "{uri}");
        }
        assert_eq!(namespace.strip_name("A_b_x"), None);
        assert_eq!(
            Namespace::new("").strip("UI://Clock").unwrap(),
            "UI://Clock"
        );
    }

    #[test]
    fn only_the_pages_in_meta_get_the_prefix() {
        let meta = |page: &str| {
            json!({
                "ui": {"resourceUri": page, "visibility": ["app"]},
                "ui/resourceUri": page,
                "openai/outputTemplate": page,
                "com.example/link": "ui://clock",
            })
        };
        for (own, shown) in [
            (meta("ui://clock"), meta("ui://gh/clock")),
            (
                json!({"ui": "ui://c", "ui/resourceUri": ["ui://c"]}),
                json!({"ui": "ui://c", "ui/resourceUri": ["ui://c"]}),
            ),
            (
                json!({"ui": {"resourceUri": 5}}),
                json!({"ui": {"resourceUri": 5}}),
            ),
        ] {
            let mut own = own.as_object().unwrap().clone();
            Namespace::new("gh").add_to_pages(&mut own);
            assert_eq!(json!(own), shown);
        }
    }

    #[test]
    #[should_panic(expected = "`a_b` can't be the prefix of a mounted server")]
    fn a_prefix_that_no_scheme_can_have_is_refused() {
        Namespace::new("a_b");
    }

    proptest! {
        #[test]
        fn what_was_added_is_removed_again(
            prefixes in prop::collection::vec("([A-Za-z][A-Za-z0-9.-]{0,3})?", 0..4),
            other in "[A-Za-z][A-Za-z0-9.-]{0,3}",
            text in prop_oneof!["(ui|UI|a|gh)(\\+[a-z]{1,2})?:/{0,3}[a-z/+.{}]{0,6}", ".{0,12}"],
        ) {
            let prefixes: Vec<_> = prefixes.iter().map(String::as_str).collect();
            let namespace = nested(&prefixes);
            let named = namespace.name(&text);
            prop_assert_eq!(namespace.strip_name(&named), Some(&*text));
            let outside = namespace.uri(&text);
            let own = namespace.strip(&outside);
            prop_assert_eq!(own.as_deref(), Some(&*text));
            let other = Namespace::new(&other);
            let first = prefixes.iter().find(|it| !it.is_empty());
            if first.is_some_and(|first| !first.eq_ignore_ascii_case(other.prefix())) {
                prop_assert_eq!(other.strip(&outside), None);
            }
        }

        /// A server that is mounted in a mounted server has the URIs of a nested namespace.
        #[test]
        fn prefixes_are_added_one_by_one(
            one in "[A-Za-z]{0,3}",
            two in "[A-Za-z]{0,3}",
            text in "(ui|UI|a):/{0,2}[a-z/+]{0,6}",
        ) {
            let [one, two] = [one, two].map(|it| Namespace::new(&it));
            let both = one.join(&two);
            prop_assert_eq!(both.uri(&text), one.uri(&two.uri(&text)));
            prop_assert_eq!(both.name(&text), one.name(&two.name(&text)));
        }
    }
}
