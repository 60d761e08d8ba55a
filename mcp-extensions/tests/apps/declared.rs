//! Whether both sides declare the extension.

use mcp_extensions::Apps;
use mcp_extensions::apps::{AppError, HasApps as _, ID, ShowApps as _};
use mcp_runtime::client::ClientBuilder;
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{self, Value, json};
use mcp_runtime::testing::connect;
use mcp_runtime::types::JsonObject;
use mcp_runtime::{Client, Revision};

struct Asking;

#[mcp_server]
impl Asking {
    /// Returns true if the client shows pages.
    #[tool]
    fn has_apps(&self, cx: &Context) -> bool {
        cx.has_apps()
    }
}

fn host() -> ClientBuilder {
    Client::builder("host", "1.0")
}

async fn client(revision: Revision, host: ClientBuilder) -> Client {
    let mut server = Asking.into_builder();
    server.extension(Apps::new());
    let client = connect(server.build()).client(host).revision(revision);
    client.await.unwrap()
}

#[tokio::test]
async fn both_sides_learn_of_each_other_in_all_revisions() {
    for revision in Revision::ALL {
        let client = client(revision, host().extension(Apps::host())).await;
        assert!(
            client.call::<bool>("has_apps", ()).await.unwrap(),
            "{revision}"
        );
        assert!(client.has_extension(ID), "{revision}");
        assert!(client.apps().is_ok(), "{revision}");
    }
}

#[tokio::test]
async fn a_client_that_declares_nothing_has_no_apps() {
    for revision in Revision::ALL {
        let client = client(revision, host()).await;
        assert!(
            !client.call::<bool>("has_apps", ()).await.unwrap(),
            "{revision}"
        );
        let error = client.apps().unwrap_err();
        assert!(matches!(error, AppError::NotDeclared), "{error}");
        assert!(
            error.to_string().contains("`.extension(Apps::host())`"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_client_must_declare_our_type_of_pages() {
    let declared = |settings: Value| -> JsonObject { serde_json::from_value(settings).unwrap() };
    for (settings, expected) in [
        (json!({}), false),
        (json!({"mimeTypes": []}), false),
        (json!({"mimeTypes": ["text/html"]}), false),
        (json!({"mimeTypes": "text/html;profile=mcp-app"}), false),
        (json!({"mimeTypes": [1, "text/html;profile=mcp-app"]}), true),
    ] {
        let host = host().extension((ID, declared(settings.clone())));
        let client = client(Revision::LATEST, host).await;
        let has_apps = client.call::<bool>("has_apps", ()).await.unwrap();
        assert_eq!(has_apps, expected, "{settings}");
    }
}
