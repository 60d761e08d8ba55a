//! Programs as they are looked up on Windows, where a name stands for several files.
//!
//! The system itself finds only `name.exe`. A shell also finds `name.cmd` and whatever else `PATHEXT`
//! lists: programs that npm installs, such as `npx`, are of this kind.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Extensions that are tried where `PATHEXT` is not set.
const EXTENSIONS: &str = ".COM;.EXE;.BAT;.CMD";

/// The file that the name `program` stands for; `None` where there is none.
///
/// A name with a directory is looked for there only, from `directory` on. `path` and `extensions` are
/// the values of `PATH`, split, and of `PATHEXT`.
pub(super) fn lookup(
    program: &OsStr,
    directory: Option<&Path>,
    path: impl Iterator<Item = PathBuf>,
    extensions: Option<&OsStr>,
    is_file: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let program = Path::new(program);
    let extensions = extensions.and_then(OsStr::to_str).unwrap_or(EXTENSIONS);
    let find = |place: PathBuf| {
        let exact = place.extension().is_some().then(|| place.clone());
        let extended = extensions.split(';').filter(|it| !it.is_empty());
        let extended = extended.map(|extension| {
            let mut name = OsString::from(&place);
            name.push(extension);
            PathBuf::from(name)
        });
        exact.into_iter().chain(extended).find(|file| is_file(file))
    };
    if program.components().count() > 1 {
        return find(directory.unwrap_or(Path::new("")).join(program));
    }
    path.map(|directory| directory.join(program)).find_map(find)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 6] = [
        "/node/npx",
        "/node/npx.CMD",
        "/node/node.EXE",
        "/tools/node.EXE",
        "/tools/run.py",
        "/tools/npx.EXE",
    ];

    fn found(program: &str, directory: Option<&str>, extensions: Option<&str>) -> Option<String> {
        let path = ["/node", "/tools"].map(PathBuf::from).into_iter();
        let is_file = |file: &Path| FILES.iter().any(|it| Path::new(it) == file);
        let (directory, extensions) = (directory.map(Path::new), extensions.map(OsStr::new));
        let file = lookup(OsStr::new(program), directory, path, extensions, is_file)?;
        Some(file.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_name_stands_for_the_first_file_with_an_extension_of_programs() {
        assert_eq!(found("npx", None, None).as_deref(), Some("/node/npx.CMD"));
        assert_eq!(found("node", None, None).as_deref(), Some("/node/node.EXE"));
        assert_eq!(
            found("node.EXE", None, None).as_deref(),
            Some("/node/node.EXE")
        );
        assert_eq!(found("run", None, None), None);
        assert_eq!(
            found("run", None, Some(".EXE;.py")).as_deref(),
            Some("/tools/run.py")
        );
        assert_eq!(
            found("npx", None, Some(".EXE")).as_deref(),
            Some("/tools/npx.EXE")
        );
        assert_eq!(found("missing", None, None), None);
    }

    #[test]
    fn a_name_with_a_directory_is_looked_for_there_only() {
        assert_eq!(
            found("/tools/npx", None, None).as_deref(),
            Some("/tools/npx.EXE")
        );
        assert_eq!(
            found("tools/npx", Some("/"), None).as_deref(),
            Some("/tools/npx.EXE")
        );
        assert_eq!(
            found("./npx", Some("/node"), None).as_deref(),
            Some("/node/./npx.CMD")
        );
        assert_eq!(found("other/npx", Some("/"), None), None);
    }
}
