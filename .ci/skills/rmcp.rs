//! A server and a client of skills, on rmcp: `skills-rmcp serve FOLDER PORT REVISION`, or `skills-rmcp read URL REVISION`,
//! which prints all skills of a server as JSON.

use std::borrow::Cow;
use std::env::args;
use std::error::Error;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::handler::server::skill_catalog::SkillCatalog;
use rmcp::model::{
    GetSkillRequestParams, GetSkillResult, ListResourcesResult, ListSkillsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ResourceContents,
    ServerCapabilities, ServerConfig, Skill, SkillResources, validate_skills,
};
use rmcp::service::{ClientLifecycleMode, RequestContext, serve_client_with_lifecycle};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ErrorData, Peer, RoleClient, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

type Failure = Box<dyn Error>;

#[derive(Clone)]
struct Server {
    skills: Arc<SkillCatalog>,
    revision: ProtocolVersion,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_skills_with_directory_read();
        ServerConfig::new(capabilities.build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(vec![self.revision.clone()])
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(self.skills.list_skills())
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.skills.get_skill(&request.uri)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.skills.read_resource_directory(&request.uri)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(self.skills.resources()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.skills.read_resource(&request.uri).map(Into::into);
        read.ok_or_else(|| ErrorData::resource_not_found(request.uri, None))
    }
}

fn version(revision: &str) -> Result<ProtocolVersion, Failure> {
    Ok(serde_json::from_value(revision.into())?)
}

async fn serve(folder: &str, port: &str, revision: &str) -> Result<(), Failure> {
    let server = Server {
        skills: Arc::new(SkillCatalog::from_dir(folder)?),
        revision: version(revision)?,
    };
    let service: StreamableHttpService<Server, LocalSessionManager> = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::default(),
        Default::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    Ok(axum::serve(listener, router).await?)
}

/// Returns the files of a skill in base64, after a comparison with the entry.
async fn files(peer: &Peer<RoleClient>, skill: &Skill) -> Result<Value, Failure> {
    let SkillResources::Files(files) = &skill.resources else {
        return Ok(json!("dynamic"));
    };
    let mut read = Map::new();
    for file in files {
        let result = peer
            .read_resource(ReadResourceRequestParams::new(&file.uri))
            .await?;
        let bytes = match &result.contents[..] {
            [ResourceContents::TextResourceContents { text, .. }] => text.clone().into_bytes(),
            [ResourceContents::BlobResourceContents { blob, .. }] => {
                BASE64_STANDARD.decode(blob)?
            }
            other => return Err(format!("{}: {other:?}", file.uri).into()),
        };
        file.verify(&bytes)?;
        read.insert(file.uri.clone(), BASE64_STANDARD.encode(bytes).into());
    }
    Ok(read.into())
}

/// Returns the children of a directory, with `null` in place of files.
async fn tree(peer: &Peer<RoleClient>, uri: &str) -> Result<Value, Failure> {
    let mut request = ReadResourceDirectoryRequestParams::new(uri);
    let mut children = Map::new();
    loop {
        let page = peer.read_resource_directory(request).await?;
        for child in page.resources {
            let below = match child.is_directory() {
                true => Box::pin(tree(peer, &child.uri)).await?,
                false => Value::Null,
            };
            let name = child.uri.strip_prefix(uri).unwrap_or_default();
            children.insert(name.trim_start_matches('/').to_owned(), below);
        }
        let Some(cursor) = page.next_cursor else {
            return Ok(children.into());
        };
        request = ReadResourceDirectoryRequestParams::new(uri).with_cursor(cursor);
    }
}

async fn read(url: &str, revision: &str) -> Result<(), Failure> {
    let lifecycle = match revision {
        "2025-11-25" => ClientLifecycleMode::Initialize,
        _ => ClientLifecycleMode::Discover {
            preferred_versions: vec![version(revision)?],
        },
    };
    let transport = StreamableHttpClientTransport::from_uri(url);
    let client = serve_client_with_lifecycle((), transport, lifecycle).await?;
    let spoken = client
        .peer_info()
        .map(|info| info.protocol_version.to_string());
    if spoken.as_deref() != Some(revision) {
        return Err(format!("{spoken:?} is spoken").into());
    }
    let skills = client.list_all_skills().await?;
    validate_skills(&skills)?;
    let mut seen = Map::new();
    for skill in skills {
        let again = client
            .get_skill(GetSkillRequestParams::new(&skill.uri))
            .await?;
        if again.skill != skill {
            return Err(format!("{:?} is also {skill:?}", again.skill).into());
        }
        let root = skill.uri.strip_suffix("/SKILL.md").unwrap_or_default();
        seen.insert(
            skill.uri.clone(),
            json!({
                "frontmatter": skill.frontmatter,
                "files": files(&client, &skill).await?,
                "tree": tree(&client, root).await?,
            }),
        );
    }
    println!("{}", Value::from(seen));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<_> = args().skip(1).collect();
    match arguments.iter().map(|it| &**it).collect::<Vec<_>>()[..] {
        ["serve", folder, port, revision] => serve(folder, port, revision).await,
        ["read", url, revision] => read(url, revision).await,
        _ => Err("skills-rmcp serve FOLDER PORT REVISION | read URL REVISION".into()),
    }
}
