//! `#[derive(Elicit)]`: whether a type is a form that users can be asked to fill in.

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DataEnum, DeriveInput, Field, Fields, Ident, Meta, Type};

use crate::diagnostics::Diagnostics;
use crate::{expand, manifest};

/// Model of a derived type.
pub(crate) struct Form {
    pub(crate) ident: Ident,
    /// The types of the fields; none if it is a choice.
    pub(crate) fields: Vec<Type>,
    /// Whether it is one of several values, and as such a field of other forms.
    pub(crate) is_choice: bool,
}

/// Expands `#[derive(Elicit)]`: a type that is a form, whose fields the compiler checks.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    if !input.generics.params.is_empty() {
        diagnostics.mistake(
            &input.generics,
            "a form has no parameters: what it asks for is known beforehand",
            "write a type of its own for each form",
        );
        return diagnostics.into_tokens();
    }
    let (fields, is_choice) = match &input.data {
        Data::Struct(data) => (fields(&input.ident, &data.fields, &mut diagnostics), false),
        Data::Enum(data) => {
            variants(data, &mut diagnostics);
            (Vec::new(), true)
        }
        Data::Union(_) => {
            diagnostics.mistake(
                &input.ident,
                "a union is no form",
                "write a struct with a field for each thing to ask for",
            );
            return diagnostics.into_tokens();
        }
    };
    let form = Form {
        ident: input.ident,
        fields,
        is_choice,
    };
    let mut tokens = expand::form(&manifest::runtime(), &form);
    tokens.extend(diagnostics.into_tokens());
    tokens
}

/// The types of the fields that say themselves what they are.
fn fields(ident: &Ident, fields: &Fields, diagnostics: &mut Diagnostics) -> Vec<Type> {
    let Fields::Named(fields) = fields else {
        diagnostics.mistake(
            ident,
            "a form asks for fields, which have names",
            "write a struct with named fields",
        );
        return Vec::new();
    };
    let mut types = Vec::new();
    for field in &fields.named {
        for attribute in &field.attrs {
            if let Some(word) = words(attribute).find(|word| word == "regex" || word == "pattern") {
                diagnostics.mistake(
                    &word,
                    "forms have no patterns",
                    "remove it, and look at the answer in the function that asks",
                );
            }
        }
        if !is_described_otherwise(field) {
            types.push(field.ty.clone());
        }
    }
    types
}

/// Whether the type of the field is not what the form shows of it.
fn is_described_otherwise(field: &Field) -> bool {
    let others = [
        "skip",
        "skip_deserializing",
        "flatten",
        "with",
        "schema_with",
    ];
    let mut words = field.attrs.iter().flat_map(words);
    words.any(|word| others.iter().any(|other| word == other))
}

fn variants(data: &DataEnum, diagnostics: &mut Diagnostics) {
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            diagnostics.mistake(
                &variant.fields,
                format!(
                    "the choice `{}` holds values, which no form can ask for",
                    variant.ident
                ),
                "leave them away, or ask for them in another form",
            );
        }
    }
}

/// The words that an attribute of serde or schemars begins its entries with.
fn words(attribute: &Attribute) -> impl Iterator<Item = Ident> + use<> {
    let known = attribute.path().is_ident("serde") || attribute.path().is_ident("schemars");
    let tokens = match &attribute.meta {
        Meta::List(list) if known => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    tokens.into_iter().filter_map(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => Some(ident),
        _ => None,
    })
}
