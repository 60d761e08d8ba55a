//! Plans and makes changes of files.

use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, iter};

use mcp_runtime::nearest::nearest;
use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;

use crate::{ConfigError, FileFault, Source, Target, file};

/// The number of lines shown before and after a change.
const CONTEXT: usize = 3;

/// A planned change of a file. Nothing is written before [`apply`](Self::apply).
///
/// Comments, the order of members, indentation and line ends stay. If the lines of a TOML file end
/// differently, all lines get the same ends.
pub struct Change {
    source: &'static Source,
    /// The path of the file to write. A symbolic link is already followed.
    file: PathBuf,
    /// The bytes of the file, or `None` if it does not exist.
    before: Option<Vec<u8>>,
    /// The text without a byte order mark.
    text: String,
    root: Value,
    after: String,
}

impl Change {
    /// Plans to add a server to a file. If the file does not exist, it is created. Returns `None`
    /// if the file has an equal entry. With `force`, a different entry of the same name is
    /// replaced.
    ///
    /// In variables and headers, `${NAME}` refers to an environment variable, and is written in the
    /// syntax of the client. The folder of a program and its
    /// [`env_file`](crate::Program::env_file) are left out.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Unsupported`] if the client does not support the name, the transport,
    /// or a reference, [`ConfigError::Different`] if the file has a different entry and `force` is
    /// not set, and [`ConfigError::File`] if the file can't be read or changed.
    pub fn add(
        source: &'static Source,
        name: &str,
        target: &Target,
        file: &Path,
        force: bool,
    ) -> Result<Option<Self>, ConfigError> {
        let entry = source.members(name, target)?;
        let change = Self::read(source, file)?;
        match change.servers().and_then(|it| it.get(name)) {
            Some(old) if old.as_object() == Some(&entry) => Ok(None),
            Some(_) if !force => Err(ConfigError::Different {
                entry: name.to_owned(),
                file: file.to_owned(),
            }),
            _ => change.edited(name, Some(entry)).map(Some),
        }
    }

    /// Plans to remove a server from a file.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Unknown`] if the file has no such entry, and [`ConfigError::File`] if
    /// the file can't be read or changed.
    pub fn remove(source: &'static Source, name: &str, file: &Path) -> Result<Self, ConfigError> {
        let change = Self::read(source, file)?;
        let names: Vec<_> = change.servers().into_iter().flat_map(Map::keys).collect();
        if names.iter().any(|it| *it == name) {
            return change.edited(name, None);
        }
        let nearest = nearest(name, names.iter().map(|it| it.as_str()));
        let nearest = nearest.map_or_else(String::new, |it| format!("; is `{it}` meant?"));
        Err(ConfigError::Unknown {
            name: name.to_owned(),
            hints: format!(" in {}{nearest}", file.display()),
        })
    }

    fn read(source: &'static Source, path: &Path) -> Result<Self, ConfigError> {
        if source.is_only_printed() {
            return Err(source.unsupported("changes of its files, only printed entries"));
        }
        let fault = |fault| fault_of(path, fault);
        let io = |error: io::Error| fault((None, error.to_string()));
        let file = match path.is_symlink() {
            true => fs::canonicalize(path).map_err(io)?,
            false => path.to_owned(),
        };
        let (before, text) = match file.exists() {
            true => {
                let text = file::text(&file, file::MAX_MIB).map_err(fault)?;
                (Some(fs::read(&file).map_err(io)?), text)
            }
            false => (None, String::new()),
        };
        let root = file::parse(&text, &file).map_err(fault)?;
        let after = String::new();
        Ok(Self {
            source,
            file,
            before,
            text,
            root,
            after,
        })
    }

    fn servers(&self) -> Option<&Map<String, Value>> {
        self.root.get(&self.source.servers)?.as_object()
    }

