//! Headers that repeat what the body says, checked against it (2026-07-28, "Streamable HTTP",
//! section "Request Metadata").

use std::borrow::Cow;
use std::collections::HashMap;

use http::header::{HeaderMap, HeaderName, HeaderValue};
use mcp_types::jsonrpc::ErrorObject;
use mcp_types::{
    CallToolRequest, GetPromptRequest, RawJsonRef, ReadResourceRequest, Request, RequestMetaRef,
    Tool, error_codes,
};
use serde::Deserialize;
use serde_json::Value;

use super::headers::{self, decoded};

/// The members of `params` that headers repeat.
#[derive(Default, Deserialize)]
pub(super) struct Mirrored<'a> {
    #[serde(borrow, rename = "_meta")]
    pub(super) meta: Option<RequestMetaRef<'a>>,
    #[serde(borrow)]
    name: Option<RawJsonRef<'a>>,
    #[serde(borrow)]
    uri: Option<RawJsonRef<'a>>,
    #[serde(borrow)]
    arguments: Option<RawJsonRef<'a>>,
}

/// The arguments that each tool wants repeated, read from its schema once.
#[derive(Debug, Default)]
pub(super) struct ParamHeaders {
    by_tool: HashMap<String, Vec<ParamHeader>>,
}

/// One argument that a header repeats.
#[derive(Debug)]
struct ParamHeader {
    name: HeaderName,
    /// The keys that lead to the argument.
    path: Vec<String>,
}

impl ParamHeaders {
    pub(super) fn of(tools: &[Tool]) -> Self {
        let annotated = tools.iter().filter_map(|tool| {
            let schema: Value = tool.input_schema.parse().ok()?;
            let mut found = Vec::new();
            collect(&schema, &mut Vec::new(), &mut found);
            (!found.is_empty()).then(|| (tool.name.clone(), found))
        });
        Self {
            by_tool: annotated.collect(),
        }
    }

    /// Checks the `Mcp-Param-*` headers of a call.
    fn check(
        &self,
        headers: &HeaderMap,
        tool: &str,
        arguments: Option<RawJsonRef<'_>>,
    ) -> Result<(), ErrorObject> {
        let Some(annotated) = self.by_tool.get(tool) else {
            return Ok(());
        };
        let arguments = arguments.and_then(|raw| raw.parse().ok());
        for param in annotated {
            let value = arguments
                .as_ref()
                .and_then(|arguments: &Value| param.path.iter().try_fold(arguments, Value::get))
                .filter(|value| !value.is_null());
            check_param(&param.name, said(headers, &param.name)?, value)?;
        }
        Ok(())
    }
}

/// Checks the headers that every stateless request has, beside the version.
///
/// # Errors
///
/// The error to answer with, naming the header.
pub(super) fn check(
    headers: &HeaderMap,
    method: &str,
    params: &Mirrored<'_>,
    annotated: &ParamHeaders,
) -> Result<(), ErrorObject> {
    compare(&headers::METHOD, said(headers, &headers::METHOD)?, method)?;
    let named = match method {
        CallToolRequest::METHOD | GetPromptRequest::METHOD => params.name,
        ReadResourceRequest::METHOD => params.uri,
        _ => return Ok(()),
    };
    // What is no string is refused with the other faults of the parameters.
    let named: Option<Cow<'_, str>> = named.and_then(|raw| raw.parse().ok());
    let Some(named) = named else {
        return Ok(());
    };
    compare(&headers::NAME, said(headers, &headers::NAME)?, &named)?;
    if method == CallToolRequest::METHOD {
        annotated.check(headers, &named, params.arguments)?;
    }
    Ok(())
}

/// The version that the header names.
///
/// # Errors
///
/// When it is missing, unreadable, or not the one in the body.
pub(super) fn check_version(
    headers: &HeaderMap,
    meta: Option<&RequestMetaRef<'_>>,
) -> Result<(), ErrorObject> {
    let name = &headers::PROTOCOL_VERSION;
    let value = said(headers, name)?.ok_or_else(|| missing(name))?;
    let in_body = meta.and_then(|meta| meta.protocol_version);
    let in_body = in_body.and_then(|raw| raw.parse::<Cow<'_, str>>().ok());
    match in_body {
        Some(in_body) => compare(name, Some(value), &in_body),
        // A version that is missing from the body is a fault of the body.
        None => Ok(()),
    }
}

/// What a header says, which has to be one thing.
fn said<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, ErrorObject> {
    headers::only(headers, name).map_err(|_| malformed(name, "it is given more than once"))
}

fn compare(
    name: &HeaderName,
    value: Option<&HeaderValue>,
    in_body: &str,
) -> Result<(), ErrorObject> {
    let value = value.ok_or_else(|| missing(name))?;
    let text = decoded(value).map_err(|reason| malformed(name, reason))?;
    if text == in_body {
        Ok(())
    } else {
        Err(differs(name, &text))
    }
}

fn check_param(
    name: &HeaderName,
    header: Option<&HeaderValue>,
    argument: Option<&Value>,
) -> Result<(), ErrorObject> {
    let text = header
        .map(|value| decoded(value).map_err(|reason| malformed(name, reason)))
        .transpose()?;
    match (text, argument) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err(missing(name)),
        (Some(text), None) => Err(differs(name, &text)),
        (Some(text), Some(argument)) if is_same(&text, argument) => Ok(()),
        (Some(text), Some(_)) => Err(differs(name, &text)),
    }
}

