//! Implements `#[derive(Elicit)]`, which makes a type a form for users to fill in.

use proc_macro2::TokenStream;
use syn::{Attribute, Data, DataEnum, DeriveInput, Field, Fields, Ident, Meta, Type};

use crate::diagnostics::Diagnostics;
use crate::{expand, manifest};

/// A type that derives `Elicit`.
pub(crate) struct Form {
    pub(crate) ident: Ident,
    /// The types of the fields; empty for a choice.
    pub(crate) fields: Vec<Type>,
    /// Whether the type is an enum, which can be a field of forms.
    pub(crate) is_choice: bool,
}

/// Expands `#[derive(Elicit)]`. The expansion lets the compiler check the types of the fields.
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    if !input.generics.params.is_empty() {
        diagnostics.mistake(
            &input.generics,
            "a form cannot be generic: its fields are known in advance",
            "write a separate type for each form",
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
                "a union is not a form",
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

/// The types of all fields, except for fields whose schema an attribute hides or replaces.
fn fields(ident: &Ident, fields: &Fields, diagnostics: &mut Diagnostics) -> Vec<Type> {
    let Fields::Named(fields) = fields else {
        diagnostics.mistake(
            ident,
            "a form needs fields with names",
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
                    "remove it, and check the answer in the function that asks",
                );
            }
        }
        if !is_described_otherwise(field) {
            types.push(field.ty.clone());
        }
    }
    types
}

/// Whether an attribute hides the field, or replaces the schema of its type.
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
                "remove them, or ask for them in another form",
            );
        }
    }
}

/// The identifiers in a `#[serde(…)]` or `#[schemars(…)]` attribute.
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
