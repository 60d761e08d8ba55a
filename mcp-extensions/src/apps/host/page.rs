//! A page that a host shows.

use std::fmt;

use mcp_runtime::Client;
use mcp_runtime::types::{CallToolResult, ResourceContents};
use serde::Serialize;
use serde_json::Value;

use super::AppError;
use super::policy::{allow, content_security_policy};
use crate::apps::types::{PAGE_TYPE, is_for_app, ui};

/// The page of a tool. Returned by [`ServerApps::page`](super::ServerApps::page).
///
/// Show the HTML in a sandboxed frame, whose document has the [policy](Self::policy) and whose `allow`
/// attribute is [`allow`](Self::allow). A host that is a web page needs a sandbox proxy of another
/// origin in between (Sandbox proxy).
#[derive(Clone)]
pub struct AppPage {
    client: Client,
    uri: String,
    html: String,
    policy: String,
    ui: Value,
}

impl AppPage {
    /// Creates a page that `ui` describes.
    pub(super) fn new(client: &Client, uri: &str, html: String, ui: Value) -> Self {
        Self {
            client: client.clone(),
            uri: uri.to_owned(),
            html,
            policy: content_security_policy(uri, &ui["csp"]),
            ui,
        }
    }

    /// The URI, which begins with `ui://`.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// The HTML, as the server has sent it.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// The value of the header `Content-Security-Policy`.
    ///
    /// It allows inline scripts and styles, and connections to the declared domains only. Whatever a
    /// server declares, the value is one line of ASCII that a header can hold.
    #[must_use]
    pub fn policy(&self) -> &str {
        &self.policy
    }

    /// The value of the frame's `allow` attribute, such as `camera; clipboard-write`. The host may
    /// grant less.
    #[must_use]
    pub fn allow(&self) -> String {
        allow(&self.ui["permissions"])
    }

    /// The dedicated origin that the page requests. The host decides whether it is valid.
    #[must_use]
    pub fn domain(&self) -> Option<&str> {
        self.ui["domain"].as_str()
    }

    /// Whether the page prefers a border and a background, if it says so.
    #[must_use]
    pub fn prefers_border(&self) -> Option<bool> {
        self.ui["prefersBorder"].as_bool()
    }

    /// Calls a tool of the page's server for the page. Dropping the future cancels the call.
    ///
    /// # Errors
    ///
    /// [`AppError::NotForApp`] unless the server has this tool and its visibility includes apps.
    /// [`AppError::Call`] if a request fails. If the tool fails, the result has `is_error` set.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<CallToolResult, AppError> {
        if self.client.known_tool(name).is_none() {
            self.client.list_tools().await?;
        }
        let tool = self.client.known_tool(name);
        if !tool.is_some_and(|tool| is_for_app(&tool)) {
            return Err(AppError::NotForApp(name.to_owned()));
        }
        Ok(self.client.call_tool(name, arguments).await?)
    }
}

/// Returns the HTML of a page and its description, from the answer to `resources/read`.
///
/// # Errors
///
/// Fails if no part of the answer has the media type of pages, or if its HTML is not UTF-8.
pub(super) fn html_of(
    uri: &str,
    parts: Vec<ResourceContents>,
) -> Result<(String, Value), AppError> {
    let types = parts.iter().filter_map(ResourceContents::mime_type);
    let reason = format!(
        "its type must be `{PAGE_TYPE}`, but is {:?}",
        types.collect::<Vec<_>>()
    );
    let mut pages = parts.into_iter();
    let page = pages.find(|part| part.mime_type().is_some_and(is_page_type));
    let page = page.ok_or_else(|| AppError::invalid(uri, reason))?;
    let ui = ui(page.meta()).clone();
    let html = match page {
        ResourceContents::Text(text) => Some(text.text),
        part => part.bytes().and_then(|html| String::from_utf8(html).ok()),
    };
    let html = html.ok_or_else(|| AppError::invalid(uri, "its `blob` is not UTF-8 in Base64"))?;
    Ok((html, ui))
}

/// Compares media types as RFC 9110 does (section 8.3.1): the case of names, spaces around the semicolon
/// and quotes do not matter.
fn is_page_type(found: &str) -> bool {
    let ignored = |it: char| matches!(it, ' ' | '\t' | '"');
    let found = found.replace(ignored, "").to_ascii_lowercase();
    found == PAGE_TYPE
}

impl fmt::Debug for AppPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AppPage").field(&self.uri).finish()
    }
}
