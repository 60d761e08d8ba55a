//! Reads the files of skills below a directory into memory.
//!
//! Everything is opened relative to the open folder that holds it, and no link is followed. If
//! somebody exchanges a file or folder for a link, nothing outside of the directory is read.

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::assemble::{Files, Usage, misplaced, publish};
use super::fault::{Finding, LoadError};
use super::published::PublishedSkill;
use crate::skills::limits::{MAX_DEPTH, MAX_ENTRIES, MAX_SKILL_BYTES};
use crate::skills::types::SKILL_MD;

/// Loads the skill of every folder below `root` that has a `SKILL.md`. Their files have at most
/// `memory_limit` bytes.
///
/// `root` may be a link. Files and folders whose names begin with a dot are left out. Outside of
/// skills, only folders are examined.
///
/// # Errors
///
/// Fails with everything that is wrong. A file that exceeds a limit is not read, and neither is the
/// rest of its skill.
pub(super) fn load(root: &Path, memory_limit: usize) -> Result<Vec<PublishedSkill>, LoadError> {
    Walk::new(memory_limit, &mut |_| ()).load(root)
}

type Fault = Box<dyn Error>;

struct Walk<'a> {
    files: Files,
    faults: Vec<Finding>,
    /// The number of entries of all folders, with hidden entries.
    entries: usize,
    /// The bytes that the files may still have.
    memory: usize,
    /// The files of the outermost skill that is being read. It has the files of all skills in it, so
    /// it reaches the limits first.
    skill: Option<Usage>,
    /// True after a limit of the whole directory was exceeded. Nothing else is read then.
    is_over: bool,
    /// Called with each path that is about to be opened.
    before_open: &'a mut dyn FnMut(&str),
}

impl<'a> Walk<'a> {
    fn new(memory: usize, before_open: &'a mut dyn FnMut(&str)) -> Self {
        Self {
            files: Files::new(),
            faults: Vec::new(),
            entries: 0,
            memory,
            skill: None,
            is_over: false,
            before_open,
        }
    }

    fn load(mut self, root: &Path) -> Result<Vec<PublishedSkill>, LoadError> {
        let folder = root.canonicalize().and_then(|path| {
            let handle = open(None, path.as_os_str())?;
            Ok(Folder { path, handle })
        });
        let folder = folder.map_err(Fault::from);
        if let Err(fault) = folder.and_then(|folder| self.folder(&folder, "", 0)) {
            let root = root.to_string_lossy();
            self.faults.push(Finding::new(root, fault));
        }
        publish(self.files, &BTreeSet::new(), self.faults)
    }

