//! The extension of a server: its methods, and the resources of its skills.

use std::sync::Arc;

use mcp_runtime::resources::{Contents, ListPart, UriTemplate};
use mcp_runtime::server::resources::{ResourceCall, ResourceEntry};
use mcp_runtime::server::{Extension, List, Reply};
use mcp_runtime::types::{JsonObject, ResourceTemplate};
use mcp_runtime::{Context, ProtocolError, Revision, ServerBuilder};
use serde_json::json;

use super::Skills;
use super::view::View;
use crate::skills::types::{
    DIRECTORY, DIRECTORY_READ, GET, ID, LIST, PageParams, UriParams, is_offered,
};
use crate::skills::uri;

impl Extension for Skills {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, revision: Revision) -> Option<JsonObject> {
        let settings = || JsonObject::from_iter([(DIRECTORY_READ.to_owned(), json!(true))]);
        is_offered(revision).then(settings)
    }

    fn must_be_declared(&self) -> bool {
        false
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        server.resource(self.resources());
        if self.catalog.is_changing() {
            server.list_changed([List::Resources]);
        }
        let skills = Arc::clone(&self);
        server.method(LIST, move |params: PageParams, cx: Context| {
            let skills = Arc::clone(&skills);
            async move { View::new(&skills, &cx).list(params.cursor).await }
        });
        let skills = Arc::clone(&self);
        server.method(GET, move |params: UriParams, cx: Context| {
            let skills = Arc::clone(&skills);
            async move { View::new(&skills, &cx).get(&params.uri).await }
        });
        let skills = Arc::clone(&self);
        server.method(DIRECTORY, move |params: UriParams, cx: Context| {
            let skills = Arc::clone(&skills);
            async move {
                View::new(&skills, &cx)
                    .directory(&params.uri, params.cursor)
                    .await
            }
        });
        server.on_start(move |server| {
            let announcing = self.catalog.announce(server);
            async move { Ok::<_, ProtocolError>(announcing) }
        });
    }
}

impl Skills {
    /// Returns the template of all files, whose list has each `SKILL.md`.
    fn resources(self: &Arc<Self>) -> ResourceEntry {
        let uri = format!("{}{{+path}}", uri::of(&self.prefix));
        let template = match UriTemplate::parse(&uri) {
            Ok(template) => template,
            Err(error) => panic!("`{}` can't be the prefix of skills: {error}", self.prefix),
        };
        let listed = ResourceTemplate::new("skills", uri)
            .with_description("The files of this server's skills");
        let skills = Arc::clone(self);
        let read = move |call: ResourceCall<'_>| {
            let skills = Arc::clone(&skills);
            let (uri, cx) = (call.uri.to_owned(), call.context.clone());
            Reply::Pending(Box::pin(async move {
                let parts = View::new(&skills, &cx).read(&uri).await?;
                Ok(parts.map_or(Contents::Missing, |part| Contents::Parts(vec![part])))
            }))
        };
        let skills = Arc::clone(self);
        let list = move |part: ListPart| {
            let skills = Arc::clone(&skills);
            async move { View::new(&skills, part.context()).skill_mds().await }
        };
        ResourceEntry::template(listed, template, read)
            .cache(self.ttl, self.scope(false))
            .list(list)
    }
}
