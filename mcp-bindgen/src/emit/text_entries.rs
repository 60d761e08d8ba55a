//! Prompts and resource templates, whose arguments are text.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use super::module::{Emitter, described};
use super::structs::conversion;
use crate::code::docs::lines;
use crate::code::names::ident;
use crate::model::ir::TextEntry;
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
    /// The types of prompts and resource templates.
    pub(super) fn text_entries(&self) -> TokenStream {
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
            .iter()
            .map(|kind| self.of_kind(kind))
            .collect()
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
        let arguments = kind
            .entries
            .iter()
            .map(|entry| self.text_arguments(kind, entry));
        quote! {
            #doc
            #[derive(Clone, Copy, Debug)]
            pub struct #name<'a>(&'a Client);

            impl #name<'_> { #(#methods)* }

            #(#arguments)*
        }
    }

    fn text_method(&self, kind: &Kind<'_>, entry: &TextEntry) -> TokenStream {
        let Kind {
            method, request, ..
        } = kind;
        let (key, name) = (&entry.key, self.text_method_name(kind, entry));
        let doc = described(&entry.doc, &format!("{} {}.", kind.doc, texts::code(key)));
        let arguments = self.text_arguments_name(kind, entry).0;
        quote! {
            #doc
            pub fn #name(&self, arguments: impl Into<#arguments>) -> Call<#request> {
                let arguments: #arguments = arguments.into();
                self.0.#method(#key, arguments.0)
            }
        }
    }

    fn text_method_name(&self, kind: &Kind<'_>, entry: &TextEntry) -> syn::Ident {
        let names = match kind.suffix {
            "Prompt" => &self.names.prompts,
            _ => &self.names.resource_templates,
        };
        ident(&names[&entry.key])
    }

    /// The type that has the arguments of an entry, and the names of its members.
    fn text_arguments_name(
        &self,
        kind: &Kind<'_>,
        entry: &TextEntry,
    ) -> (syn::Ident, Vec<syn::Ident>) {
        let place = format!("{}/{}", kind.suffix, entry.key);
        let mut types = self.names.types.iter();
        let found = types.find(|(_, record)| record.at.contains(&place));
        let (name, record) = found.unzip();
        let members = entry.arguments.iter().map(|(wire, _)| {
            let member = record.and_then(|record| record.names.get(wire));
            ident(member.map_or("argument", String::as_str))
        });
        (
            ident(name.map_or("Arguments", String::as_str)),
            members.collect(),
        )
    }

    fn text_arguments(&self, kind: &Kind<'_>, entry: &TextEntry) -> TokenStream {
        let (name, members) = self.text_arguments_name(kind, entry);
        let ty = format_ident!("{}{}s", self.server_name(), kind.suffix);
        let method = self.text_method_name(kind, entry);
        let doc = lines(&format!("Arguments of [`{ty}::{method}`]."));
        let (mut arguments, mut pairs, mut setters) = (Vec::new(), Vec::new(), Vec::new());
        let mut documented = String::new();
        for (member, (wire, field)) in members.iter().zip(&entry.arguments) {
            if field.required {
                arguments.push(quote!(#member: impl Into<String>));
                pairs.push(quote!((#wire, #member.into())));
                let line = field.doc.lines().next().unwrap_or_default();
                if !line.is_empty() {
                    documented += &format!("\n- `{}`: {line}", member.unraw());
                }
                continue;
            }
            let setter = format_ident!("with_{}", member.unraw());
            let doc = described(&field.doc, &format!("Sets {}.", texts::code(wire)));
            setters.push(quote! {
                #doc
                #[must_use]
                pub fn #setter(mut self, #member: impl Into<String>) -> Self {
                    self.0.push((#wire, #member.into()));
                    self
                }
            });
        }
        let first = match arguments.is_empty() {
            true => "No arguments.",
            false => "The required arguments, and no other.",
        };
        let gap = if documented.is_empty() { "" } else { "\n" };
        let new_doc = lines(&format!("{first}{gap}{documented}"));
        let default = arguments.is_empty().then(|| quote!(Default,));
        let from = match arguments.len() {
            0 => Some(conversion(&name, &None, &quote!(()), &quote!(Self::new()))),
            1 => {
                let generics = Some(quote!(<T: Into<String>>));
                Some(conversion(
                    &name,
                    &generics,
                    &quote!(T),
                    &quote!(Self::new(value)),
                ))
            }
            _ => None,
        };
        quote! {
            #doc
            #[derive(Clone, Debug, #default PartialEq)]
            pub struct #name(Vec<(&'static str, String)>);

            impl #name {
                #new_doc
                #[must_use]
                pub fn new(#(#arguments),*) -> Self { Self(Vec::from([#(#pairs),*])) }

                #(#setters)*
            }

            #from
        }
    }
}
