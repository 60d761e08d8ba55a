//! The apps of one server.

use mcp_runtime::Client;
use mcp_runtime::types::Tool;
use serde_json::Value;

use super::page::html_of;
use super::{AppError, AppPage};
use crate::apps::types::{ID, SCHEME, is_for_model, page_uri, ui};

/// Extends [`Client`] to show the pages of its server.
pub trait ShowApps {
    /// Returns the apps of the server. Nothing is requested yet.
    ///
    /// # Errors
    ///
    /// [`AppError::NotDeclared`] if the client does not declare
    /// [`Apps::host`](crate::Apps::host). The server need not declare the extension.
    fn apps(&self) -> Result<ServerApps, AppError>;
}

impl ShowApps for Client {
    fn apps(&self) -> Result<ServerApps, AppError> {
        let client = self.clone();
        let is_declared = self.declares_extension(ID);
        is_declared
            .then_some(ServerApps { client })
            .ok_or(AppError::NotDeclared)
    }
}

/// The apps of one server. Created by [`ShowApps::apps`].
///
/// ```no_run
/// # async fn example(server: &str) -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_extensions::Apps;
/// use mcp_extensions::apps::{ShowApps, page_uri};
/// use mcp_runtime::Client;
/// use mcp_runtime::transport::http_client;
///
/// let client = Client::builder("host", "1.0.0").extension(Apps::host());
/// let client = client.connect(http_client("https://example.com/mcp")).await?;
/// let apps = client.apps()?;
/// for tool in apps.tools_for_model().await? {
///     if page_uri(&tool).is_some() {
///         let page = apps.page(&tool).await?;
///         println!("{}: {}", tool.name, page.policy());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ServerApps {
    client: Client,
}

impl ServerApps {
    /// Lists the tools that the model may see, with or without a page (Visibility). Fetches all pages of
    /// the list.
    ///
    /// # Errors
    ///
    /// [`AppError::Call`] if the list can't be fetched.
    pub async fn tools_for_model(&self) -> Result<Vec<Tool>, AppError> {
        let mut tools = self.client.list_tools().await?;
        tools.retain(is_for_model);
        Ok(tools)
    }

    /// Reads the page of a tool.
    ///
    /// The `_meta` of the contents describes the page. If the contents have no description, this method
    /// fetches the server's list of resources, and uses the description in the list.
    ///
    /// # Errors
    ///
    /// [`AppError::NoPage`] if the tool has none. [`AppError::Invalid`] if the URI does not begin with
    /// `ui://`, or if the contents are not `text/html;profile=mcp-app` in UTF-8. [`AppError::Call`] if a
    /// request fails.
    pub async fn page(&self, tool: &Tool) -> Result<AppPage, AppError> {
        let uri = page_uri(tool).ok_or_else(|| AppError::NoPage(tool.name.clone()))?;
        if !uri.starts_with(SCHEME) {
            let reason = format!("the URI of a page must begin with `{SCHEME}`");
            return Err(AppError::invalid(uri, reason));
        }
        let parts = self.client.read_resource(uri).await?.contents;
        let (html, mut ui) = html_of(uri, parts)?;
        if ui.is_null() {
            ui = self.listed(uri).await;
        }
        Ok(AppPage::new(&self.client, uri, html, ui))
    }

    /// Returns the description of a page in the list of resources, or null, which leads to the strictest
    /// policy. Servers need not list pages.
    async fn listed(&self, uri: &str) -> Value {
        let resources = self.client.list_resources().await.unwrap_or_else(|error| {
            tracing::warn!(uri, %error, "the description of a page can't be listed");
            Vec::new()
        });
        let listed = resources.iter().find(|it| it.uri == uri);
        listed.map_or(Value::Null, |it| ui(it.meta.as_ref()).clone())
    }
}
