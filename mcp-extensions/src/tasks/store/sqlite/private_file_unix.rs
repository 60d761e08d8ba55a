//! Files that only their owner may read and write: mode 0600.

use std::fs::{OpenOptions, Permissions, set_permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Creates a file if it does not exist.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map(drop)
}

/// Takes a file from others who may read or write it, if it exists.
pub(super) fn restrict(path: &Path) -> io::Result<()> {
    match set_permissions(path, Permissions::from_mode(0o600)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}
