//! Metadata of what a server offers.

use mcp_types::JsonObject;
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
