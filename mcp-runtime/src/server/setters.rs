//! Setters that tools, prompts and resources have in common.

use std::borrow::Cow;

use mcp_types::{Icon, JsonObject, meta_keys};
use serde_json::Value;

use super::Context;
use super::catalog::Visibility;
use super::completions::{CompletionRequest, IntoCompletion, completer};
use super::prompts::{PromptBuilder, PromptEntry};
use super::resources::{ResourceBuilder, ResourceEntry};
use super::tools::{ToolBuilder, ToolEntry};
use crate::layer::{RequestLayer, Stack};

/// Adds the setters of listed properties to builders.
macro_rules! listed {
    ($($builder:ident, $($listed:ident).+, $what:literal;)*) => {$(
        impl<A> $builder<A> {
            #[doc = concat!("Describes the ", $what, ", for people and models.")]
            #[must_use]
            pub fn description(mut self, text: impl Into<String>) -> Self {
                self.$($listed).+.description = Some(text.into());
                self
            }

            /// Sets the name to show to people.
            #[must_use]
            pub fn title(mut self, text: impl Into<String>) -> Self {
                self.$($listed).+.title = Some(text.into());
                self
            }

            #[doc = concat!("Sets the icons of the ", $what, ", given as icons or URLs.")]
            #[must_use]
            pub fn icons<I: IntoIcon>(mut self, icons: impl IntoIterator<Item = I>) -> Self {
                self.$($listed).+.icons = Some(icons.into_iter().map(I::into_icon).collect());
                self
            }

            /// Adds metadata for clients that know its keys.
            ///
            /// # Panics
            ///
            /// Panics if servers may not use a key (2026-07-28, "Overview", section `_meta`).
            #[must_use]
            pub fn meta(mut self, meta: impl IntoMeta) -> Self {
                let own = self.$($listed).+.meta.get_or_insert_default();
                own.extend(checked(meta.into_meta()));
                self
            }
        }
    )*};
}

/// Adds the setters of scopes and layers to entries, and to builders, which contain an entry.
macro_rules! guarded {
    ($([$($generic:ident)?] $type:ty $(, $entry:ident)?; $what:literal;)*) => {$(
        impl$(<$generic>)? $type {
            #[doc = concat!("Adds OAuth scopes that a caller needs for the ", $what, ", in addition to the scopes")]
            /// of the server ([`ServerBuilder::scopes`](crate::ServerBuilder::scopes)).
            ///
            /// # Panics
            ///
            /// Panics if a string is not a scope (RFC 6749, section 3.3).
            #[must_use]
            #[track_caller]
            pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
                self.$($entry.)?scopes.add(scopes);
                self
            }

            #[doc = concat!("Adds a layer around the ", $what, ". Layers that were added before wrap this one.")]
            ///
            /// The layer gets the entry's name or URI and the arguments. Visibility, scopes and headers
            /// were already checked. If the server is [mounted](crate::ServerBuilder::mount), the layer
            /// stays with the entry and sees the name that the entry has in the mounted server. If the
            /// handler asks the client a question, the handler and its layers are dropped, and both run
            /// again with the answers.
            #[must_use]
            pub fn layer(mut self, layer: impl RequestLayer) -> Self {
                Stack::push(&mut self.$($entry.)?layers, layer);
                self
            }
        }
    )*};
}

/// Adds the setters of visibility and of questions to entries.
macro_rules! visible {
    ($($entry:ident, $what:literal;)*) => {$(
        impl $entry {
            #[doc = concat!("Shows the ", $what, " only to callers for whom `visible` returns `true`.")]
            /// For other callers, it does not exist.
            #[must_use]
            pub fn visible_to(
                mut self,
                visible: impl Fn(&Context) -> bool + Send + Sync + 'static,
            ) -> Self {
                self.visibility = Visibility::limited(move |_: &Self, _: &str, cx: &Context| visible(cx));
                self
            }

            /// Records that a parameter of the function is a question to the user.
            #[doc(hidden)]
            #[must_use]
            pub fn asking(mut self) -> Self {
                self.asks = true;
                self
            }
        }
    )*};
}

/// Adds the setter of completion to entries.
macro_rules! completed {
    ($($entry:ident, $argument:literal;)*) => {$(
        impl $entry {
            #[doc = concat!("Completes ", $argument, " with `function`.")]
            #[must_use]
            pub fn complete<F>(
                mut self,
                name: impl Into<Cow<'static, str>>,
                function: impl Fn(CompletionRequest) -> F + Send + Sync + 'static,
            ) -> Self
            where
                F: Future<Output: IntoCompletion> + Send + 'static,
            {
                self.completers.add(name, completer(function));
                self
            }
        }
    )*};
}

listed! {
    ToolBuilder, tool, "tool";
    PromptBuilder, entry.prompt, "prompt";
    ResourceBuilder, template, "resource";
}

guarded! {
    [] ToolEntry; "tool";
    [A] ToolBuilder<A>, entry; "tool";
    [] PromptEntry; "prompt";
    [A] PromptBuilder<A>, entry; "prompt";
    [] ResourceEntry; "resource, or the resources of the template";
    [A] ResourceBuilder<A>, entry; "resource, or the resources of the template";
}

