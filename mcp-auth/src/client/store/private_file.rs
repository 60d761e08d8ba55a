//! Files in the folder of a user, whose access rules they inherit.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file that must not exist.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens a file to lock it; it is created if it does not exist.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).open(path)
}

/// Creates the folders that do not exist.
pub(super) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(path)
}
