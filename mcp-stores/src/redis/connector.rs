//! Connections to Redis.
//!
//! All commands share one connection, which is opened when it is needed. The crate `redis` has a
//! `ConnectionManager` for this purpose, but it keeps a connection whose server no longer answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use mcp_runtime::store::StoreError;
use redis::aio::{AsyncPushSender, MultiplexedConnection};
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo,
    ProtocolVersion, PushInfo, PushKind, RedisError, RedisResult,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout, timeout_at};

use crate::OpenError;
use crate::limits::redis::{COMMAND, CONNECT};

/// Opens connections to one server, and keeps the connection for commands.
#[derive(Clone)]
pub(super) struct Connector {
    client: Client,
    kept: Arc<Mutex<Option<Kept>>>,
}

#[derive(Clone)]
struct Kept {
    connection: MultiplexedConnection,
    /// Set when the connection is lost or does not answer.
    is_broken: Arc<AtomicBool>,
}

impl Connector {
    pub(super) fn new(url: &str) -> Result<Self, OpenError> {
        let info = url.into_connection_info().map_err(|error| {
            // The details of the error might contain the password.
            let cause = error.category().to_owned();
            OpenError::new(
                "the URL of Redis must be like redis://USER:PASSWORD@HOST:PORT/DATABASE",
                cause,
            )
        })?;
        // With this version of the protocol, a lost connection is noticed before the next command.
        let settings = info.redis_settings().clone();
        let settings = settings.set_protocol(ProtocolVersion::RESP3);
        let tcp = TcpSettings::default().set_nodelay(true);
        let info = info.set_redis_settings(settings).set_tcp_settings(tcp);
        let client = Client::open(info).map_err(|error| OpenError::new("Redis", error))?;
        Ok(Self {
            client,
            kept: Arc::default(),
        })
    }

    /// The host and the port, without the password.
    pub(super) fn address(&self) -> String {
        self.client.get_connection_info().addr().to_string()
    }

    /// Opens a connection whose messages and end are reported to `pushes`.
    pub(super) async fn open(
        &self,
        pushes: impl AsyncPushSender,
    ) -> Result<MultiplexedConnection, StoreError> {
        // The caller of each command limits its time.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None)
            .set_push_sender(pushes);
        let client = &self.client;
        let opening = client.get_multiplexed_async_connection_with_config(&config);
        within(CONNECT, opening).await
    }

    /// Returns the connection for commands.
    async fn kept(&self) -> Result<Kept, StoreError> {
        let mut kept = Arc::clone(&self.kept).lock_owned().await;
        let working = kept.as_ref().filter(|kept| !kept.is_broken.load(Relaxed));
        if let Some(kept) = working {
            return Ok(kept.clone());
        }
        let this = self.clone();
        // Goes on if the command is given up, for the next command.
        let opening = tokio::spawn(async move {
            let is_broken = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&is_broken);
            let pushes = move |push: PushInfo| {
                if push.kind == PushKind::Disconnection {
                    seen.store(true, Relaxed);
                }
                Ok::<_, ()>(())
            };
            let connection = this.open(pushes).await?;
            let opened = Kept {
                connection,
                is_broken,
            };
            *kept = Some(opened.clone());
            Ok(opened)
        });
        opening.await.map_err(StoreError::new)?
    }

    /// Runs a command.
    pub(super) async fn run<T: FromRedisValue>(&self, command: Cmd) -> Result<T, StoreError> {
        let deadline = Instant::now() + COMMAND;
        let kept = timeout_at(deadline, self.kept()).await;
        let mut kept = kept.map_err(|_| no_answer())??;
        let outcome = timeout_at(deadline, command.query_async(&mut kept.connection)).await;
        if !matches!(&outcome, Ok(outcome) if outcome.as_ref().err().is_none_or(is_an_answer)) {
            kept.is_broken.store(true, Relaxed);
        }
        outcome.map_err(|_| no_answer())?.map_err(StoreError::new)
    }
}

/// Whether the error shows that the server answers, and still accepts writes.
fn is_an_answer(error: &RedisError) -> bool {
    use redis::ServerErrorKind::ReadOnly;
    matches!(error.kind(), ErrorKind::Server(kind) if kind != ReadOnly)
}

/// Waits for Redis for at most a `limit`.
pub(super) async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = RedisResult<T>>,
) -> Result<T, StoreError> {
    let answer = timeout(limit, answer).await.map_err(|_| no_answer())?;
    answer.map_err(StoreError::new)
}

fn no_answer() -> StoreError {
    StoreError::new("Redis does not answer in time")
}
