//! Types that contain only the fields of the sample messages.
#![expect(dead_code, reason = "the fields are only decoded")]

use mcp_types::JsonObject;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A call that is decoded in one pass and borrows everything.
#[derive(Deserialize)]
pub struct Call<'a> {
    pub jsonrpc: &'a str,
    pub id: i64,
    pub method: &'a str,
    #[serde(borrow)]
    pub params: CallParams<'a>,
}

#[derive(Deserialize)]
pub struct CallParams<'a> {
    pub name: &'a str,
    #[serde(borrow)]
    pub arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    pub meta: Option<&'a RawValue>,
}

/// A list of tools with only the fields in use. The schemas are raw JSON.
#[derive(Deserialize, Serialize)]
pub struct List {
    pub tools: Vec<Tool>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub input_schema: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// Content blocks as an internally tagged enum, derived by serde.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    Text(Text),
    Image(Media),
    Audio(Media),
    ResourceLink(Link),
    Resource(Resource),
}

#[derive(Deserialize)]
pub struct Text {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    pub meta: Option<JsonObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    pub data: String,
    pub mime_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    pub meta: Option<JsonObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    pub uri: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub size: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    pub meta: Option<JsonObject>,
}

#[derive(Deserialize)]
pub struct Resource {
    pub resource: Contents,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    pub meta: Option<JsonObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    pub audience: Option<Vec<String>>,
    pub priority: Option<f64>,
    pub last_modified: Option<String>,
}

/// Resource contents, which have no tag, as an untagged enum derived by serde.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Contents {
    Text(TextContents),
    Blob(BlobContents),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextContents {
    pub uri: String,
    pub text: String,
    pub mime_type: Option<String>,
    #[serde(rename = "_meta")]
    pub meta: Option<JsonObject>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BlobContents {
    pub uri: String,
    pub blob: String,
    pub mime_type: Option<String>,
    #[serde(rename = "_meta")]
    pub meta: Option<JsonObject>,
}
