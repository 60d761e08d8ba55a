//! One open transport, and the driver that serves it.

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_types::jsonrpc::{RequestId, write};
use mcp_types::{RawJson, Request, methods};
use serde::Serialize;
use tokio::sync::watch;

use super::opener::Shared;
use super::questions::Retry;
use super::role::ClientRole;
use super::session::Session;
use super::status::TransportState;
use crate::connection::{Driver, OnProgress, Peer, SendOptions};
use crate::error::CallError;
use crate::protocol::{LifecycleState, Timeouts};
use crate::transport::Transport;

/// A connection that is open; what was agreed on over it is known to others.
///
/// When it is dropped, the connection is closed in the background.
#[derive(Debug)]
pub(super) struct Link {
    peer: Peer,
    session: Arc<Session>,
    ended: watch::Receiver<bool>,
    /// Why it ended, if it did not end in good order.
    fault: Arc<Mutex<Option<io::Error>>>,
}

/// How one request is sent.
#[derive(Clone)]
pub(super) struct Options {
    pub(super) timeouts: Timeouts,
    pub(super) cancellable: bool,
    pub(super) progress: Option<OnProgress>,
}

impl Options {
    pub(super) fn new(timeouts: Timeouts) -> Self {
        Self {
            timeouts,
            cancellable: true,
            progress: None,
        }
    }

    /// The peer is not told when nobody waits for the answer any more.
    pub(super) fn silent(timeouts: Timeouts) -> Self {
        Self {
            cancellable: false,
            ..Self::new(timeouts)
        }
    }

    fn sending<R: Request>(self) -> SendOptions {
        SendOptions {
            method: R::METHOD,
            timeouts: self.timeouts,
            cancellable: self.cancellable,
            // The result of a task is where its questions are asked (2025-11-25, "Tasks").
            takes_input: R::MAY_REQUIRE_INPUT || R::METHOD == methods::TASKS_RESULT,
            progress: self.progress,
        }
    }
}

impl Link {
    /// Begins to serve an open transport.
    pub(super) fn new<T: Transport>(halves: (T::Reader, T::Writer), shared: &Shared) -> Self {
        let (peer, commands) = Peer::channel();
        let board = Arc::clone(&shared.board);
        let session = Arc::new(Session::new(Arc::clone(&board)));
        let role = ClientRole::new(Arc::clone(&session), shared);
        let driver = Driver::new(role, halves, commands, shared.config.limits);
        let (announce, ended) = watch::channel(false);
        let fault = Arc::new(Mutex::new(None));
        let found = Arc::clone(&fault);
        tokio::spawn(async move {
            if let Err(error) = driver.run().await {
                tracing::warn!(%error, "the connection was lost");
                *found.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
            board.set_transport(TransportState::Disconnected);
            announce.send_replace(true);
        });
        Self {
            peer,
            session,
            ended,
            fault,
        }
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.peer
    }

    pub(super) fn session(&self) -> &Session {
        &self.session
    }

    /// Sends a request with `meta` (members of an object, without its braces) in its `_meta`.
    ///
    /// It is written at once, so that the future need not hold the parameters.
    pub(super) fn request<'a, R: Request>(
        &'a self,
        params: &R::Params,
        meta: &str,
        options: Options,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send + use<'a, R> {
        self.request_as::<R>(self.peer.next_id(), params, meta, options)
    }

    /// The same, under an id that the caller had to know.
    pub(super) fn request_as<'a, R: Request>(
        &'a self,
        id: i64,
        params: &R::Params,
        meta: &str,
        options: Options,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send + use<'a, R> {
        let frame = self.frame(R::METHOD, id, params, &with_token(meta, id, &options));
        self.send::<R>(id, frame, options)
    }

    /// The same for one round of a request: the first, or one that says more than its parameters, as
    /// it answers questions.
    pub(super) fn request_round<'a, R: Request>(
        &'a self,
        params: &R::Params,
        retry: Option<&Retry>,
        meta: &str,
        options: Options,
    ) -> impl Future<Output = Result<RawJson, CallError>> + Send + use<'a, R> {
        let id = self.peer.next_id();
        let meta = with_token(meta, id, &options);
        let frame = match retry {
            None => self.frame(R::METHOD, id, params, &meta),
            Some(retry) => RawJson::new(&Retried { params, retry })
                .map_err(CallError::Params)
                .and_then(|params| self.frame(R::METHOD, id, &params, &meta)),
        };
        self.send::<R>(id, frame, options)
    }

    async fn send<R: Request>(
        &self,
        id: i64,
        frame: Result<Vec<u8>, CallError>,
        options: Options,
    ) -> Result<RawJson, CallError> {
        self.peer.request(id, frame?, options.sending::<R>()).await
    }

    fn frame(
        &self,
        method: &'static str,
        id: i64,
        params: &(impl Serialize + ?Sized),
        meta: &str,
    ) -> Result<Vec<u8>, CallError> {
        self.session.with(|lifecycle| lifecycle.send(method))?;
        let (mut frame, id) = (Vec::new(), RequestId::Number(id));
        if meta.is_empty() {
            write::request(&mut frame, &id, method, Some(params));
        } else {
            write::request_with_meta(&mut frame, &id, method, meta, params)
                .map_err(CallError::Params)?;
        }
        Ok(frame)
    }

    /// Ends the connection in good order, and waits until everything is released.
    pub(super) async fn close(&self) {
        self.peer.shut_down();
        self.ended().await;
    }

    /// Ends the connection at once, and waits until everything is released.
    pub(super) async fn abort(&self) {
        self.peer.abort();
        self.ended().await;
    }

    /// Why it ended, once it has; `None` if it ended in good order.
    pub(super) fn fault(&self) -> Option<io::Error> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.take()
    }

    /// Whether nothing can be sent any more.
    pub(super) fn is_over(&self) -> bool {
        let state = self.session.with(|lifecycle| lifecycle.state());
        state >= LifecycleState::ShuttingDown || *self.ended.borrow()
    }

    /// Waits until the connection is over.
    pub(super) async fn ended(&self) {
        let mut ended = self.ended.clone();
        // An error means that the task was dropped with its runtime, which is the end as well.
        let _ = ended.wait_for(|ended| *ended).await;
    }
}

/// The parameters of a request, and what its next round says beside them.
#[derive(Serialize)]
struct Retried<'a, P> {
    #[serde(flatten)]
    params: &'a P,
    #[serde(flatten)]
    retry: &'a Retry,
}

/// `meta`, with the progress token that ties notifications to the request `id` where they matter.
fn with_token<'a>(meta: &'a str, id: i64, options: &Options) -> Cow<'a, str> {
    if options.progress.is_none() && !options.timeouts.reset_on_progress {
        return Cow::Borrowed(meta);
    }
    match meta {
        "" => Cow::Owned(format!(r#""progressToken":{id}"#)),
        meta => Cow::Owned(format!(r#"{meta},"progressToken":{id}"#)),
    }
}
