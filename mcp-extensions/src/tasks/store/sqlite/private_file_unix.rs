//! Files that only their owner may read and write: mode 0600.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Creates a file if it does not exist.
pub(super) fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    options.mode(0o600).open(path).map(drop)
}
