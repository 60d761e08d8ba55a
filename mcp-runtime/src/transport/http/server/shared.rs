//! What other transports at the same address share with HTTP.

use std::sync::Arc;

use tokio::sync::watch;

use super::options::HttpOptions;
use super::service::HttpService;
use crate::server::Server;

impl HttpService {
    /// What is served, what is allowed, and whether the server ends.
    pub(in crate::transport) fn shared(&self) -> (Server, HttpOptions, Arc<watch::Sender<bool>>) {
        let state = &self.state;
        let ending = Arc::clone(&state.ending);
        (state.server.clone(), state.options.clone(), ending)
    }
}
