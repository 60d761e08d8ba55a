//! Errors whose code or form differs between the eras.

use mcp_types::jsonrpc::code;
use mcp_types::{Era, RawJson, Revision, error_codes};
use serde_json::{Value, json};

/// The code for a resource that does not exist (2025-11-25, "Resources"; 2026-07-28, "Resources").
pub(crate) fn resource_not_found(revision: Revision) -> i64 {
    match revision.era() {
        Era::Handshake => -32002,
        Era::Stateless => code::INVALID_PARAMS,
    }
}

/// The code for capabilities that the client does not declare.
pub(crate) fn missing_capability(revision: Revision) -> i64 {
    match revision.era() {
        Era::Handshake => code::INVALID_PARAMS,
        Era::Stateless => error_codes::MISSING_REQUIRED_CLIENT_CAPABILITY,
    }
}

/// The message of the error.
pub(crate) fn missing_message(missing: &Value, revision: Revision) -> String {
    match revision.era() {
        Era::Handshake => "Unsupported capability".to_owned(),
        Era::Stateless => format!(
            "Missing required client capability: {}",
            names(missing).join(", ")
        ),
    }
}

/// The `data` of the error.
pub(crate) fn missing_data(missing: &Value, revision: Revision) -> RawJson {
    match revision.era() {
        Era::Handshake => {
            let names = names(missing);
            let reason = format!(
                "the server can't do without what the client does not declare: {}",
                names.join(", ")
            );
            json!({"capability": names.first(), "reason": reason}).into()
        }
        Era::Stateless => json!({"requiredCapabilities": missing}).into(),
    }
}

/// The names of what is missing, such as `sampling.tools`.
pub(super) fn names(missing: &Value) -> Vec<String> {
    let mut all = Vec::new();
    if let Value::Object(members) = missing {
        for (name, member) in members {
            let inner = names(member);
            if inner.is_empty() {
                all.push(name.clone());
            }
            for inner in inner {
                all.push(format!("{name}.{inner}"));
            }
        }
    }
    all
}
