//! Programs, looked up as the shell does.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::lookup::lookup;

/// The file to start for the name `program`, by `PATH` and `PATHEXT` of the child's environment, or
/// else of this process. A name that stands for no file is left to the system.
pub(super) fn resolve<'a>(
    program: &'a OsStr,
    directory: Option<&Path>,
    environment: &BTreeMap<OsString, OsString>,
) -> Cow<'a, OsStr> {
    let variable = |name: &str| {
        let own = environment
            .iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name));
        own.map(|(_, value)| value.clone())
            .or_else(|| std::env::var_os(name))
    };
    let path = variable("PATH").unwrap_or_default();
    let extensions = variable("PATHEXT");
    let path = std::env::split_paths(&path);
    let found = lookup(
        program,
        directory,
        path,
        extensions.as_deref(),
        Path::is_file,
    );
    found.map_or(Cow::Borrowed(program), |file| {
        Cow::Owned(file.into_os_string())
    })
}
