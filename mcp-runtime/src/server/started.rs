//! The start of a server, for those who wait for it.

use std::io::{self, IsTerminal as _, Write as _};

use super::Server;

impl Server {
    /// Logs that this server takes connections at `place`; on a terminal, a person reads it as well.
    pub(crate) fn started(&self, place: &str) {
        let info = &self.settings().info;
        let (name, version) = (&*info.name, &*info.version);
        tracing::info!(name, version, place, "the server has started");
        if io::stderr().is_terminal() {
            // If it can't be written, nobody reads it.
            let _ = writeln!(io::stderr(), "{name} {version} at {place}");
        }
    }
}
