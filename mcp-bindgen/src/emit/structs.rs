//! Structs: typify prints the types of their fields; names, documentation and constructors are added.

use std::collections::HashMap;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use serde_json::{Map, Value, json};
use syn::ext::IdentExt;

use super::module::{Emitter, described};
use crate::code::constructors::{argument, setter, split};
use crate::code::docs::lines;
use crate::code::printer::{PrintError, Printer};
use crate::model::ir::{Def, Field, Id, Shape, Struct, Type};
use crate::texts;

/// Names by which typify knows types that it does not print, and their paths.
const OTHERS: [(&str, &str); 6] = [
    ("PJson", "Value"),
    ("PNull", "()"),
    ("PDateTime", "::chrono::DateTime<::chrono::FixedOffset>"),
    ("PDate", "::chrono::NaiveDate"),
    ("PUuid", "::uuid::Uuid"),
    ("PUrl", "::url::Url"),
];

/// The types of the fields of each struct, in their order; with `Box` where a struct contains itself.
///
/// typify sees no name of the server: structs and fields have numbers.
pub(super) fn printed(emitter: &Emitter<'_>) -> Result<HashMap<Id, Vec<TokenStream>>, PrintError> {
    let mut printer = Printer::new("Map");
    for (name, _) in OTHERS {
        printer.replace(name, name);
    }
    let mut ids = HashMap::new();
    for (id, def) in &emitter.model.defs {
        let name = format!("T{id}");
        let Shape::Struct(it) = &def.shape else {
            printer.replace(&name, &name);
            continue;
        };
        let mut properties = Map::new();
        for (index, (_, field)) in it.fields.iter().enumerate() {
            properties.insert(format!("f{index:04}"), schema(&stored(field)));
        }
        let names: Vec<_> = properties.keys().cloned().collect();
        let required = names.iter().map(String::as_str).collect();
        printer.define(&name, properties, required);
        ids.insert(name, *id);
    }
    let structs = printer.print()?.into_iter();
    let structs = structs.filter_map(|(name, item)| Some((*ids.get(&name)?, item)));
    let types = structs.map(|(id, item)| {
        let types = item.fields.into_iter();
        let types = types.map(|field| emitter.named(field.ty.into_token_stream()));
        (id, types.collect::<Vec<_>>())
    });
    Ok(types.collect())
}

/// The type of a field as it is stored: an `Option` if it may be absent.
fn stored(field: &Field) -> Type {
    match &field.ty {
        ty if field.required => ty.clone(),
        ty @ (Type::Json | Type::Null) => Type::Nullable(Box::new(ty.clone())),
        ty => ty.clone().nullable(),
    }
}

/// The schema of a type for typify.
fn schema(ty: &Type) -> Value {
    let reference = |name: &str| json!({"$ref": format!("#/definitions/{name}")});
    match ty {
        Type::Bool => json!({"type": "boolean"}),
        Type::Integer => json!({"type": "integer", "format": "int64"}),
        Type::Number => json!({"type": "number"}),
        Type::Text => json!({"type": "string"}),
        Type::List(item) => json!({"type": "array", "items": schema(item)}),
        Type::Map(item) => json!({"type": "object", "additionalProperties": schema(item)}),
        Type::Nullable(item) => json!({"oneOf": [schema(item), {"type": "null"}]}),
        Type::Tuple(items) => {
            let (count, items) = (items.len(), items.iter().map(schema).collect::<Vec<_>>());
            json!({"type": "array", "items": items, "minItems": count, "maxItems": count})
        }
        Type::Named(id) => reference(&format!("T{id}")),
        Type::Null => reference("PNull"),
        Type::Json => reference("PJson"),
        Type::External(path) => {
            let other = OTHERS.iter().find(|(_, other)| other == path);
            reference(other.map_or("PJson", |(name, _)| name))
        }
    }
}

