//! The names of the extension, and how tools describe their pages.

use mcp_runtime::types::{JsonObject, Tool};
use serde_json::Value;

/// The identifier of the extension.
pub const ID: &str = "io.modelcontextprotocol/ui";
/// The media type of pages.
pub const PAGE_TYPE: &str = "text/html;profile=mcp-app";
/// The scheme of the URIs of pages.
pub(super) const SCHEME: &str = "ui://";

/// The member of `_meta` that describes an app.
pub(super) const UI: &str = "ui";
pub(super) const RESOURCE_URI: &str = "resourceUri";
/// The deprecated member of a tool's `_meta` with the URI of its page.
pub(super) const FLAT_RESOURCE_URI: &str = "ui/resourceUri";
pub(super) const VISIBILITY: &str = "visibility";
pub(super) const MODEL: &str = "model";
pub(super) const APP: &str = "app";

/// The members of `csp`, in the order of [`App`](super::App)'s lists.
pub(super) const DOMAIN_LISTS: [&str; 4] = [
    "connectDomains",
    "resourceDomains",
    "frameDomains",
    "baseUriDomains",
];

/// A feature of the browser that a page requests. The host may refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// The camera.
    Camera,
    /// The microphone.
    Microphone,
    /// The location of the device.
    Geolocation,
    /// Writing to the clipboard.
    ClipboardWrite,
}

/// Each permission with its name in `permissions`, and in the `allow` attribute of a frame (Permissions
/// Policy).
pub(super) const PERMISSIONS: [(Permission, &str, &str); 4] = [
    (Permission::Camera, "camera", "camera"),
    (Permission::Microphone, "microphone", "microphone"),
    (Permission::Geolocation, "geolocation", "geolocation"),
    (
        Permission::ClipboardWrite,
        "clipboardWrite",
        "clipboard-write",
    ),
];

/// Returns the description of an app in `_meta`, or null.
pub(super) fn ui(meta: Option<&JsonObject>) -> &Value {
    meta.and_then(|meta| meta.get(UI)).unwrap_or(&Value::Null)
}

/// Returns the URI of the page that a tool names, in the current or in the deprecated spelling.
#[must_use]
pub fn page_uri(tool: &Tool) -> Option<&str> {
    let meta = tool.meta.as_ref();
    let flat = || meta?.get(FLAT_RESOURCE_URI)?.as_str();
    ui(meta)[RESOURCE_URI].as_str().or_else(flat)
}

/// Returns true if a model may see and call the tool (Visibility). A server that puts tools into a
/// result, such as a search for tools, should leave out the others.
#[must_use]
pub fn is_for_model(tool: &Tool) -> bool {
    is_visible_to(tool, MODEL)
}

/// Returns true if a page of the same server may call the tool (Visibility).
#[must_use]
pub fn is_for_app(tool: &Tool) -> bool {
    is_visible_to(tool, APP)
}

/// By default, a tool is for both. A tool whose visibility is not a list is for neither of them.
fn is_visible_to(tool: &Tool, who: &str) -> bool {
    match &ui(tool.meta.as_ref())[VISIBILITY] {
        Value::Null => true,
        Value::Array(names) => names.iter().any(|name| name == who),
        _ => false,
    }
}
