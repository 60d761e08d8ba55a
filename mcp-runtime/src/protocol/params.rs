//! The parameters of a request. The members that several methods share are read in one pass. Also
//! finds the arguments of tools that HTTP headers repeat (2026-07-28, "Tools", section
//! "x-mcp-header").

use std::borrow::Cow;

use mcp_types::{ProgressToken, RawJson, RawJsonRef, RequestMetaRef, RequestParamsRef};
use serde::Deserialize;
use serde_json::Value;

use super::decode::{BorrowedText, decode_params, optional, required};
use crate::error::RequestError;

/// The `params` of a request.
///
/// The members that methods share are located once, but decoded lazily: a fault in a member is
/// reported when a method reads it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestParams<'a> {
    pub(crate) raw: Option<RawJsonRef<'a>>,
    /// The members that methods share.
    pub(crate) shared: RequestParamsRef<'a>,
    pub(crate) meta: RequestMetaRef<'a>,
}

impl<'a> RequestParams<'a> {
    /// Reads the shared members and the reserved members of `_meta`.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] when `params` or `_meta` is not an object or has a member
    /// twice, or when the progress token is neither a string nor an integer.
    pub(crate) fn read(raw: Option<RawJsonRef<'a>>) -> Result<Self, RequestError> {
        let shared: RequestParamsRef<'a> = decode_params(raw)?;
        let meta: RequestMetaRef<'a> = optional(shared.meta, "_meta")?.unwrap_or_default();
        meta.progress_token.map_or(Ok(()), check_progress_token)?;
        Ok(Self { raw, shared, meta })
    }

    /// Decodes all parameters. Absent parameters are the same as an empty object.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] with the path of the first fault.
    pub(crate) fn decode<T: Deserialize<'a>>(&self) -> Result<T, RequestError> {
        decode_params(self.raw)
    }

    /// Returns true if `_meta` has a version or capabilities, like stateless requests.
    pub(crate) fn is_stateless(&self) -> bool {
        self.meta.protocol_version.is_some() || self.meta.client_capabilities.is_some()
    }

    pub(crate) fn name(&self) -> Result<Cow<'a, str>, RequestError> {
        Ok(required::<BorrowedText<'a>>(self.shared.name, "name")?.0)
    }

    pub(crate) fn uri(&self) -> Result<Cow<'a, str>, RequestError> {
        Ok(required::<BorrowedText<'a>>(self.shared.uri, "uri")?.0)
    }

    /// Returns the name or else the URI, if the request has either.
    pub(crate) fn target(&self) -> Result<Option<Cow<'a, str>>, RequestError> {
        match text(self.shared.name, "name")? {
            Some(name) => Ok(Some(name)),
            None => text(self.shared.uri, "uri"),
        }
    }

    /// Returns the arguments of a tool call.
    ///
    /// # Errors
    ///
    /// [`RequestError::InvalidParams`] when the arguments are not an object.
    pub(crate) fn arguments(&self) -> Result<Option<RawJsonRef<'a>>, RequestError> {
        if self.shared.arguments.is_none_or(RawJsonRef::is_object) {
            Ok(self.shared.arguments)
        } else {
            Err(RequestError::InvalidParams {
                path: "params.arguments".to_owned(),
                reason: "must be an object".to_owned(),
            })
        }
    }

    pub(crate) fn cursor(&self) -> Result<Option<Cow<'a, str>>, RequestError> {
        text(self.shared.cursor, "cursor")
    }

    pub(crate) fn request_state(&self) -> Result<Option<Cow<'a, str>>, RequestError> {
        text(self.shared.request_state, "requestState")
    }
}

fn text<'a>(raw: Option<RawJsonRef<'a>>, name: &str) -> Result<Option<Cow<'a, str>>, RequestError> {
    Ok(optional::<BorrowedText<'a>>(raw, name)?.map(|text| text.0))
}

/// Refuses a progress token that is neither a string nor an integer.
fn check_progress_token(token: RawJsonRef<'_>) -> Result<(), RequestError> {
    // This runs for each request, so recognize the usual tokens without decoding them.
    let is_short_integer =
        token.get().len() < 19 && token.get().bytes().all(|b| b.is_ascii_digit());
    if is_short_integer {
        return Ok(());
    }
    optional::<ProgressToken>(Some(token), "_meta.progressToken").map(drop)
}

/// An argument that the header `Mcp-Param-{name}` repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamHeader {
    /// The full name of the header, in lower case.
    pub(crate) name: String,
    /// The names of the members that lead to the argument.
    pub(crate) path: Vec<String>,
}

impl ParamHeader {
    /// The keyword of a schema whose value is the name of the header without `Mcp-Param-`.
    pub(crate) const ANNOTATION: &str = "x-mcp-header";

