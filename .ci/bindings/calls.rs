//! Calls published servers through typed bindings, in each era that a server supports. PACKAGES is the
//! folder of npm packages, PYTHON the folder of Python's programs, ODD the script of the server with odd
//! types, and FILES a folder for files.

use std::error::Error;
use std::path::{Path, PathBuf};

use bindings_2024::everything::{Everything, GetSumArguments, Location};
use bindings_2024::filesystem::{Filesystem, WriteFileArguments};
use bindings_2024::git::{Git, GitLogArguments};
use bindings_2024::memory::{CreateEntitiesArguments, Entity, Memory};
use bindings_2024::odd::{
    Circle, First, NumbersArguments, Odd, PairsArguments, Shape,
};
use bindings_2024::time::{ConvertTimeArguments, Time};
use mcp_runtime::transport::ChildProcess;
use mcp_runtime::types::{CallToolResult, ContentBlock};
use mcp_runtime::{CallError, Client, Era};

type Outcome = Result<(), Box<dyn Error>>;

/// Returns the path of a file in the folder that an environment variable names.
fn below(variable: &str, file: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(variable).expect(variable)).join(file)
}

fn node(package: &str) -> ChildProcess {
    let program = format!("@modelcontextprotocol/{package}/dist/index.js");
    ChildProcess::new("node").arg(below("PACKAGES", &program)).inherit_env()
}

fn python(program: &str) -> ChildProcess {
    ChildProcess::new(below("PYTHON", program)).inherit_env()
}

/// Calls `test` with a client in each era of a server, and prints the eras.
async fn in_each_era(name: &str, server: impl Fn() -> ChildProcess, test: impl AsyncFn(Client) -> Outcome) {
    let mut eras = Vec::new();
    for era in [Era::Handshake, Era::Stateless] {
        let client = Client::builder("bindings", "0.0.0").era(era).connect(server()).await;
        let Ok(client) = client else { continue };
        let tested = test(client.clone()).await;
        client.close().await;
        if let Err(error) = tested {
            panic!("{name}, {era}: {error}");
        }
        eras.push(era.to_string());
    }
    println!("{name}: {}", eras.join(", "));
    assert!(!eras.is_empty(), "{name}: no era");
}

fn text(result: &CallToolResult) -> &str {
    match result.content.first() {
        Some(ContentBlock::Text(text)) => &text.text,
        _ => "",
    }
}

#[tokio::test]
async fn everything() {
    let server = || node("server-everything").arg("stdio");
    in_each_era("everything", server, async |client| {
        let everything = Everything(client);
        let echo = everything.echo("hello").await?;
        assert_eq!(text(&echo), "Echo: hello");
        let sum = everything.get_sum(GetSumArguments::new(2.0, 3.0)).await?;
        assert!(text(&sum).contains('5'), "{sum:?}");
        let weather = everything.get_structured_content(Location::Chicago).await?;
        assert!(weather.humidity > 0.0);
        let prompt = everything.prompts().args_prompt("Oslo").await?;
        assert!(!prompt.messages.is_empty());
        let resource = everything.resources().dynamic_text_resource("1").await?;
        assert!(!resource.contents.is_empty());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn filesystem() {
    let folder = below("FILES", "");
    let server = || node("server-filesystem").arg(&folder);
    in_each_era("filesystem", server, async |client| {
        let filesystem = Filesystem(client);
        let file = folder.join("note.txt").display().to_string();
        let written = WriteFileArguments::new(&file, "a note");
        assert!(filesystem.write_file(written).await?.content.contains("note.txt"));
        assert_eq!(filesystem.read_text_file(&file).await?.content, "a note");
        let outside = filesystem.read_text_file("/etc/hostname").await;
        assert!(matches!(outside, Err(CallError::Tool(_))), "{outside:?}");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn memory() {
    let file = below("FILES", "memory.jsonl");
    let _ = std::fs::remove_file(&file);
    let server = || node("server-memory").env("MEMORY_FILE_PATH", &file);
    in_each_era("memory", server, async |client| {
        let memory = Memory(client);
        let entity = Entity::new("Ferris", "crab", ["red"]);
        memory.create_entities(CreateEntitiesArguments::new([entity.clone()])).await?;
        assert_eq!(memory.read_graph().await?.entities, [entity]);
        assert_eq!(memory.open_nodes(["Ferris"]).await?.entities.len(), 1);
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn git() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|it| it.join(".git").exists());
    let folder = folder.expect("a repository").display().to_string();
    in_each_era("git", || python("mcp-server-git"), async |client| {
        let git = Git(client);
        let log = git.git_log(GitLogArguments::new(&folder).with_max_count(1)).await?;
        assert!(text(&log).contains("Commit"), "{log:?}");
        assert!(git.git_status("/nowhere").await.is_err());
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn time() {
    in_each_era("time", || python("mcp-server-time"), async |client| {
        let time = Time(client);
        assert_eq!(time.get_current_time("Europe/Oslo").await?.timezone, "Europe/Oslo");
        let noon = ConvertTimeArguments::new("Europe/Oslo", "12:00", "UTC");
        assert_eq!(time.convert_time(noon).await?.target.timezone, "UTC");
        Ok(())
    })
    .await;
}

#[tokio::test]
async fn odd() {
    let program = std::env::var("ODD").expect("ODD");
    in_each_era("odd", || python("python").arg(&program), async |client| {
        let odd = Odd(client);
        let sum = odd.numbers(NumbersArguments::new(1, 2.0, true, None).with_e(4)).await?;
        assert_eq!(sum, 8);
        let colours = odd.colours(First::DarkRed).await?;
        assert_eq!(colours, [First::DarkRed]);
        let circle = Shape::from(Circle::new(2.0));
        assert_eq!(odd.shapes(circle.clone()).await?, circle);
        let (number, word) = odd.pairs(PairsArguments::new((7, "seven".to_owned()))).await?;
        assert_eq!((number, word.as_str()), (7, "seven"));
        assert!(odd.close("door").await?);
        assert_eq!(odd.get_user_info_v2(()).await?.len(), 1);
        assert_eq!(odd.maybe(()).await?, None);
        let failed = odd.failing("out of order").await;
        assert!(matches!(failed, Err(CallError::Tool(_))), "{failed:?}");
        odd.nothing().await?;
        Ok(())
    })
    .await;
}