visible! {
    ToolEntry, "tool";
    PromptEntry, "prompt";
    ResourceEntry, "resource (or the template and its resources)";
}

completed! {
    PromptEntry, "an argument";
    ResourceEntry, "a variable";
}

/// A type that can be used as metadata: an object, or the value of `json!({ … })`.
///
/// ```
/// use mcp_runtime::server::IntoMeta;
/// use serde_json::json;
///
/// assert_eq!(json!({"com.example/shelf": 5}).into_meta().len(), 1);
/// ```
pub trait IntoMeta {
    /// Converts the value into an object. A value that is not an object becomes an empty one.
    fn into_meta(self) -> JsonObject;
}

impl IntoMeta for JsonObject {
    fn into_meta(self) -> JsonObject {
        self
    }
}

impl IntoMeta for Value {
    fn into_meta(self) -> JsonObject {
        match self {
            Self::Object(members) => members,
            _ => JsonObject::new(),
        }
    }
}

/// A type that can be used as an icon: an [`Icon`] or its URL.
pub trait IntoIcon {
    /// Converts the value into an icon.
    fn into_icon(self) -> Icon;
}

impl IntoIcon for Icon {
    fn into_icon(self) -> Icon {
        self
    }
}

impl IntoIcon for &str {
    fn into_icon(self) -> Icon {
        Icon::new(self)
    }
}

/// Keys whose values the protocol sets.
const WRITTEN_BY_THE_PROTOCOL: [&str; 7] = [
    meta_keys::CLIENT_CAPABILITIES,
    meta_keys::CLIENT_INFO,
    meta_keys::LOG_LEVEL,
    meta_keys::PROTOCOL_VERSION,
    meta_keys::SERVER_INFO,
    meta_keys::SUBSCRIPTION_ID,
    meta_keys::PROGRESS_TOKEN,
];

const BAD_PREFIX: &str =
    "its prefix must be labels of letters, digits and hyphens, separated by dots";
const BAD_NAME: &str =
    "its name must begin and end with a letter or digit, with `-`, `_` or `.` between";
const RESERVED: &str = "it is reserved for the protocol";

/// Returns the metadata after checking its keys.
///
/// # Panics
///
/// Panics if a key may not be used.
fn checked(meta: JsonObject) -> JsonObject {
    for key in meta.keys() {
        if let Err(error) = check(key) {
            panic!("`{key}` can't be a key of `_meta`: {error}");
        }
    }
    meta
}

/// Checks a key of `_meta`.
///
/// # Errors
///
/// Returns the reason why a program can't use the key.
fn check(key: &str) -> Result<(), &'static str> {
    let (prefix, name) = key
        .rsplit_once('/')
        .map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let named = |text: &str| ends_are(text, |it| it.is_ascii_alphanumeric(), "-_.");
    if !name.is_empty() && !named(name) {
        return Err(BAD_NAME);
    }
    let mut reserved = false;
    if let Some(prefix) = prefix {
        if !prefix.split('.').all(is_label) {
            return Err(BAD_PREFIX);
        }
        let second = prefix.split('.').nth(1);
        // Official extensions define more keys under the protocol's own prefix.
        let official = prefix == "io.modelcontextprotocol";
        reserved = !official && matches!(second, Some("modelcontextprotocol" | "mcp"));
    }
    if reserved || WRITTEN_BY_THE_PROTOCOL.contains(&key) {
        return Err(RESERVED);
    }
    Ok(())
}

fn is_label(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && ends_are(text, |it| it.is_ascii_alphanumeric(), "-")
}

/// Returns true if the first and last character of `text` match `outer`, and all characters match
/// `outer` or are in `inner`.
fn ends_are(text: &str, outer: impl Fn(char) -> bool + Copy, inner: &str) -> bool {
    text.starts_with(outer)
        && text.ends_with(outer)
        && text.chars().all(|it| outer(it) || inner.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prefixes_are_those_of_the_specification() {
        for key in [
            "a",
            "a-b_c.d",
            "com.example/key",
            "com.example.mcp/key",
            "com.example/",
            "x/1",
            "io.modelcontextprotocol/ui",
            "traceparent",
        ] {
            assert_eq!(check(key), Ok(()), "{key}");
        }
        for (key, error) in [
            ("-a", BAD_NAME),
            ("a.", BAD_NAME),
            ("a b", BAD_NAME),
            ("é", BAD_NAME),
            ("/a", BAD_PREFIX),
            ("com..example/a", BAD_PREFIX),
            ("1com/a", BAD_PREFIX),
            ("com-/a", BAD_PREFIX),
            ("a/b/c", BAD_PREFIX),
            ("dev.mcp/a", RESERVED),
            ("com.mcp.tools/a", RESERVED),
            ("org.modelcontextprotocol.api/a", RESERVED),
            ("io.modelcontextprotocol/serverInfo", RESERVED),
            ("progressToken", RESERVED),
        ] {
            assert_eq!(check(key), Err(error), "{key}");
        }
    }

    #[test]
    #[should_panic(expected = "`dev.mcp/a` can't be a key of `_meta`: it is reserved")]
    fn a_key_that_is_not_allowed_is_refused_when_the_server_starts() {
        let mut meta = JsonObject::new();
        meta.insert("dev.mcp/a".to_owned(), true.into());
        checked(meta);
    }
}