/// Whether a header says what an argument says; numbers are compared as numbers.
fn is_same(text: &str, argument: &Value) -> bool {
    match argument {
        Value::String(string) => text == string,
        Value::Bool(flag) => text == if *flag { "true" } else { "false" },
        Value::Number(number) => {
            let (said, meant) = (text.parse::<f64>(), number.as_f64());
            number.to_string() == text || said.is_ok_and(|said| Some(said) == meant)
        }
        _ => false,
    }
}

fn missing(name: &HeaderName) -> ErrorObject {
    mismatch(format!("the header `{}` is missing", Title(name)))
}

fn malformed(name: &HeaderName, reason: &str) -> ErrorObject {
    mismatch(format!(
        "the header `{}` can't be read: {reason}",
        Title(name)
    ))
}

fn differs(name: &HeaderName, text: &str) -> ErrorObject {
    mismatch(format!(
        "the header `{}` says `{text}`, the body something else",
        Title(name)
    ))
}

fn mismatch(reason: String) -> ErrorObject {
    ErrorObject::new(
        error_codes::HEADER_MISMATCH,
        format!("Header mismatch: {reason}"),
    )
}

/// A header's name as people write it.
struct Title<'a>(&'a HeaderName);

impl std::fmt::Display for Title<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, word) in self.0.as_str().split('-').enumerate() {
            let (first, rest) = word.split_at(word.len().min(1));
            let dash = if i == 0 { "" } else { "-" };
            write!(f, "{dash}{}{rest}", first.to_ascii_uppercase())?;
        }
        Ok(())
    }
}

/// Finds the annotated properties, which only `properties` may lead to.
fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<ParamHeader>) {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return;
    };
    for (key, property) in properties {
        path.push(key.clone());
        if let Some(Value::String(suffix)) = property.get("x-mcp-header") {
            match HeaderName::try_from(format!("mcp-param-{suffix}")) {
                Ok(name) if !suffix.is_empty() => found.push(ParamHeader {
                    name,
                    path: path.clone(),
                }),
                _ => tracing::warn!(
                    suffix,
                    "an `x-mcp-header` that is no header name is ignored"
                ),
            }
        }
        collect(property, path, found);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn annotated() -> ParamHeaders {
        let tool = Tool::new(
            "query",
            json!({"type": "object", "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "limits": {"type": "object", "properties": {
                    "rows": {"type": "integer", "x-mcp-header": "Rows"},
                }},
                "plain": {"type": "string"},
            }}),
        );
        ParamHeaders::of(&[tool])
    }

    fn check_call(headers: &[(&'static str, &'static str)], arguments: &Value) -> Option<String> {
        let standard = [("mcp-method", "tools/call"), ("mcp-name", "query")];
        let headers = standard.iter().chain(headers).map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        let params = json!({"name": "query", "arguments": arguments}).to_string();
        let params = serde_json::from_str(&params).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        let fault = check(&map, "tools/call", &params, &annotated()).err()?;
        assert_eq!(fault.code, -32020);
        Some(fault.message.into_owned())
    }

    #[test]
    fn arguments_and_their_headers_agree() {
        let region = ("mcp-param-region", "us");
        assert_eq!(check_call(&[region], &json!({"region": "us"})), None);
        assert_eq!(
            check_call(&[], &json!({"region": null, "plain": "x"})),
            None
        );
        let rows = json!({"limits": {"rows": 42}});
        for same in ["42", "42.0", "=?base64?NDI=?="] {
            assert_eq!(check_call(&[("mcp-param-rows", same)], &rows), None);
        }
    }

    #[test]
    fn the_header_at_fault_is_named() {
        for (headers, arguments) in [
            (&[][..], json!({"region": "us"})),
            (&[("mcp-param-region", "eu")][..], json!({"region": "us"})),
            (&[("mcp-param-region", "us")][..], json!({})),
            (
                &[("mcp-param-region", "=?base64?%?=")][..],
                json!({"region": "%"}),
            ),
        ] {
            let fault = check_call(headers, &arguments).unwrap();
            assert!(fault.contains("`Mcp-Param-Region`"), "{fault}");
        }
    }

    #[test]
    fn a_header_that_is_given_twice_is_at_fault() {
        let region = ("mcp-param-region", "us");
        let arguments = json!({"region": "us"});
        for (repeated, name) in [
            (region, "`Mcp-Param-Region`"),
            (("mcp-method", "tools/call"), "`Mcp-Method`"),
            (("mcp-name", "query"), "`Mcp-Name`"),
        ] {
            let fault = check_call(&[region, repeated], &arguments).unwrap();
            assert!(
                fault.contains(name) && fault.contains("more than once"),
                "{fault}"
            );
        }
    }
}