    /// Returns the annotated arguments of an input schema. An annotation that is not a valid header
    /// name is ignored with a warning.
    ///
    /// # Errors
    ///
    /// When the schema contains the keyword, but can't be read.
    pub(crate) fn of_schema(schema: &RawJson) -> serde_json::Result<Box<[Self]>> {
        if !schema.get().contains(Self::ANNOTATION) {
            return Ok(Box::default());
        }
        let schema = schema.parse()?;
        let annotated = Self::annotated(&schema).into_iter();
        let headers = annotated.filter_map(|(path, property)| {
            let header = Self::of_property(path, property);
            if header.is_none() {
                let name = &property[Self::ANNOTATION];
                crate::log::warn!(%name, "ignoring an `x-mcp-header` that is not a header name");
            }
            header
        });
        Ok(headers.collect())
    }

    /// Returns the annotated properties of a schema with their paths. Only properties, and
    /// properties of properties, can be annotated.
    pub(crate) fn annotated(schema: &Value) -> Vec<(Vec<String>, &Value)> {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found);
        found
    }

    /// Returns the header of an annotated property, or `None` if the annotation is not a valid
    /// header name.
    pub(crate) fn of_property(path: Vec<String>, property: &Value) -> Option<Self> {
        let suffix = property[Self::ANNOTATION].as_str()?;
        let name = format!("mcp-param-{}", suffix.to_ascii_lowercase());
        is_token(suffix).then_some(Self { name, path })
    }
}

fn collect<'a>(
    schema: &'a Value,
    path: &mut Vec<String>,
    found: &mut Vec<(Vec<String>, &'a Value)>,
) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    for (key, property) in properties {
        path.push(key.clone());
        if property.get(ParamHeader::ANNOTATION).is_some() {
            found.push((path.clone(), property));
        }
        collect(property, path, found);
        path.pop();
    }
}

/// Returns true if `name` is a valid header name (RFC 9110, section 5.6.2).
fn is_token(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(params: &str) -> Result<RequestParams<'_>, RequestError> {
        RequestParams::read(Some(RawJsonRef::from_text(params).unwrap()))
    }

    #[test]
    fn a_fault_in_one_member_leaves_the_others_readable() {
        let params = read(r#"{"name":7,"cursor":"a\u0062","uri":null}"#).unwrap();
        assert_eq!(params.cursor().unwrap().as_deref(), Some("ab"));
        let missing = params.uri().unwrap_err().to_string();
        assert_eq!(missing, "Invalid params: params.uri: missing");
        let fault = params.name().unwrap_err().to_string();
        let words = "Invalid params: params.name: invalid type: integer `7`, expected a string";
        assert_eq!(fault, words);
    }

    #[test]
    fn a_meta_that_is_not_an_object_is_refused_by_its_path() {
        for meta in ["7", "\"x\""] {
            let params = format!(r#"{{"_meta":{meta}}}"#);
            let fault = read(&params).map(drop).unwrap_err().to_string();
            assert!(fault.starts_with("Invalid params: params._meta"), "{fault}");
        }
    }

    #[test]
    fn a_progress_token_that_can_not_be_read_is_refused_by_its_path() {
        let check = |token: &str| {
            let params = format!(r#"{{"_meta":{{"progressToken":{token}}}}}"#);
            read(&params).map(drop)
        };
        for token in ["1", "1.0", "-1e3", "\"a\"", "\"\\u0061\"", "null"] {
            assert_eq!(check(token), Ok(()), "{token}");
        }
        for token in ["1.5", "10000000000000000000", "true", "[]", "\"\\ud800\""] {
            let fault = check(token).unwrap_err().to_string();
            let path = "Invalid params: params._meta.progressToken: ";
            assert!(fault.starts_with(path), "{fault}");
        }
    }

    #[test]
    fn annotations_are_found_where_properties_lead_to_them() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "limits": {"type": "object", "properties": {
                "rows": {"type": "integer", "x-mcp-header": "Rows"},
            }},
            "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "Item"}},
            "bad": {"type": "string", "x-mcp-header": "a b"},
            "empty": {"type": "string", "x-mcp-header": ""},
            "plain": {"type": "string"},
        }});
        let mut found = ParamHeader::of_schema(&schema.into()).unwrap().into_vec();
        found.sort_by(|one, other| one.name.cmp(&other.name));
        let found: Vec<_> = found
            .iter()
            .map(|header| (&*header.name, header.path.join(".")))
            .collect();
        assert_eq!(
            found,
            [
                ("mcp-param-region", "region".to_owned()),
                ("mcp-param-rows", "limits.rows".to_owned()),
            ]
        );
    }
}
