//! Files in the folder of a user, whose access rules they inherit.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Creates a file if it does not exist.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    options.open(path).map(drop)
}
