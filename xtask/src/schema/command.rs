//! The subcommands of `cargo xtask schema`.

use super::import::Input;
use super::{adopt, diff, fetch, import};
use anyhow::{Context, Result};
use clap::Subcommand;
use std::path::Path;

/// Subcommands of `cargo xtask schema`.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Import a published schema, print what changed, generate the types, compile and test them.
    Adopt(adopt::Adopt),
    /// Reduce a published schema to its structure and store it as `schema/<revision>.json`.
    Import {
        /// The published JSON Schema: a file, or an http(s) URL.
        source: String,
        #[command(flatten)]
        options: import::Options,
    },
    /// Download a revision's schema from the public repository and import it.
    Fetch {
        /// Protocol revision (YYYY-MM-DD).
        revision: String,
        /// Commit, tag or branch to take it from.
        #[arg(long, value_name = "REF", default_value = "main")]
        commit: String,
        /// Base URL of the repository's raw files.
        #[arg(long, value_name = "URL", default_value = fetch::BASE_URL)]
        base_url: String,
        /// Overwrite a different schema that is stored for the revision.
        #[arg(long)]
        replace: bool,
    },
    /// Describe in plain words what changed from one stored revision to another.
    Diff {
        /// The older revision (YYYY-MM-DD).
        from: String,
        /// The newer revision (YYYY-MM-DD).
        to: String,
        /// Print Markdown instead of plain text.
        #[arg(long)]
        markdown: bool,
    },
}

pub(crate) fn run(root: &Path, command: Command) -> Result<String> {
    match command {
        Command::Adopt(options) => {
            adopt::run(root, options, &mut std::io::stdout().lock())?;
            Ok(String::new())
        }
        Command::Import { source, options } => import::import(root, &input(&source)?, options),
        Command::Fetch {
            revision,
            commit,
            base_url,
            replace,
        } => {
            import::check_revision(&revision)?;
            let input = fetch::published(&base_url, &commit, &revision)?;
            let options = import::Options {
                revision: Some(revision),
                commit: Some(commit),
                replace,
                ..import::Options::default()
            };
            import::import(root, &input, options)
        }
        Command::Diff { from, to, markdown } => diff::run(root, &from, &to, markdown),
    }
}

/// Reads a file, or downloads a URL.
pub(super) fn input(source: &str) -> Result<Input> {
    if source.starts_with("http://") || source.starts_with("https://") {
        return fetch::download(source);
    }
    let name = source.to_owned();
    let bytes = std::fs::read(source).with_context(|| name.clone())?;
    Ok(Input { name, bytes })
}
