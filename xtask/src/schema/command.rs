//! The subcommands of `cargo xtask schema`.

use super::error::Error;
use super::import::Input;
use super::{diff, fetch, import};
use clap::Subcommand;
use std::path::Path;

/// Subcommands of `cargo xtask schema`.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Reduce a published schema to its structure and store it as `schema/<revision>.json`.
    Import {
        /// The published JSON Schema: a file, or an http(s) address.
        source: String,
        /// Protocol revision (YYYY-MM-DD); by default the date in the source's name.
        #[arg(long, value_name = "DATE")]
        revision: Option<String>,
        /// Upstream commit the file was taken from; by default the one in the
        /// address, else the one on record for the same bytes, else `unknown`.
        #[arg(long, value_name = "SHA")]
        commit: Option<String>,
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
    },
    /// Say in plain words what changed from one stored revision to another.
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

/// Runs one subcommand in the workspace at `root` and returns its report.
pub(crate) fn run(root: &Path, command: Command) -> Result<String, Error> {
    match command {
        Command::Import {
            source,
            revision,
            commit,
        } => {
            let input = if source.starts_with("http://") || source.starts_with("https://") {
                fetch::download(&source)?
            } else {
                Input::read(Path::new(&source))?
            };
            import::import(root, &input, revision, commit)
        }
        Command::Fetch {
            revision,
            commit,
            base_url,
        } => {
            import::check_revision(&revision)?;
            let input = fetch::download(&fetch::address(&base_url, &commit, &revision))?;
            import::import(root, &input, Some(revision), Some(commit))
        }
        Command::Diff { from, to, markdown } => diff::run(root, &from, &to, markdown),
    }
}