    /// Reads a folder. The error says why that is not possible.
    fn folder(&mut self, folder: &Folder, path: &str, depth: usize) -> Result<(), Fault> {
        if depth > MAX_DEPTH {
            return Err(format!("folders are nested over {MAX_DEPTH} levels deep").into());
        }
        let mut names = names(folder, MAX_ENTRIES + 1 - self.entries)?;
        self.entries += names.len();
        if self.entries > MAX_ENTRIES {
            self.is_over = true;
            return Err(format!("over {MAX_ENTRIES} files and folders were found").into());
        }
        names.retain(|name| !name.as_encoded_bytes().starts_with(b"."));
        names.sort();
        let has_skill = names.iter().any(|name| name == SKILL_MD);
        let is_outermost = has_skill && !path.is_empty() && self.skill.is_none();
        if is_outermost {
            self.skill = Some(Usage::default());
        }
        for name in names {
            let end = name.to_string_lossy();
            if self.skill.is_none() {
                self.faults.extend(misplaced(path, &end, has_skill));
            }
            let path = [path, &end].join(if path.is_empty() { "" } else { "/" });
            if let Err(fault) = self.entry(folder, &name, &path, depth) {
                self.faults.push(Finding::new(path, fault));
            }
        }
        if is_outermost {
            self.skill = None;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        folder: &Folder,
        name: &OsStr,
        path: &str,
        depth: usize,
    ) -> Result<(), Fault> {
        if self.is_over || self.skill.as_ref().is_some_and(Usage::is_over) {
            return Ok(());
        }
        // For the message, and because opening a device may have effects. The entry may be exchanged
        // after this, so what was opened is examined again.
        let kind = fs::symlink_metadata(folder.path.join(name))?.file_type();
        let is_utf8 = name.to_str().is_some();
        match kind {
            _ if self.skill.is_none() && !(is_utf8 && kind.is_dir()) => return Ok(()),
            _ if !is_utf8 => return Err(format!("{name:?} is not UTF-8: rename it").into()),
            _ if kind.is_symlink() => return Err("it is a symbolic link: copy the file".into()),
            _ if !kind.is_file() && !kind.is_dir() => {
                return Err("it is neither a file nor a folder: remove it".into());
            }
            _ if kind.is_dir() && name == SKILL_MD => return Err("it must be a file".into()),
            _ => (self.before_open)(path),
        }
        let handle = open(Some(folder), name)?;
        match handle.metadata()? {
            it if it.is_file() => self.file(handle, it.len(), path),
            it if it.is_dir() => {
                let folder = folder.inner(name, handle);
                self.folder(&folder, path, depth + 1)
            }
            _ => Err("it was exchanged while it was read".into()),
        }
    }

    fn file(&mut self, file: File, size: u64, path: &str) -> Result<(), Fault> {
        let Some(skill) = &mut self.skill else {
            return Ok(());
        };
        let room = self.memory.min(MAX_SKILL_BYTES - skill.bytes);
        let bytes = read(file, size, room)?;
        // A file that does not fit is reported like a file that is a byte too long.
        let length = bytes.as_ref().map_or(room + 1, Vec::len);
        skill.add(length)?;
        let Some(bytes) = bytes else {
            self.is_over = true;
            return Err("with this file, the skills exceed the memory limit".into());
        };
        self.memory -= length;
        self.files.insert(path.to_owned(), bytes.into());
        Ok(())
    }
}

/// Reads a file of at most `room` bytes. Returns `None` for a longer file, without reading it all. The
/// file may be longer than `size` if it has grown.
fn read(file: impl Read, size: u64, room: usize) -> io::Result<Option<Vec<u8>>> {
    let room = room as u64;
    let mut bytes = Vec::new();
    if size <= room {
        file.take(room + 1).read_to_end(&mut bytes)?;
    }
    let fits = size.max(bytes.len() as u64) <= room;
    Ok(fits.then_some(bytes))
}

struct Folder {
    path: PathBuf,
    handle: File,
}

impl Folder {
    fn inner(&self, name: &OsStr, handle: File) -> Self {
        let path = self.path.join(name);
        Self { path, handle }
    }
}

/// Opens an entry of a folder, or a canonical path. A link is not followed, and a FIFO not waited for.
#[cfg(unix)]
fn open(folder: Option<&Folder>, name: &OsStr) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    use std::os::fd::AsFd as _;

    let folder = folder.map_or(CWD, |it| it.handle.as_fd());
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(openat(folder, name, flags, Mode::empty())?.into())
}

/// Returns the names of up to `most` entries of an open folder.
#[cfg(unix)]
fn names(folder: &Folder, most: usize) -> io::Result<Vec<OsString>> {
    use std::os::unix::ffi::OsStringExt as _;

    let entries = rustix::fs::Dir::read_from(&folder.handle)?.take(most);
    let names = entries.map(|entry| Ok(OsString::from_vec(entry?.file_name().to_bytes().to_vec())));
    names.collect()
}

/// Opens an entry of a folder, or a canonical path. A link is not followed.
///
/// The handle does not share deletion. While a folder is open, neither the folder nor a folder that
/// holds it can be renamed or removed, so the path leads to the open folder.
#[cfg(windows)]
fn open(folder: Option<&Folder>, name: &OsStr) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;

    const FILE_SHARE_READ_WRITE: u32 = 3;
    const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
    const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    let path = folder.map_or(name.into(), |it| it.path.join(name));
    let mut options = File::options();
    options.read(true).share_mode(FILE_SHARE_READ_WRITE);
    options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT);
    options.open(path)
}

#[cfg(windows)]
fn names(folder: &Folder, most: usize) -> io::Result<Vec<OsString>> {
    let entries = fs::read_dir(&folder.path)?.take(most);
    entries.map(|entry| Ok(entry?.file_name())).collect()
}

#[cfg(test)]
mod tests;
