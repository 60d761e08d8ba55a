//! A client in one call.

use std::env;
use std::path::Path;

use super::{Client, ConnectError};
use crate::transport::http_client::http_client;

impl Client {
    /// Connects to the server under `url` by Streamable HTTP, with all settings as they are by
    /// default. The client has the name of the program's file, and the version `0.0.0`.
    ///
    /// [`Client::builder`] is for a name and settings of your own, and for other transports.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use mcp_runtime::Client;
    /// use serde_json::json;
    ///
    /// let client = Client::connect("http://127.0.0.1:3000/mcp").await?;
    /// let sum: i64 = client.call("add", json!({"a": 2, "b": 3})).await?;
    /// # drop(sum);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ConnectError`]; everything is closed again.
    pub async fn connect(url: impl Into<String>) -> Result<Self, ConnectError> {
        let program = env::args_os().next();
        let name = program.as_deref().and_then(|it| Path::new(it).file_stem());
        let name = name.map(|name| name.to_string_lossy().into_owned());
        let client = Self::builder(name.as_deref().unwrap_or("mcp-client"), "0.0.0");
        client.connect(http_client(url)).await
    }
}
