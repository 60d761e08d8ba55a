//! The start of a server, for those who wait for it.

use std::io::{self, IsTerminal as _, Write as _};

use super::Server;

impl Server {
    /// Logs that this server takes connections at `place`, and calls the hooks; on a terminal, a person reads
    /// it as well.
    pub(crate) fn listens(&self, place: &str) {
        self.has_started(place);
        if io::stderr().is_terminal() {
            let info = &self.settings().info;
            // If it can't be written, nobody reads it.
            let _ = writeln!(io::stderr(), "{} {} at {place}", info.name, info.version);
        }
        for hook in &self.settings().hooks.listening {
            hook(place);
        }
    }
}
