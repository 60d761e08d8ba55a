//! Serves the skills in a folder (`io.modelcontextprotocol/skills`), or reads those of a server.
//!
//! ```sh
//! skills examples/skills 127.0.0.1:8080
//! skills list http://127.0.0.1:8080/mcp
//! skills read http://127.0.0.1:8080/mcp skill://refunds/SKILL.md
//! skills read http://127.0.0.1:8080/mcp skill://refunds/SKILL.md templates/email.md
//! skills directory http://127.0.0.1:8080/mcp skill://refunds/templates
//! ```
//!
//! If a skill is wrong, the server does not start, and prints each fault with its file and line. Its
//! tool `reload` loads the folder again. With `MCP_REVISION=2025-11-25`, the client speaks this
//! revision.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "nothing is served over stdio"
)]

use std::env;
use std::error::Error;
use std::io::{Write as _, stdout};

use mcp_extensions::skills::{ReadSkills as _, ServerSkills, SkillFiles, Skills};
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http_client;
use mcp_runtime::{Client, Revision};

const USAGE: &str = "usage: skills FOLDER ADDRESS
       skills list URL
       skills read URL SKILL [REFERENCE]
       skills directory URL DIRECTORY";

struct Shelf {
    skills: Skills,
}

#[mcp_server(name = "skills", version = env!("CARGO_PKG_VERSION"))]
impl Shelf {
    /// Loads the folder again. If a skill is wrong, all skills stay as they are.
    #[tool]
    async fn reload(&self) -> Result<String, String> {
        let changes = self
            .skills
            .reload()
            .await
            .map_err(|error| error.to_string())?;
        let (added, changed) = (changes.added.len(), changes.changed.len());
        Ok(format!(
            "{added} added, {changed} changed, {} removed",
            changes.removed.len()
        ))
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["list", url] => list(&connect(url).await?).await,
        ["read", url, skill] => read(&connect(url).await?, skill, "SKILL.md").await,
        ["read", url, skill, reference] => read(&connect(url).await?, skill, reference).await,
        ["directory", url, uri] => directory(&connect(url).await?, uri).await,
        [folder, address] => serve(folder, address).await,
        _ => Err(USAGE.into()),
    }
}

async fn serve(folder: &str, address: &str) -> Result<(), Box<dyn Error>> {
    let skills = Skills::directory(folder)?;
    let mut server = Shelf {
        skills: skills.clone(),
    }
    .into_builder();
    server.extension(skills).serve(http(address)).await?;
    Ok(())
}

async fn connect(url: &str) -> Result<ServerSkills, Box<dyn Error>> {
    let mut client =
        Client::builder("skills", env!("CARGO_PKG_VERSION")).extension(Skills::client());
    if let Ok(revision) = env::var("MCP_REVISION") {
        client = client.revision(revision.parse::<Revision>()?);
    }
    // A host would use the name that its user has given the server.
    Ok(client.connect(http_client(url)).await?.skills(url)?)
}

/// Prints the URI, the number of files and the description of each skill.
#[allow(clippy::print_stdout, reason = "here the program is not a server")]
async fn list(skills: &ServerSkills) -> Result<(), Box<dyn Error>> {
    let listing = skills.list().await?;
    for skill in &listing.skills {
        let files = match &skill.resources {
            SkillFiles::Listed(files) => format!("{} files", files.len()),
            SkillFiles::Dynamic => "dynamic".to_owned(),
        };
        println!("{}\t{files}\t{}", skill.uri, skill.description());
    }
    for skill in &listing.invalid {
        let uri = skill.uri.as_deref().unwrap_or("a skill without a URI");
        eprintln!("{uri} is invalid: {}", skill.reason);
    }
    Ok(())
}

/// Prints a file of a skill as it is.
async fn read(skills: &ServerSkills, uri: &str, file: &str) -> Result<(), Box<dyn Error>> {
    let skill = skills.open_uri(uri).await?;
    let file = skill.read(file).await?;
    stdout().write_all(&file.bytes)?;
    Ok(())
}

/// Prints the URI and media type of each child of a directory.
#[allow(clippy::print_stdout, reason = "here the program is not a server")]
async fn directory(skills: &ServerSkills, uri: &str) -> Result<(), Box<dyn Error>> {
    for child in skills.directory(uri).await? {
        println!("{}\t{}", child.uri, child.mime_type.unwrap_or_default());
    }
    Ok(())
}
