//! Prompts and resource templates, whose arguments are text.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::module::{Emitter, described};
use crate::code::docs::lines;
use crate::code::names::ident;
use crate::model::ir::{TextEntry, Type};
use crate::texts;

/// Prompts, or resource templates.
struct Kind<'a> {
    entries: &'a [TextEntry],
    suffix: &'static str,
    /// The method of the client.
    method: TokenStream,
    request: TokenStream,
    doc: &'static str,
}

impl Emitter<'_> {
    fn kinds_of_entries(&self) -> [Kind<'_>; 2] {
        let prompts = Kind {
            entries: &self.model.prompts,
            suffix: "Prompt",
            method: quote!(get_prompt),
            request: quote!(GetPromptRequest),
            doc: "Gets the prompt",
        };
        let templates = Kind {
            entries: &self.model.templates,
            suffix: "Resource",
            method: quote!(read_template),
            request: quote!(ReadResourceRequest),
            doc: "Reads the resource",
        };
        [prompts, templates]
    }

    /// The types that lead to prompts and resource templates.
    pub(super) fn text_entries(&self) -> TokenStream {
        let kinds = self.kinds_of_entries();
        kinds.iter().map(|kind| self.of_kind(kind)).collect()
    }

    fn of_kind(&self, kind: &Kind<'_>) -> TokenStream {
        if kind.entries.is_empty() {
            return TokenStream::new();
        }
        let server = self.server_name();
        let name = format_ident!("{server}{}s", kind.suffix);
        let doc = match kind.suffix {
            "Prompt" => format!("Prompts of [`{server}`]."),
            _ => format!("Resource templates of [`{server}`]."),
        };
        let doc = lines(&doc);
        let methods = kind
            .entries
            .iter()
            .map(|entry| self.text_method(kind, entry));
        quote! {
            #doc
            #[derive(Clone, Copy, Debug)]
            pub struct #name<'a>(&'a Client);

            impl #name<'_> { #(#methods)* }
        }
    }

    fn text_method(&self, kind: &Kind<'_>, entry: &TextEntry) -> TokenStream {
        let Kind {
            method, request, ..
        } = kind;
        let (key, name) = (&entry.key, self.text_method_name(kind, entry));
        let doc = described(&entry.doc, &format!("{} {}.", kind.doc, texts::code(key)));
        let arguments = self.rust(&entry.arguments);
        quote! {
            #doc
            pub fn #name(&self, arguments: impl Into<#arguments>) -> Call<#request> {
                let arguments: #arguments = arguments.into();
                self.0.#method(#key, arguments.pairs())
            }
        }
    }

    fn text_method_name(&self, kind: &Kind<'_>, entry: &TextEntry) -> Ident {
        let names = match kind.suffix {
            "Prompt" => &self.names.prompts,
            _ => &self.names.resource_templates,
        };
        ident(&names[&entry.key])
    }

    /// The method whose arguments a type has, if they are text.
    pub(super) fn text_method_of(&self, ty: &Type) -> Option<String> {
        let kinds = self.kinds_of_entries();
        kinds.iter().find_map(|kind| {
            let entry = kind.entries.iter().find(|entry| entry.arguments == *ty)?;
            let method = self.text_method_name(kind, entry);
            Some(format!(
                "[`{}{}s::{method}`]",
                self.server_name(),
                kind.suffix
            ))
        })
    }
}
