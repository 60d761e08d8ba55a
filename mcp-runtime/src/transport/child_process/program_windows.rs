//! Programs, looked up as the shell does.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The file to start for the name `program`, by `PATH` of the child's environment, or else of this
/// process, and by `PATHEXT`. A name that stands for no file is left to the system.
///
/// The system itself finds only `name.exe`. A shell also finds `name.cmd` and whatever else `PATHEXT`
/// lists: programs that npm installs, such as `npx`, are of this kind.
pub(super) fn resolve<'a>(
    program: &'a OsStr,
    directory: Option<&Path>,
    environment: &BTreeMap<OsString, OsString>,
) -> Cow<'a, OsStr> {
    let own = environment
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let path = own.map(|(_, path)| path.clone());
    let path = path.or_else(|| std::env::var_os("PATH"));
    match which::which_in(program, path, directory.unwrap_or(Path::new("."))) {
        Ok(file) => Cow::Owned(file.into_os_string()),
        Err(_) => Cow::Borrowed(program),
    }
}
