//! One question, and how it is told from others.

use std::fmt::Write as _;
use std::time::Duration;

use mcp_types::{
    Conform, CreateMessageRequest, ElicitRequest, InputRequest, ListRootsRequest, RawJson, Request,
    Revision,
};

use super::AskError;
use crate::connection::Peer;
use crate::protocol::Timeouts;

/// Something that the client is asked.
#[derive(Clone, Debug)]
pub struct Question {
    pub(super) request: InputRequest,
    /// What the question is called, if the handler gave it a name.
    pub(super) key: Option<String>,
    /// How long to wait for the answer, if not as long as usual.
    pub(super) timeout: Option<Duration>,
}

impl Question {
    pub(super) fn new(request: InputRequest) -> Self {
        Self {
            request,
            key: None,
            timeout: None,
        }
    }

    /// The question's name: the one that it was given, or one made of what it says. Asked again
    /// when the handler runs once more, it is the same; what is asked otherwise is another one.
    pub(super) fn name(&self) -> String {
        if let Some(key) = &self.key {
            return key.clone();
        }
        let kind = match &self.request {
            InputRequest::Elicit(_) => "elicit",
            InputRequest::CreateMessage(_) => "sample",
            _ => "roots",
        };
        let mut name = format!("{kind}-");
        let text = RawJson::encode(&self.request);
        let written = write!(name, "{:016x}", fnv(text.get().as_bytes()));
        debug_assert!(written.is_ok(), "a string takes everything");
        name
    }

    /// Asks by a request of its own.
    pub(super) async fn send(
        mut self,
        peer: &Peer,
        revision: Revision,
        usual: Duration,
    ) -> Result<RawJson, AskError> {
        self.request.conform(revision);
        let wait = self.timeout.unwrap_or(usual);
        match &self.request {
            InputRequest::Elicit(params) => call::<ElicitRequest>(peer, params, wait).await,
            InputRequest::CreateMessage(params) => {
                call::<CreateMessageRequest>(peer, &**params, wait).await
            }
            InputRequest::ListRoots(params) => {
                let params = params.as_deref().cloned().unwrap_or_default();
                call::<ListRootsRequest>(peer, &params, wait).await
            }
            _ => Err(AskError::Question("an unknown kind of request".to_owned())),
        }
    }
}

async fn call<R: Request>(
    peer: &Peer,
    params: &R::Params,
    wait: Duration,
) -> Result<RawJson, AskError> {
    let timeouts = Timeouts {
        idle: wait,
        total: wait,
        reset_on_progress: false,
    };
    Ok(peer.ask(R::METHOD, params, timeouts).await?)
}

/// FNV-1a, 64 bits: the same on all machines, so that another one recognises the question. Nobody
/// gains anything from a collision, since both questions are the server's own.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
