//! Setters that tools, prompts and resources have alike.

use std::borrow::Cow;

use super::Context;
use super::catalog::Visibility;
use super::completions::{CompletionRequest, IntoCompletion, completer};
use super::metadata::{IntoIcon, IntoMeta, checked};
use super::prompts::{PromptBuilder, PromptEntry};
use super::resources::{ResourceBuilder, ResourceEntry};
use super::tools::{ToolBuilder, ToolEntry};
use crate::layer::{RequestLayer, Stack};

/// Adds setters of what is listed to builders.
macro_rules! listed {
    ($($builder:ident, $($listed:ident).+, $what:literal;)*) => {$(
        impl<A> $builder<A> {
            #[doc = concat!("Describes the ", $what, ", for people and models.")]
            #[must_use]
            pub fn description(mut self, text: impl Into<String>) -> Self {
                self.$($listed).+.description = Some(text.into());
                self
            }

            /// Sets the name for people.
            #[must_use]
            pub fn title(mut self, text: impl Into<String>) -> Self {
                self.$($listed).+.title = Some(text.into());
                self
            }

            #[doc = concat!("Adds pictures of the ", $what, ", given as icons or as their URLs.")]
            #[must_use]
            pub fn icons<I: IntoIcon>(mut self, icons: impl IntoIterator<Item = I>) -> Self {
                self.$($listed).+.icons = Some(icons.into_iter().map(I::into_icon).collect());
                self
            }

            /// Adds metadata, for clients that support its keys.
            ///
            /// # Panics
            ///
            /// When servers may not use a key (2026-07-28, "Overview", section `_meta`).
            #[must_use]
            pub fn meta(mut self, meta: impl IntoMeta) -> Self {
                let own = self.$($listed).+.meta.get_or_insert_default();
                own.extend(checked(meta.into_meta()));
                self
            }
        }
    )*};
}

/// Adds setters of what stands around the handler to entries, and to builders, which have an entry.
macro_rules! guarded {
    ($([$($generic:ident)?] $type:ty $(, $entry:ident)?; $what:literal;)*) => {$(
        impl$(<$generic>)? $type {
            #[doc = concat!("Adds OAuth scopes that a caller needs for the ", $what, ", beside those of the server")]
            /// ([`ServerBuilder::scopes`](crate::ServerBuilder::scopes)).
            ///
            /// # Panics
            ///
            /// When a text is no scope (RFC 6749, section 3.3).
            #[must_use]
            #[track_caller]
            pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
                self.$($entry.)?scopes.add(scopes);
                self
            }

            #[doc = concat!("Adds a layer around the ", $what, ", inside of those added before.")]
            ///
            /// It gets the parameters that the entry has: its name or URI, and arguments. Visibility,
            /// scopes and headers were checked before. It stays with the entry where a server is
            /// [mounted](crate::ServerBuilder::mount), under the name that it has there. A handler
            /// that asks the client is dropped with its layers, and both run again with the answers.
            #[must_use]
            pub fn layer(mut self, layer: impl RequestLayer) -> Self {
                Stack::push(&mut self.$($entry.)?layers, layer);
                self
            }
        }
    )*};
}

/// Adds the setter of visibility to entries.
macro_rules! visible {
    ($($entry:ident, $what:literal;)*) => {$(
        impl $entry {
            #[doc = concat!("Shows the ", $what, " only to callers for whom `visible` returns `true`; for others it does not")]
            /// exist.
            #[must_use]
            pub fn visible_to(
                mut self,
                visible: impl Fn(&Context) -> bool + Send + Sync + 'static,
            ) -> Self {
                self.visibility = Visibility::limited(move |_: &Self, _: &str, cx: &Context| visible(cx));
                self
            }
        }
    )*};
}

/// Adds the setter of completion to entries.
macro_rules! completed {
    ($($entry:ident, $argument:literal;)*) => {$(
        impl $entry {
            #[doc = concat!("Completes ", $argument, " by `function`.")]
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
    ResourceEntry, "resource, or the template and its resources,";
}

completed! {
    PromptEntry, "an argument";
    ResourceEntry, "a variable";
}
