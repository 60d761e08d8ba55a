//! The folder in which programs keep what belongs to a user.

use std::path::PathBuf;
use std::{env, io};

/// The folder of a program in the user's folder for data: `$XDG_DATA_HOME`, else `~/.local/share`, on
/// macOS `~/Library/Application Support`, on Windows `%APPDATA%`. It need not exist.
///
/// ```no_run
/// use mcp_auth::client::store::{FileStore, user_folder};
///
/// let store = FileStore::new(user_folder("my-app")?.join("tokens"));
/// # drop(store);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// [`NotFound`](io::ErrorKind::NotFound) if the environment names none.
pub fn user_folder(program: &str) -> io::Result<PathBuf> {
    let variable = |name| env::var_os(name).map(PathBuf::from);
    let variable = |name| variable(name).filter(|it| it.is_absolute());
    let folder = variable("XDG_DATA_HOME").or_else(|| match env::consts::OS {
        "windows" => variable("APPDATA"),
        "macos" => Some(env::home_dir()?.join("Library/Application Support")),
        _ => Some(env::home_dir()?.join(".local/share")),
    });
    let missing = || {
        let text = "there is no folder for the user's data: set HOME, or on Windows APPDATA";
        io::Error::new(io::ErrorKind::NotFound, text)
    };
    Ok(folder.ok_or_else(missing)?.join(program))
}
