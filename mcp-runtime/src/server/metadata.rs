//! Icons and metadata of tools, prompts, resources and servers.

use mcp_types::{Icon, JsonObject};
use serde_json::Value;

/// Metadata: an object, also as what `json!({ … })` makes.
///
/// ```
/// use mcp_runtime::server::IntoMeta;
/// use serde_json::json;
///
/// assert_eq!(json!({"com.example/shelf": 5}).into_meta().len(), 1);
/// ```
pub trait IntoMeta {
    /// The object. A value that is none has no members.
    fn into_meta(self) -> JsonObject;
}

impl IntoMeta for JsonObject {
    fn into_meta(self) -> JsonObject {
        self
    }
}

impl IntoMeta for Value {
    fn into_meta(self) -> JsonObject {
        match self {
            Self::Object(members) => members,
            _ => JsonObject::new(),
        }
    }
}

/// A picture, given as an icon or as its URL.
pub trait IntoIcon {
    /// The icon.
    fn into_icon(self) -> Icon;
}

impl IntoIcon for Icon {
    fn into_icon(self) -> Icon {
        self
    }
}

impl IntoIcon for &str {
    fn into_icon(self) -> Icon {
        Icon::new(self)
    }
}
