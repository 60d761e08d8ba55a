//! Reading one file.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use crate::entry::FileContext;
use crate::node::Fault;
use crate::source::Language;
use crate::{Entry, FileFault, Position, Source, decode, parse};

/// The largest file that is read, in bytes: 8 MiB. Claude Code keeps much else in its own.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// A file to read.
pub(crate) struct FileSpec<'a> {
    /// The source; `None` if the members of the file tell it.
    pub(crate) source: Option<Source>,
    pub(crate) path: &'a Path,
    /// The folder in which programs run.
    pub(crate) folder: &'a Path,
    /// The folders of the project, the innermost first.
    pub(crate) project: &'a [&'a Path],
    pub(crate) home: &'a Path,
}

impl FileSpec<'_> {
    /// The fault of a file that must be there.
    pub(crate) fn missing(&self) -> FileFault {
        let fault = unread("there is no such file");
        self.fault(self.source, "", None, fault)
    }

    fn fault(
        &self,
        source: Option<Source>,
        text: &str,
        entry: Option<String>,
        fault: Fault,
    ) -> FileFault {
        FileFault {
            source: source.unwrap_or(Source::Project),
            file: self.path.to_owned(),
            position: fault.at.map(|at| position(text, at)),
            entry,
            text: fault.text,
        }
    }
}

/// What a file has.
#[derive(Default)]
pub(crate) struct Content {
    pub(crate) entries: Vec<Entry>,
    /// The faults of other entries.
    pub(crate) faults: Vec<FileFault>,
}

/// Reads a file; `None` if there is none.
pub(crate) fn read(spec: &FileSpec<'_>) -> Result<Option<Content>, FileFault> {
    let bytes = bytes(spec.path).map_err(|fault| spec.fault(spec.source, "", None, fault))?;
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let lossy = String::from_utf8_lossy(&bytes);
    let text = lossy.strip_prefix('\u{feff}').unwrap_or(&lossy);
    let fault = |source, entry, fault| spec.fault(source, text, entry, fault);
    if let Err(error) = std::str::from_utf8(&bytes) {
        let at = Some(error.valid_up_to());
        let invalid = "it is not valid UTF-8".to_owned();
        return Err(fault(spec.source, None, Fault { at, text: invalid }));
    }
    let language = spec.source.map_or(Language::Json, Source::language);
    let root = parse::parse(text, language).map_err(|it| fault(spec.source, None, it))?;
    let source = spec.source.unwrap_or_else(|| Source::of_members(&root));
    let whole = |it| fault(Some(source), None, it);
    let context = Arc::new(FileContext {
        path: spec.path.to_owned(),
        folder: spec.folder.to_owned(),
        home: spec.home.to_owned(),
        inputs: decode::inputs(source, &root).map_err(whole)?,
    });
    let decoded = decode::entries(source, &root, &context, spec.project).map_err(whole)?;
    let mut content = Content::default();
    for entry in decoded {
        match entry {
            Ok(entry) => content.entries.push(entry),
            Err((name, it)) => content.faults.push(fault(Some(source), Some(name), it)),
        }
    }
    Ok(Some(content))
}

/// The content of a file; `None` if there is none.
fn bytes(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    let read = || -> io::Result<Option<Vec<u8>>> {
        if !fs::metadata(path)?.is_file() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(path)?;
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    };
    match read() {
        Ok(Some(bytes)) if bytes.len() as u64 > MAX_FILE_BYTES => {
            Err(unread("it is larger than 8 MiB"))
        }
        Ok(bytes) => Ok(bytes),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(unread(&error.to_string())),
        },
    }
}

fn unread(text: &str) -> Fault {
    Fault {
        at: None,
        text: text.to_owned(),
    }
}

/// The line and the column of an offset in bytes.
fn position(text: &str, at: usize) -> Position {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    Position {
        line: 1 + before.matches('\n').count(),
        column: 1 + before[line..].chars().count(),
    }
}
