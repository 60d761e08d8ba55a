//! A server that answers as a test wants, and notes each request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use mcp_extensions::skills::{Digest, ID, ReadSkills as _, ServerSkills, SkillEntry, SkillsClient};
use mcp_runtime::client::ClientBuilder;
use mcp_runtime::layer::{McpRequest, McpResponse, Next, from_fn};
use mcp_runtime::prelude::*;
use mcp_runtime::serde_json::{self, Value, json};
use mcp_runtime::server::Extension;
use mcp_runtime::testing::connect;
use mcp_runtime::types::JsonObject;
use mcp_runtime::{Client, ProtocolError, Revision, Server, ServerBuilder};

/// The revisions that have skills.
pub const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

pub const ROOT: &str = "skill://acme/refunds";
pub const SKILL_MD: &str = "---\nname: refunds\ndescription: Processes refunds\n---\n\n# Refunds\n";
pub const FORMS: &str = "# Forms\n";

/// The answers of a server. The default is a server with one skill, which has `SKILL.md` and
/// `references/FORMS.md`.
#[derive(Clone)]
pub struct Script {
    /// The settings of the extension, or `None` if it is not offered.
    pub settings: Option<Value>,
    /// The pages of `skills/list`, each with its cursor.
    pub pages: Vec<(Vec<Value>, Option<String>)>,
    /// The entry that `skills/get` returns. Without it, the entry of the list.
    pub entry: Option<Value>,
    /// The `contents` of `resources/read`, by URI.
    pub files: BTreeMap<String, Value>,
    /// The `resources` of `resources/directory/read`, by URI.
    pub directories: BTreeMap<String, Value>,
}

impl Default for Script {
    fn default() -> Self {
        let files = [("SKILL.md", SKILL_MD), ("references/FORMS.md", FORMS)];
        Self::of(&[(ROOT, &files)])
    }
}

impl Script {
    /// A server with these skills, each with its root and files.
    pub fn of(skills: &[(&str, &[(&str, &str)])]) -> Self {
        let entries = skills.iter().map(|(root, files)| entry(root, files));
        let files = skills.iter().flat_map(|(root, files)| {
            let files = files.iter();
            files.map(move |(path, text)| {
                let uri = format!("{root}/{path}");
                (uri.clone(), json!([{"uri": uri, "text": text}]))
            })
        });
        Self {
            settings: Some(json!({"directoryRead": true})),
            pages: vec![(entries.collect(), None)],
            entry: None,
            files: files.collect(),
            directories: BTreeMap::new(),
        }
    }

    /// The server above, whose skill is dynamic.
    pub fn dynamic() -> Self {
        let mut script = Self::default();
        script.entry_mut()["resources"] = json!("dynamic");
        script
    }

    /// The first entry of the list.
    pub fn entry_mut(&mut self) -> &mut Value {
        &mut self.pages[0].0[0]
    }

    pub fn first(&self) -> SkillEntry {
        serde_json::from_value(self.pages[0].0[0].clone()).unwrap()
    }

    fn answer(&self, method: &str, params: &Value) -> Result<Value, ProtocolError> {
        let unknown = || ProtocolError::new(-32602, "there is no such resource");
        let uri = params["uri"].as_str().unwrap_or_default();
        match method {
            "skills/list" => {
                let place = self.pages.iter().position(|(_, cursor)| {
                    params["cursor"].is_string() && cursor.as_deref() == params["cursor"].as_str()
                });
                let next = place.map_or(0, |it| (it + 1).min(self.pages.len() - 1));
                let (skills, cursor) = &self.pages[next];
                Ok(json!({"skills": skills, "nextCursor": cursor}))
            }
            "skills/get" => {
                let mut listed = self.pages.iter().flat_map(|(page, _)| page);
                let entry = self.entry.as_ref();
                let entry = entry.or_else(|| listed.find(|it| it["uri"] == uri));
                Ok(json!({"skill": entry.ok_or_else(unknown)?}))
            }
            "resources/read" => Ok(json!({"contents": self.files.get(uri).ok_or_else(unknown)?})),
            _ => Ok(json!({"resources": self.directories.get(uri).ok_or_else(unknown)?})),
        }
    }

    pub fn server(self, seen: &Seen) -> Server {
        let script = Arc::new((self, seen.clone()));
        let mut server = Scripted.into_builder();
        if script.0.settings.is_some() {
            server.extension(Played(Arc::clone(&script)));
        }
        server.layer(from_fn(move |request: McpRequest, next: Next| {
            let script = Arc::clone(&script);
            async move {
                if request.method() != "resources/read" {
                    return next.run(request).await;
                }
                let params: Value = request.parse_params()?;
                let result = noted(&script, "resources/read", &params)?;
                Ok(McpResponse::of(&result)?)
            }
        }));
        server.build()
    }

    /// Connects a client in memory.
    pub async fn client(self, revision: Revision, client: ClientBuilder) -> (Client, Seen) {
        let seen = Seen::default();
        let client = connect(self.server(&seen))
            .client(client)
            .revision(revision);
        (client.await.unwrap(), seen)
    }

    /// The skills of the server, labelled `docs`.
    pub async fn skills(self, revision: Revision) -> (ServerSkills, Seen) {
        let client = Client::builder("host", "1.0").extension(SkillsClient::new());
        let (client, seen) = self.client(revision, client).await;
        (client.skills("docs").unwrap(), seen)
    }
}

/// The methods and URIs of the requests that a server got.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    /// Returns the requests since the last call.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// The entry of a skill with these files.
pub fn entry(root: &str, files: &[(&str, &str)]) -> Value {
    let name = root.rsplit('/').next().unwrap();
    let description = "Processes refunds";
    let files = files
        .iter()
        .map(|(path, text)| file(&format!("{root}/{path}"), text.as_bytes()));
    json!({"uri": format!("{root}/SKILL.md"),
        "frontmatter": {"name": name, "description": description},
        "resources": files.collect::<Vec<_>>()})
}

pub fn file(uri: &str, bytes: &[u8]) -> Value {
    json!({"uri": uri, "digest": Digest::of(bytes), "size": bytes.len()})
}

pub fn resource(uri: &str, mime_type: &str) -> Value {
    json!({"uri": uri, "name": uri, "mimeType": mime_type})
}

/// The methods of the extension.
struct Played(Arc<(Script, Seen)>);

impl Extension for Played {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(self.0.0.settings.as_ref()?.as_object()?.clone())
    }

    fn register(self: Arc<Self>, server: &mut ServerBuilder) {
        for method in ["skills/list", "skills/get", "resources/directory/read"] {
            let script = Arc::clone(&self.0);
            server.method(method, move |params: Value, _| {
                std::future::ready(noted(&script, method, &params))
            });
        }
    }
}

fn noted(
    (script, seen): &(Script, Seen),
    method: &str,
    params: &Value,
) -> Result<Value, ProtocolError> {
    let target = params["uri"].as_str().unwrap_or_default();
    let request = format!("{method} {target}").trim().to_owned();
    seen.0.lock().unwrap().push(request);
    let mut result = script.answer(method, params)?;
    result["ttlMs"] = json!(60_000);
    result["cacheScope"] = json!("public");
    Ok(result)
}

struct Scripted;

#[mcp_server(name = "scripted", undocumented = "allow")]
impl Scripted {
    /// Makes the server declare `resources`.
    #[resource("text:other")]
    fn other(&self) -> &'static str {
        ""
    }
}
