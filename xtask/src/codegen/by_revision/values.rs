//! Emits code for the values that `overlay.toml` gives as JSON.

use super::conform::Conform;
use crate::codegen::check::arguments::constructor_order;
use crate::codegen::emit::rust;
use crate::codegen::error::{Error, Result};
use crate::codegen::merged::merge::Shape;
use crate::codegen::model::ir::Type;
use mcp_bindgen::code::names::ident;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use serde_json::{Map, Value, json};

/// Emits the code of a string.
type Text<'a> = &'a dyn Fn(&str) -> TokenStream;

impl Conform<'_> {
    pub(crate) fn is_filled(&self, place: &str, ty: &Type) -> bool {
        let is_empty = |name| self.structure(name, &Map::new(), &|_| quote!()).is_some();
        self.overlay.fill.at(place).is_some() || matches!(ty, Type::Named(name) if is_empty(name))
    }

    /// Emits the value that fills a required field. `revision` is the code of the revision's date.
    pub(crate) fn fill(
        &self,
        place: &str,
        ty: &Type,
        revision: &TokenStream,
    ) -> Result<TokenStream> {
        let fault = |what: &str| Error::conflict(place, what);
        // A struct without required fields is filled with an empty object.
        let fill = self.overlay.fill.at(place);
        let json = fill.map_or("{}", |entry| &entry.value);
        let json = serde_json::from_str(json).map_err(|_| fault("the fill is not JSON"))?;
        let text = |text: &str| match text {
            "$revision" => quote!(#revision.to_owned()),
            text => quote!(#text.to_owned()),
        };
        let value = self.value(ty, &json, &text);
        value.ok_or_else(|| fault("cannot be filled with that value"))
    }

    /// Emits the value `json` of type `ty`; `None` if the type has no such value.
    pub(crate) fn value(&self, ty: &Type, json: &Value, text: Text<'_>) -> Option<TokenStream> {
        Some(match (ty, json) {
            (Type::Text, Value::String(value)) => text(value),
            (Type::Named(name), Value::String(word)) if self.is_word(name, word) => {
                let name = ident(name);
                quote!(#name::from(#word))
            }
            (Type::Named(name), Value::Object(members)) => self.structure(name, members, text)?,
            (Type::Integer { signed }, Value::Number(number))
                if number.is_u64() || *signed && number.is_i64() =>
            {
                number.to_string().parse().ok()?
            }
            (Type::Number, Value::Number(number)) => {
                Literal::f64_unsuffixed(number.as_f64()?).to_token_stream()
            }
            (Type::Bool, Value::Bool(value)) => quote!(#value),
            (Type::Json { .. }, json) if is_empty(json) => quote!(RawJson::empty_object()),
            (Type::Object { .. } | Type::List(_) | Type::Map(_), json) if is_empty(json) => {
                let ty = rust::stored(ty);
                quote!(<#ty>::new())
            }
            _ => return None,
        })
    }

    /// Emits a struct with its constant and required fields.
    fn structure(
        &self,
        name: &str,
        members: &Map<String, Value>,
        text: Text<'_>,
    ) -> Option<TokenStream> {
        let structure = self.merged.structure(name)?;
        let required = constructor_order(name, structure, self.overlay);
        let constant = structure.constant();
        let is_known = |(wire, value): (&String, &Value)| {
            required.iter().any(|(field, _)| *field == wire)
                || constant.is_some_and(|(field, constant)| field == wire && value == constant)
        };
        if !members.iter().all(is_known) {
            return None;
        }
        let arguments = required.iter();
        let arguments =
            arguments.map(|(wire, field)| self.value(&field.ty, members.get(*wire)?, text));
        let name = ident(name);
        let arguments = arguments.collect::<Option<Vec<_>>>()?;
        Some(quote!(#name::new(#(#arguments),*)))
    }

    /// Returns true if the type has `word` as a value. Types that are not generated accept any word.
    fn is_word(&self, name: &str, word: &str) -> bool {
        let ty = self.merged.types.get(name);
        ty.is_none_or(|ty| matches!(&ty.shape, Shape::Enum(def) if def.values.contains_key(word)))
    }
}

fn is_empty(json: &Value) -> bool {
    [json!({}), json!([])].contains(json)
}
