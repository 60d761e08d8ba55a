//! Turns the operations of an OpenAPI document into tools.

use std::sync::Arc;

use anyhow::Result;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use mcp_runtime::server::tools::{ToolBuilder, ToolEntry};
use mcp_runtime::{Json, ToolError};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// The largest response that is read, in bytes.
const MAX_ANSWER: usize = 1 << 20;

struct Operation {
    method: Method,
    /// The URL of the operation, with variables in braces.
    url: String,
    client: Client<HttpConnector, Body>,
}

/// Returns a tool for each operation of the API at `url`.
pub(crate) fn from_document(document: &str, url: &str) -> Result<Vec<ToolEntry>> {
    // The schema of a tool can only refer to definitions inside itself.
    let document = document.replace("#/components/schemas/", "#/$defs/");
    let document: Value = serde_json::from_str(&document)?;
    let none = json!({});
    let definitions = document.pointer("/components/schemas").unwrap_or(&none);
    let client = Client::builder(TokioExecutor::new()).build_http();
    let mut tools = Vec::new();
    for (path, methods) in members(&document["paths"]) {
        for (method, described) in members(methods) {
            let operation = Operation {
                method: method.to_uppercase().parse()?,
                url: format!("{url}{path}"),
                client: client.clone(),
            };
            tools.push(tool(operation, described, definitions)?);
        }
    }
    Ok(tools)
}

fn tool(operation: Operation, described: &Value, definitions: &Value) -> Result<ToolEntry> {
    let text = |key: &str| described[key].as_str().unwrap_or_default();
    let mut builder = ToolBuilder::new(text("operationId"))
        .description(text("summary"))
        .read_only(operation.method.is_safe())
        .destructive(operation.method == Method::DELETE)
        .idempotent(operation.method.is_idempotent())
        .input_schema(input_schema(described, definitions))?;
    let responses = members(&described["responses"]);
    let mut successes = responses.filter(|(status, _)| status.starts_with('2'));
    if let Some(mut schema) = successes.find_map(|(_, it)| json_schema(it)) {
        schema["$defs"] = definitions.clone();
        builder = builder.output_schema(schema)?;
    }
    let operation = Arc::new(operation);
    Ok(builder.call_async(move |arguments: Value, _| Arc::clone(&operation).call(arguments)))
}

/// Returns an object schema whose properties are the parameters and the body of an operation.
fn input_schema(described: &Value, definitions: &Value) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in described["parameters"].as_array().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default();
        let mut schema = parameter["schema"].clone();
        if let Some(description) = parameter.get("description") {
            schema["description"] = description.clone();
        }
        properties.insert(name.to_owned(), schema);
        if parameter["required"] == true {
            required.push(name);
        }
    }
    if let Some(schema) = json_schema(&described["requestBody"]) {
        properties.insert("body".to_owned(), schema);
        required.push("body");
    }
    json!({
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "$defs": definitions,
    })
}

fn json_schema(message: &Value) -> Option<Value> {
    message
        .pointer("/content/application~1json/schema")
        .cloned()
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

impl Operation {
    async fn call(self: Arc<Self>, arguments: Value) -> Result<Option<Json<Value>>, ToolError> {
        let mut url = self.url.clone();
        let mut query = String::new();
        let mut body = Body::empty();
        for (name, value) in members(&arguments) {
            let variable = format!("{{{name}}}");
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let text = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
            if name == "body" {
                body = Body::from(value.to_string());
            } else if url.contains(&variable) {
                url = url.replace(&variable, &text);
            } else {
                query += &format!("&{name}={text}");
            }
        }
        let request = Request::builder()
            .method(&self.method)
            .uri(format!("{url}?{query}"));
        let request = request.header("content-type", "application/json");
        let response = self.client.request(request.body(body)?).await?;
        let status = response.status();
        let body = to_bytes(Body::new(response.into_body()), MAX_ANSWER).await?;
        if !status.is_success() {
            let text = String::from_utf8_lossy(&body);
            return Err(ToolError::new(format!("{status}: {text}")));
        }
        let json = (!body.is_empty()).then(|| serde_json::from_slice(&body));
        Ok(json.transpose()?.map(Json))
    }
}
