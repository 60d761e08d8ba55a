//! Asks for trust in the files of a project, which may come from a stranger.

use std::fs;
use std::io;

use mcp_auth::client::store::{FileStore, TokenStore, user_folder};
use mcp_config::{Entry, Servers, Target, Variable};
use ring::digest::{SHA256, digest};

use crate::failure::Failure;
use crate::limits::{SHOWN_CHARS, SHOWN_SERVERS};
use crate::output::{is_interactive, note};
use crate::prompts;
use crate::visible::visible;

/// Expands the variables in the program or URL of an entry.
///
/// If the entry is from a file of a project, the user must trust the file first. Commands must call
/// this function before they start a program or open a URL of an entry.
///
/// # Errors
///
/// Fails if the file is not trusted, or if a variable is not set.
pub(crate) async fn expand(
    entry: &Entry,
    by_option: bool,
    variables: &mut (dyn FnMut(&Variable<'_>) -> Option<String> + Send),
) -> Result<Target, Failure> {
    if !is_trusted(entry, by_option).await {
        ask(entry).await?;
        remember(entry).await;
    }
    Ok(entry.expand(variables)?)
}

/// Whether the file of an entry can be used without asking: it is not a file of a project, the user
/// has trusted the same path and contents before, or `--trust-project` is set.
pub(crate) async fn is_trusted(entry: &Entry, by_option: bool) -> bool {
    if !entry.is_of_project {
        return true;
    }
    let (path, digest) = identity(entry);
    let known = async { store()?.load(&path).await };
    if known.await.is_ok_and(|it| it.as_ref() == Some(&digest)) {
        return true;
    }
    if by_option {
        remember(entry).await;
    }
    by_option
}

fn untrusted(entry: &Entry) -> Failure {
    let file = entry.file.display();
    let message = format!("{file} is a file of this project, and is not trusted: nothing was run");
    Failure::usage(message).advise("read the file; if you trust it, add: --trust-project")
}

/// Shows what the file of an entry can run, and asks whether to trust it.
async fn ask(entry: &Entry) -> Result<(), Failure> {
    if !is_interactive() {
        return Err(untrusted(entry));
    }
    // `entry` was read together with other files, whose entries may hide entries of this file.
    let servers = Servers::read(&entry.file)?;
    let same = |it: &&Entry| it.file_text() == entry.file_text();
    let same = servers.iter().filter(same);
    let (first, others): (Vec<_>, Vec<_>) = same.partition(|it| it.name == entry.name);
    if first.is_empty() {
        let message = format!("{} has changed: try again", entry.file.display());
        return Err(Failure::usage(message));
    }
    let file = line(&entry.file.display().to_string());
    note(&format!("{file} of this project can run and open:"));
    let all = first.iter().chain(&others);
    for it in all.clone().take(SHOWN_SERVERS) {
        let words = shlex::try_join(it.words().iter().map(String::as_str));
        let name = line(&it.name);
        let words = line(&words.unwrap_or_default());
        note(&format!("  {name}: {words}"));
    }
    if let more @ 1.. = all.count().saturating_sub(SHOWN_SERVERS) {
        note(&format!("  … and {more} more, which `mcp servers` lists"));
    }
    let question = format!("Do you trust {file}? The answer is kept until the file changes.");
    if prompts::is_confirmed(question).await? {
        Ok(())
    } else {
        Err(untrusted(entry))
    }
}

/// Formats a string on one line, without characters that control a terminal, and cut if it is very
/// long.
fn line(text: &str) -> String {
    let text = visible(text, true).replace('\n', "\\n");
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}… (cut)", &text[..end]),
        None => text,
    }
}

/// Stores the answer. If that fails, the user is asked again next time.
async fn remember(entry: &Entry) {
    let (path, digest) = identity(entry);
    let saved = async { store()?.save(&path, &digest, None).await };
    if let Err(error) = saved.await {
        note(&format!("the answer can't be kept: {error}"));
    }
}

/// The canonical path of an entry's file, and the SHA-256 digest of its text.
fn identity(entry: &Entry) -> (String, String) {
    let path = fs::canonicalize(&entry.file);
    let path = path.unwrap_or_else(|_| entry.file.clone());
    let digest = digest(&SHA256, entry.file_text().as_bytes());
    let digest = digest.as_ref().iter().map(|it| format!("{it:02x}"));
    (path.display().to_string(), digest.collect())
}

/// The digests of trusted files by their path, in files of mode 0600.
fn store() -> io::Result<FileStore> {
    Ok(FileStore::new(user_folder("mcp")?.join("trusted")))
}