    /// Edits the text. The result is parsed again, and must differ only in the entry.
    fn edited(
        mut self,
        name: &str,
        entry: Option<Map<String, Value>>,
    ) -> Result<Self, ConfigError> {
        if fs::metadata(&self.file).is_ok_and(|it| it.permissions().readonly()) {
            return Err(fault_of(&self.file, (None, "it is read-only".to_owned())));
        }
        let edited = self.source.edited(&self.text, name, entry.as_ref());
        let member = &self.source.servers;
        let is_right = edited.as_ref().is_some_and(|edited| {
            // Each member is an object, or is missing, because the text could be edited.
            let servers = &mut self.root[member];
            match entry {
                Some(entry) => servers[name] = entry.into(),
                None => drop(servers.as_object_mut().map(|it| it.remove(name))),
            }
            let Ok(mut parsed) = file::parse(edited, &self.file) else {
                return false;
            };
            // Without a table in it, TOML may not mention the member.
            if parsed.get(member).is_none() {
                parsed[member] = json!({});
            }
            parsed == self.root
        });
        self.after = edited.filter(|_| is_right).ok_or_else(|| {
            let text = format!("`{member}` must be an object, and no member may occur twice");
            fault_of(&self.file, (None, text))
        })?;
        Ok(self)
    }

    /// Returns the lines that change, with up to three lines before and after them. Each line comes
    /// with `-` if it is removed, `+` if it is added, and otherwise a space.
    pub fn diff(&self) -> Vec<(char, &str)> {
        let [old, new] = [&self.text, &self.after].map(|it| it.lines().collect::<Vec<_>>());
        let same = |it: &(&&str, &&str)| it.0 == it.1;
        let start = iter::zip(&old, &new).take_while(same).count();
        let ends = iter::zip(old[start..].iter().rev(), new[start..].iter().rev());
        let end = ends.take_while(same).count();
        let (old_end, new_end) = (old.len() - end, new.len() - end);
        let parts = [
            (' ', &new[start.saturating_sub(CONTEXT)..start]),
            ('-', &old[start..old_end]),
            ('+', &new[start..new_end]),
            (' ', &new[new_end..new.len().min(new_end + CONTEXT)]),
        ];
        let mut diff = Vec::new();
        for (sign, lines) in parts {
            diff.extend(lines.iter().map(|it| (sign, *it)));
        }
        diff
    }

    /// Makes the change in one step. Only the user can read a new file, and other files keep their
    /// permissions. The old text is copied to a file whose name ends with `.mcp-backup`, which
    /// replaces an earlier copy. Returns the path of the copy.
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::File`] if the file was changed since it was read, or can't be
    /// written. It is unchanged then.
    pub fn apply(&self) -> Result<Option<PathBuf>, ConfigError> {
        let fault = |error: io::Error| fault_of(&self.file, (None, error.to_string()));
        self.replace().map_err(fault)
    }

    fn replace(&self) -> io::Result<Option<PathBuf>> {
        let folder = self.file.parent().unwrap_or(&self.file);
        fs::create_dir_all(folder)?;
        let mut new = NamedTempFile::new_in(folder)?;
        let Some(before) = &self.before else {
            new.write_all(self.after.as_bytes())?;
            new.as_file().sync_all()?;
            let created = new.persist_noclobber(&self.file);
            return match created {
                Err(it) if it.error.kind() == ErrorKind::AlreadyExists => Err(changed()),
                created => Ok(created.map(|_| None)?),
            };
        };
        let permissions = fs::metadata(&self.file)?.permissions();
        new.write_all(&before[..before.len() - self.text.len()])?;
        new.write_all(self.after.as_bytes())?;
        new.as_file().set_permissions(permissions)?;
        new.as_file().sync_all()?;
        let mut backup = self.file.clone().into_os_string();
        backup.push(".mcp-backup");
        let backup = PathBuf::from(backup);
        // Copying to a link would write to its target.
        match fs::remove_file(&backup) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => fs::copy(&self.file, &backup)?,
        };
        if fs::read(&self.file)? != *before {
            return Err(changed());
        }
        new.persist(&self.file)?;
        Ok(Some(backup))
    }
}

fn changed() -> io::Error {
    io::Error::other("another program has changed it meanwhile: try again")
}

fn fault_of(file: &Path, (position, text): file::Fault) -> ConfigError {
    ConfigError::File(FileFault {
        file: file.to_owned(),
        position,
        entry: None,
        text,
    })
}
