//! Writes the two servers to disk as packages.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::tools::{KINDS, Kind, SHARED};

#[derive(Clone, Copy)]
pub(crate) enum Framework {
    Ours,
    Rmcp,
}

pub(crate) struct Project {
    pub(crate) name: &'static str,
    pub(crate) folder: PathBuf,
}

impl Project {
    /// Changes the body of one tool, differently for each `time`.
    pub(crate) fn touch(&self, time: usize) -> io::Result<()> {
        let path = self.folder.join("src/main.rs");
        let text = fs::read_to_string(&path)?;
        let (before, rest) = text.split_once("for {days").expect("a tool that lends");
        let (_, after) = rest.split_once("}").expect("the end of the place");
        fs::write(path, format!("{before}for {{days:{}}}{after}", time + 1))
    }
}

pub(crate) fn write(framework: Framework, folder: &Path, tools: usize) -> io::Result<Project> {
    let name = match framework {
        Framework::Ours => "mcp-runtime",
        Framework::Rmcp => "rmcp",
    };
    let folder = folder.join(name);
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("Cargo.toml"), manifest(framework))?;
    fs::write(folder.join("src/main.rs"), source(framework, tools))?;
    Ok(Project { name, folder })
}

fn manifest(framework: Framework) -> String {
    let dependencies = match framework {
        Framework::Ours => format!(
            "mcp-runtime = {{ path = {:?} }}\n",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../mcp-runtime")
        ),
        Framework::Rmcp => "rmcp = { version = \"=3.9.0\", features = [\"transport-io\"] }\n\
            tokio = { version = \"1\", features = [\"macros\", \"rt\"] }\n"
            .to_owned(),
    };
    format!(
        "[package]\nname = \"server\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{dependencies}\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nschemars = \"1\"\n\n[workspace]\n"
    )
}

fn source(framework: Framework, tools: usize) -> String {
    let (head, tail) = match framework {
        Framework::Ours => (OURS_HEAD, OURS_TAIL),
        Framework::Rmcp => (RMCP_HEAD, RMCP_TAIL),
    };
    let [mut types, mut methods] = [SHARED.to_owned(), String::new()];
    for (index, kind) in KINDS.iter().cycle().take(tools).enumerate() {
        let numbered = |text: &str| text.replace('@', &(index / KINDS.len() + 1).to_string());
        let Kind {
            types: own,
            arguments,
            ..
        } = kind;
        types.push_str(&numbered(own));
        match framework {
            Framework::Ours => methods.push_str(&numbered(kind.ours)),
            Framework::Rmcp => {
                types.push_str(&numbered(arguments));
                methods.push_str(&numbered(kind.rmcp));
            }
        }
    }
    format!(
        "{head}{types}\nstruct Library {{\n    books: Vec<Book>,\n}}\n{}{methods}}}\n{tail}",
        block(framework)
    )
}

fn block(framework: Framework) -> &'static str {
    match framework {
        Framework::Ours => "\n/// Ask about books.\n#[mcp_server]\nimpl Library {",
        Framework::Rmcp => "\n#[tool_router]\nimpl Library {",
    }
}

const OURS_HEAD: &str = "use std::collections::HashMap;\n\nuse mcp_runtime::prelude::*;\n";

const OURS_TAIL: &str = r"
#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Library { books: Vec::new() }.serve(stdio()).await
}
";

const RMCP_HEAD: &str = r"use std::collections::HashMap;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
";

const RMCP_TAIL: &str = r#"
#[tool_handler]
impl ServerHandler for Library {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions("Ask about books.")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = Library { books: Vec::new() }.serve(stdio()).await?;
    service.waiting().await?;
    Ok(())
}
"#;