impl Emitter<'_> {
    /// A type that typify has printed, with the names of this module.
    fn named(&self, ty: TokenStream) -> TokenStream {
        let tokens = ty.into_iter().map(|token| match token {
            TokenTree::Group(group) => {
                let inner = self.named(group.stream());
                Group::new(group.delimiter(), inner).into_token_stream()
            }
            TokenTree::Ident(name) => {
                let text = name.to_string();
                let other = OTHERS.iter().find(|(known, _)| *known == text);
                let id = text.strip_prefix('T').and_then(|id| id.parse::<Id>().ok());
                match (other, id.and_then(|id| self.types.get(&id))) {
                    (Some((_, path)), _) => path.parse().unwrap_or_default(),
                    (None, Some(known)) => known.to_token_stream(),
                    (None, None) => name.into_token_stream(),
                }
            }
            other => other.into_token_stream(),
        });
        tokens.collect()
    }

    /// A struct with its conversions.
    pub(super) fn structure(
        &self,
        id: Id,
        def: &Def,
        it: &Struct,
        types: Vec<TokenStream>,
    ) -> TokenStream {
        let name = &self.types[&id];
        let (is_sent, is_received) = (self.sent.contains(&id), self.received.contains(&id));
        let fields: Vec<_> = it
            .fields
            .iter()
            .zip(types)
            .map(|((wire, field), ty)| Member {
                name: self.member(id, wire),
                wire,
                field,
                ty,
            })
            .collect();
        let extra = it.extra.as_ref().map(|ty| self.rust(ty));
        let doc = self.doc_of_struct(id, def);
        let visibility = is_received.then(|| quote!(pub));
        let items = fields.iter().map(|member| member.item(visibility.as_ref()));
        let extra_item = extra.as_ref().map(|ty| {
            quote! {
                /// Members without a name of their own.
                #[serde(flatten)]
                #visibility extra: Map<#ty>,
            }
        });
        let tag = it.tag.as_ref();
        let tag = tag.map(|(member, value)| quote!(#[serde(tag = #member, rename = #value)]));
        let has_required = fields.iter().any(|member| member.field.required);
        let default = (is_sent && !has_required).then(|| quote!(Default,));
        let non_exhaustive = is_received.then(|| quote!(#[non_exhaustive]));
        let methods = is_sent.then(|| self.constructor(name, &fields, extra.as_ref(), is_received));
        let pairs = self
            .text_method_of(&Type::Named(id))
            .map(|_| pairs(name, &fields));
        let conversion = self
            .is_root(id)
            .then(|| self.conversion(name, &fields))
            .flatten();
        quote! {
            #doc
            #[derive(Clone, Debug, #default PartialEq, Serialize, Deserialize)]
            #tag
            #non_exhaustive
            pub struct #name { #(#items)* #extra_item }
            #methods
            #pairs
            #conversion
        }
    }

    /// Whether a definition has the arguments of a tool.
    fn is_root(&self, id: Id) -> bool {
        self.model.arguments().any(|ty| *ty == Type::Named(id))
    }

    pub(super) fn doc_of_struct(&self, id: Id, def: &Def) -> TokenStream {
        let of = |part: &dyn Fn(&crate::model::ir::Tool) -> bool| {
            let tool = self.model.tools.iter().find(|tool| part(tool))?;
            let method = crate::code::names::ident(&self.names.tools[&tool.name]);
            Some(format!("[`{}::{method}`]", self.server_name()))
        };
        let ty = Type::Named(id);
        let arguments = of(&|tool| tool.arguments == ty).or_else(|| self.text_method_of(&ty));
        let output = of(&|tool| tool.output.as_ref().is_some_and(|output| output.ty == ty));
        let other = match (arguments, output) {
            (Some(method), _) => format!("Arguments of {method}."),
            (None, Some(method)) => format!("Output of {method}."),
            (None, None) => format!(
                "At {}.",
                texts::code(def.places.first().map_or("", String::as_str))
            ),
        };
        match self.is_root(id) {
            true => lines(&format!("{other}\n\n{}", def.doc)),
            false => described(&def.doc, &other),
        }
    }

    /// `new`, and a setter for each member that may be left out.
    fn constructor(
        &self,
        name: &Ident,
        fields: &[Member<'_>],
        extra: Option<&TokenStream>,
        has_fields: bool,
    ) -> TokenStream {
        let is_plain = |named: &str| self.is_plain(named);
        let (mut arguments, mut inits, mut setters) = (Vec::new(), Vec::new(), Vec::new());
        let mut documented = String::new();
        for Member {
            name, field, ty, ..
        } in fields
        {
            let text = ty.to_string();
            if field.required {
                let (argument, stored) = argument(&text, name, &is_plain);
                let stored = stored.map(|stored| quote!(: #stored));
                arguments.push(quote!(#name: #argument));
                inits.push(quote!(#name #stored));
                let line = field.doc.lines().next().unwrap_or_default();
                if !line.is_empty() {
                    documented += &format!("\n- `{}`: {line}", name.unraw());
                }
                continue;
            }
            inits.push(quote!(#name: None));
            let plain = name.unraw();
            let link = format!("Sets [`{plain}`](Self::{plain}).");
            let doc = match has_fields {
                true => lines(&link),
                false => described(&field.doc, &format!("Sets `{plain}`.")),
            };
            setters.push(setter(&text, name, &doc, &is_plain));
        }
        if let Some(ty) = extra {
            inits.push(quote!(extra: Map::new()));
            setters.push(quote! {
                /// Adds a member without a name of its own.
                #[must_use]
                pub fn with_extra(mut self, name: impl Into<String>, value: #ty) -> Self {
                    self.extra.insert(name.into(), value);
                    self
                }
            });
        }
        let first = match arguments.is_empty() {
            true => "A value with all members absent.",
            false => "A value with the required members, and no other.",
        };
        let gap = if documented.is_empty() { "" } else { "\n" };
        let doc = lines(&format!("{first}{gap}{documented}"));
        quote! {
            impl #name {
                #doc
                #[must_use]
                pub fn new(#(#arguments),*) -> Self { Self { #(#inits),* } }

                #(#setters)*
            }
        }
    }

    /// The conversion into arguments with one required member, or none.
    fn conversion(&self, name: &Ident, fields: &[Member<'_>]) -> Option<TokenStream> {
        let required: Vec<_> = fields.iter().filter(|it| it.field.required).collect();
        let (generics, ty) = match required[..] {
            [] => (None, quote!(())),
            [Member { ty, .. }] => match ty.to_string().as_str() {
                "String" => (Some(quote!(<T: Into<String>>)), quote!(T)),
                "Vec < String >" => {
                    let generics = quote!(<T: IntoIterator<Item: Into<String>>>);
                    (Some(generics), quote!(T))
                }
                text => match split(text) {
                    ("Box", _) => return None,
                    ("Vec", item) => {
                        let item: TokenStream = item.parse().unwrap_or_default();
                        (Some(quote!(<T: IntoIterator<Item = #item>>)), quote!(T))
                    }
                    _ => (None, ty.clone()),
                },
            },
            _ => return None,
        };
        let (argument, new) = match required.is_empty() {
            true => (quote!(()), quote!(Self::new())),
            false => (quote!(value), quote!(Self::new(value))),
        };
        Some(quote! {
            impl #generics From<#ty> for #name {
                fn from(#argument: #ty) -> Self {
                    #new
                }
            }
        })
    }

    /// Whether a named type is passed as it is, not as `impl Into`.
    fn is_plain(&self, name: &str) -> bool {
        let id = self.types.iter().find(|(_, known)| *known == name);
        match id
            .and_then(|(id, _)| self.model.defs.get(id))
            .map(|def| &def.shape)
        {
            Some(Shape::Struct(_) | Shape::Enum(_)) => true,
            Some(_) => false,
            None => !matches!(name, "String" | "Value"),
        }
    }
}

/// The arguments of a prompt or template as names and texts.
fn pairs(name: &Ident, fields: &[Member<'_>]) -> TokenStream {
    let pairs = fields.iter().map(
        |Member {
             name, wire, field, ..
         }| match field.required {
            true => quote!((#wire, Some(self.#name))),
            false => quote!((#wire, self.#name)),
        },
    );
    quote! {
        impl #name {
            fn pairs(self) -> impl Iterator<Item = (&'static str, String)> {
                let pairs: Vec<(_, Option<String>)> = Vec::from([#(#pairs),*]);
                pairs.into_iter().filter_map(|(name, text)| Some((name, text?)))
            }
        }
    }
}

/// A field while its struct is put together.
struct Member<'a> {
    name: Ident,
    wire: &'a str,
    field: &'a Field,
    ty: TokenStream,
}

impl Member<'_> {
    fn item(&self, visibility: Option<&TokenStream>) -> TokenStream {
        let Self {
            name,
            wire,
            field,
            ty,
        } = self;
        let doc = described(&field.doc, &format!("The member {}.", texts::code(wire)));
        let rename = (name.unraw() != **wire).then(|| quote!(rename = #wire));
        let absent = (!field.required).then(|| quote!(skip_serializing_if = "Option::is_none"));
        let serde: Vec<_> = rename.into_iter().chain(absent).collect();
        let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
        quote!(#doc #serde #visibility #name: #ty,)
    }
}
