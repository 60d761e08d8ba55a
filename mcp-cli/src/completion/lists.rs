//! The lists that servers have sent, kept in the user's cache folder to complete names.
//!
//! Only names, possible values and the first lines of descriptions are kept, for a day. A list that
//! can't be kept or read is missing, and nothing else fails.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use std::{env, mem, process};

use iri_string::template::UriTemplateStr;
use mcp_config::Target;
use mcp_runtime::client::escape_template;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::{COMPLETED_CHARS, COMPLETED_VALUES, LIST_AGE, LIST_BYTES, LIST_FILES};
use crate::questions::lock;
use crate::schema::{Schema, elements, text};
use crate::server;

/// A tool, prompt, resource or template, or an argument of one.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) help: String,
    pub(crate) is_required: bool,
    pub(crate) values: Vec<String>,
    pub(crate) members: Vec<Item>,
}

impl Item {
    /// Reads an entry of a list, or an argument of a prompt.
    fn of(entry: &Value) -> Self {
        let text = |names: &[&str]| names.iter().find_map(|it| entry[it].as_str());
        let name = text(&["uri", "uriTemplate", "name"]).unwrap_or_default();
        let help = text(&["description", "title", "name"]).unwrap_or_default();
        let template = escape_template(text(&["uriTemplate"]).unwrap_or_default());
        let template = UriTemplateStr::new(&template).ok();
        let variables = template.into_iter().flat_map(UriTemplateStr::variables);
        let variables = variables.map(|it| Self::new(it.as_str(), ""));
        let arguments = elements(entry, "arguments").map(Self::of);
        let members = arguments
            .chain(variables)
            .chain(inputs(&entry["inputSchema"]));
        Self {
            is_required: entry["required"] == true,
            members: members.collect(),
            ..Self::new(name, help)
        }
    }

    fn new(name: &str, help: &str) -> Self {
        let line = help.trim().lines().next().unwrap_or_default();
        Self {
            name: name.to_owned(),
            help: line.chars().take(COMPLETED_CHARS).collect(),
            ..Self::default()
        }
    }
}

/// The arguments of a tool.
fn inputs(input: &Value) -> Vec<Item> {
    let schema = Schema::new(input);
    let required = schema.required();
    let inputs = schema.names().into_iter().map(|name| {
        let mut helps = schema.sources(name).into_iter();
        let help = helps.find_map(|it| it.get("description")?.as_str());
        Item {
            is_required: required.contains(&name),
            values: schema
                .member(name)
                .map(|it| values(&it))
                .unwrap_or_default(),
            ..Item::new(name, help.unwrap_or_default())
        }
    });
    inputs.collect()
}

/// The values of an enumeration, a boolean, or a list of these.
fn values(schema: &Schema<'_>) -> Vec<String> {
    let choices = schema.choices().into_iter().take(COMPLETED_VALUES);
    let choices: Vec<_> = choices.map(|it| text(it.0)).collect();
    match schema.item(0).filter(|_| choices.is_empty()) {
        _ if schema.kinds() == ["boolean"] => ["true", "false"].map(str::to_owned).to_vec(),
        Some(item) => values(&item),
        None => choices,
    }
}

/// The lists that a command has seen. They are kept when the command has done its work.
pub(crate) struct Lists {
    target: String,
    config: Option<PathBuf>,
    seen: Mutex<Vec<Value>>,
}

impl Lists {
    pub(crate) fn of(target: &str, config: Option<&Path>) -> Self {
        Self {
            target: target.to_owned(),
            config: config.map(Path::to_owned),
            seen: Mutex::default(),
        }
    }

    pub(crate) fn add<T: Serialize>(&self, list: &[T]) {
        // A list with a number that a `Value` can't represent is left out.
        lock(&self.seen).extend(serde_json::to_value(list));
    }
}

