//! The folder of this program's data.

use std::env;
use std::path::PathBuf;

use crate::failure::Failure;

/// The folder `mcp` in the user's folder for data: that of `XDG_DATA_HOME`, else the one that is
/// usual on the system.
///
/// # Errors
///
/// If the environment names none.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    let variable = |name| {
        env::var_os(name)
            .filter(|it| !it.is_empty())
            .map(PathBuf::from)
    };
    let home = || variable("HOME").or_else(|| variable("USERPROFILE"));
    let folder = variable("XDG_DATA_HOME").or_else(|| match env::consts::OS {
        "windows" => variable("APPDATA"),
        "macos" => home().map(|it| it.join("Library/Application Support")),
        _ => home().map(|it| it.join(".local/share")),
    });
    let missing = || Failure::usage("there is no folder for tokens: set the variable HOME");
    Ok(folder.ok_or_else(missing)?.join("mcp"))
}
