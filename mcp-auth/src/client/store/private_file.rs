//! Files that only their owner may read: mode 0600. On systems without modes, they inherit the access
//! rules of the user's folder.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Creates a file that must not exist.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    options().create_new(true).open(path)
}

/// Opens a file to lock it; it is created if it does not exist.
pub(super) fn open(path: &Path) -> io::Result<File> {
    options().create(true).truncate(false).open(path)
}

/// Creates the folders that do not exist.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    folder_builder().recursive(true).create(path)
}

#[cfg(unix)]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

#[cfg(not(unix))]
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    options
}

#[cfg(unix)]
fn folder_builder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    builder
}

#[cfg(not(unix))]
fn folder_builder() -> DirBuilder {
    DirBuilder::new()
}