impl Drop for Lists {
    fn drop(&mut self) {
        let seen = mem::take(&mut *lock(&self.seen));
        if seen.is_empty() {
            return;
        }
        let path = path(&self.target, self.config.as_deref());
        for list in &seen {
            let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
            let has = |member| list.first().is_some_and(|it| it.get(member).is_some());
            let kinds = ["inputSchema", "uriTemplate", "uri", "name"];
            let kind = kinds.into_iter().zip(KINDS).find(|it| has(it.0));
            if let (Some(path), Some((_, kind))) = (&path, kind) {
                let items: Vec<_> = list.iter().map(Item::of).collect();
                // Completion works without the list.
                let _ = write(&path.with_extension(kind), &items);
            }
        }
    }
}

/// The kinds of lists, which are the extensions of their files.
const KINDS: [&str; 4] = ["tools", "templates", "resources", "prompts"];

/// The list of a kind that a server has sent in the last day. Empty if there is no such list.
pub(crate) fn load(target: &str, config: Option<&Path>, kind: &str) -> Vec<Item> {
    let path = path(target, config)
        .unwrap_or_default()
        .with_extension(kind);
    let is_young = age(&path).is_some_and(|it| it < LIST_AGE);
    let text = fs::read(path)
        .ok()
        .filter(|it| is_young && it.len() <= LIST_BYTES);
    serde_json::from_slice(&text.unwrap_or_default()).unwrap_or_default()
}

/// The time since a file was written.
fn age(path: &Path) -> Option<Duration> {
    fs::metadata(path).ok()?.modified().ok()?.elapsed().ok()
}

/// The files of a server, without their extensions. The name is a digest of the target, which may have
/// secrets.
fn path(target: &str, config: Option<&Path>) -> Option<PathBuf> {
    let servers = server::servers(config).unwrap_or_default();
    let place = match (servers.get(target), server::parse(target)) {
        (Ok(entry), _) => (entry.file.clone(), &*entry.name),
        (_, Some(Target::Program(_))) => (env::current_dir().ok()?, target),
        _ => (PathBuf::new(), target),
    };
    let digest = digest(&SHA256, format!("{place:?}").as_bytes());
    let digest = digest.as_ref().iter().map(|it| format!("{it:02x}"));
    Some(folder()?.join(digest.collect::<String>()))
}

fn folder() -> Option<PathBuf> {
    let variable = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|it| it.is_absolute())
    };
    let usual = || match env::consts::OS {
        "windows" => variable("LOCALAPPDATA"),
        "macos" => Some(env::home_dir()?.join("Library/Caches")),
        _ => Some(env::home_dir()?.join(".cache")),
    };
    Some(variable("XDG_CACHE_HOME").or_else(usual)?.join("mcp/lists"))
}

/// Writes a list, and removes old ones.
fn write(path: &Path, items: &[Item]) -> io::Result<()> {
    let text = serde_json::to_vec(items)?;
    let folder = path.parent().unwrap_or(path);
    let is_recent = age(path).is_some_and(|it| it < LIST_AGE / 2);
    // Some file systems write a file to the disk when another one replaces it, which takes milliseconds.
    let is_kept = is_recent && fs::read(path).is_ok_and(|it| it == text);
    if is_kept || text.len() > LIST_BYTES {
        return Ok(());
    }
    let mut folders = DirBuilder::new();
    let mut files = OpenOptions::new();
    for_owner(&mut folders, &mut files);
    folders.recursive(true).create(folder)?;
    let new = path.with_extension(format!("{}.new", process::id()));
    let mut file = files.write(true).create_new(true).open(&new)?;
    file.write_all(&text)?;
    fs::rename(&new, path)?;
    let paths = fs::read_dir(folder)?.filter_map(|it| Some(it.ok()?.path()));
    let mut files: Vec<_> = paths.filter_map(|it| Some((age(&it)?, it))).collect();
    files.sort();
    for (index, (age, path)) in files.into_iter().enumerate() {
        if index >= LIST_FILES || age >= LIST_AGE {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn for_owner(folders: &mut DirBuilder, files: &mut OpenOptions) {
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};

    folders.mode(0o700);
    files.mode(0o600);
}

#[cfg(not(unix))]
fn for_owner(_: &mut DirBuilder, _: &mut OpenOptions) {}
