//! Values and messages in Redis.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use mcp_runtime::BoxFuture;
use mcp_runtime::store::{
    Bus, BusEvent, KeyValue, PutMode, StoreError, StoreFuture, Version, Versioned,
};
use redis::aio::MultiplexedConnection;
use redis::{Cmd, PushInfo, PushKind, Value, cmd};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::sleep;

use super::RedisBuckets;
#[cfg(feature = "tasks")]
use super::RedisTaskStore;
use super::connector::{Connector, within};
use crate::limits::redis::{COMMAND, FIRST_PAUSE, FOREVER, MAX_PAUSE, PING};
use crate::{OpenError, random_version};

/// Values and messages in Redis 6.2 or newer, or in Valkey. Clones share a connection.
///
/// Each call ends within 500 ms. A call fails while Redis is unreachable, stalls, or has no room
/// for the value. The first call after Redis has returned succeeds.
///
/// ```no_run
/// use mcp_stores::Redis;
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let redis = Redis::connect("rediss://user:password@redis.example.com", "files").await?;
/// # drop(redis);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Redis {
    connector: Connector,
    prefix: Arc<str>,
}

impl Redis {
    /// Connects to the server at `url`, such as `redis://localhost`, or
    /// `rediss://user:password@host:6379/1` for TLS and the database 1.
    ///
    /// All keys begin with `prefix` and a colon, and so does the name of the channel for messages.
    /// Replicas of a server have the same prefix. Each other server needs a prefix of its own, even
    /// in another database, because all databases share the channels.
    ///
    /// TLS accepts the certificate authorities of the operating system. The environment variable
    /// `SSL_CERT_FILE` names a file with others. If the process has no default crypto provider of
    /// rustls, this function installs the provider `ring`.
    ///
    /// # Errors
    ///
    /// Returns an error if the URL is not valid, the server can't be reached within a second, it
    /// refuses the user, or it is older than Redis 6.2.
    pub async fn connect(url: &str, prefix: &str) -> Result<Self, OpenError> {
        // Fails if the process has a provider, which is used then.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let this = Self {
            connector: Connector::new(url)?,
            prefix: prefix.into(),
        };
        let what = || format!("can't use Redis at {}", this.connector.address());
        let opened = this.connector.open(|_| Ok::<_, ()>(())).await;
        drop(opened.map_err(|error| OpenError::new(what(), error))?);
        // Redis has this command since 6.2.
        let mut probe = cmd("GETEX");
        probe.arg(this.key(""));
        let probed = this.connector.run::<Value>(probe).await;
        probed.map_err(|error| OpenError::new(what(), error))?;
        Ok(this)
    }

    /// Returns token buckets in this store, for
    /// [`RateLimit::buckets`](mcp_runtime::layer::RateLimit::buckets).
    #[must_use]
    pub fn buckets(&self) -> RedisBuckets {
        RedisBuckets::new(self.connector.clone(), &self.prefix)
    }

    /// Returns a store of tasks in this store, for
    /// [`Tasks::new`](mcp_extensions::tasks::Tasks::new).
    #[cfg(feature = "tasks")]
    #[must_use]
    pub fn tasks(&self) -> RedisTaskStore {
        RedisTaskStore::new(self.connector.clone(), &self.prefix)
    }

    fn key(&self, key: &str) -> String {
        format!("{}:kv:{key}", self.prefix)
    }

    fn channel(&self) -> String {
        format!("{}:bus", self.prefix)
    }

    /// Runs a command in a future that does not borrow the store.
    fn run<T: Send + 'static>(
        &self,
        command: Cmd,
        read: impl FnOnce(Value) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<T> {
        let connector = self.connector.clone();
        Box::pin(async move { read(connector.run(command).await?) })
    }
}

/// The bytes before each value, which are its version.
const VERSION: usize = size_of::<u64>();

const UPDATE: &str = "\
    if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return false end \
    return redis.call('SET', KEYS[1], ARGV[2], ARGV[3], ARGV[4])";

const REMOVE: &str = "\
    if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return 0 end \
    return redis.call('DEL', KEYS[1])";

fn milliseconds(time: Duration) -> u64 {
    // Redis refuses zero.
    u64::try_from(time.min(FOREVER).as_millis()).map_or(u64::MAX, |time| time.max(1))
}

fn script(script: &str, key: String) -> Cmd {
    let mut command = cmd("EVAL");
    command.arg(script).arg(1).arg(key);
    command
}

impl KeyValue for Redis {
    fn get(&self, key: &str, renew: Option<Duration>) -> StoreFuture<Option<Versioned>> {
        let mut command = cmd(if renew.is_some() { "GETEX" } else { "GET" });
        command.arg(self.key(key));
        if let Some(renew) = renew {
            command.arg("PX").arg(milliseconds(renew));
        }
        self.run(command, |found| match found {
            Value::Nil => Ok(None),
            Value::BulkString(stored) => match stored.first_chunk::<VERSION>() {
                Some(version) => Ok(Some(Versioned {
                    version: Version::new(u64::from_be_bytes(*version)),
                    value: Bytes::from(stored).slice(VERSION..),
                })),
                None => Err(StoreError::new("a value of another program in Redis")),
            },
            _ => Err(StoreError::new("an unexpected answer of Redis")),
        })
    }

    fn put(
        &self,
        key: &str,
        value: Bytes,
        ttl: Duration,
        mode: PutMode,
    ) -> StoreFuture<Option<Version>> {
        let key = self.key(key);
        let version = match random_version() {
            Ok(version) => version,
            Err(error) => return Box::pin(async { Err(error) }),
        };
        let stored = [&version.number().to_be_bytes(), &*value].concat();
        let mut command = match mode {
            PutMode::Update(current) => {
                let mut command = script(UPDATE, key);
                command.arg(&current.number().to_be_bytes());
                command
            }
            PutMode::Overwrite | PutMode::Create => {
                let mut command = cmd("SET");
                command.arg(key);
                command
            }
        };
        command.arg(stored).arg("PX").arg(milliseconds(ttl));
        if mode == PutMode::Create {
            command.arg("NX");
        }
        self.run(command, move |set| {
            Ok((set != Value::Nil).then_some(version))
        })
    }

    fn remove(&self, key: &str, version: Option<Version>) -> StoreFuture<bool> {
        let key = self.key(key);
        let command = match version {
            Some(version) => {
                let mut command = script(REMOVE, key);
                command.arg(&version.number().to_be_bytes());
                command
            }
            None => Cmd::del(key),
        };
        self.run(command, |removed| Ok(removed == Value::Int(1)))
    }
}

impl Bus for Redis {
    fn publish(&self, message: Bytes) -> StoreFuture<()> {
        let mut command = cmd("PUBLISH");
        command.arg(self.channel()).arg(&*message);
        self.run(command, |_| Ok(()))
    }

    fn listen(&self, deliver: Arc<dyn Fn(BusEvent) + Send + Sync>) -> BoxFuture<()> {
        let connector = self.connector.clone();
        let channel = self.channel();
        Box::pin(async move { listen(&connector, &channel, &*deliver).await })
    }
}

/// Listens for ever, with a new connection after each interruption.
pub(super) async fn listen(connector: &Connector, channel: &str, deliver: impl Fn(BusEvent)) {
    let mut pause = FIRST_PAUSE;
    loop {
        let mut has_begun = false;
        let deliver = |event| {
            has_begun = true;
            deliver(event);
        };
        let Err(error) = listen_once(connector, channel, deliver).await;
        tracing::debug!(%error, "messages from Redis are interrupted");
        pause = if has_begun { FIRST_PAUSE } else { pause };
        sleep(pause).await;
        pause = MAX_PAUSE.min(pause * 2);
    }
}

/// Listens on a connection until it is lost.
async fn listen_once(
    connector: &Connector,
    channel: &str,
    mut deliver: impl FnMut(BusEvent),
) -> Result<Infallible, StoreError> {
    // The queue has no limit of its own: Redis closes connections that are too far behind.
    let (pushes, mut pushed) = unbounded_channel::<PushInfo>();
    let mut connection = connector.open(pushes).await?;
    within(COMMAND, connection.subscribe(channel)).await?;
    deliver(BusEvent::Gap);
    let delivering = async {
        while let Some(mut push) = pushed.recv().await {
            match (push.kind, push.data.pop()) {
                (PushKind::Message, Some(Value::BulkString(message))) => {
                    deliver(BusEvent::Message(message.into()));
                }
                (PushKind::Disconnection, _) => break,
                _ => {}
            }
        }
    };
    tokio::select! {
        outcome = ping(connection) => outcome,
        () = delivering => Err(StoreError::new("the connection is lost")),
    }
}

/// Fails when the connection no longer answers.
async fn ping(mut connection: MultiplexedConnection) -> Result<Infallible, StoreError> {
    loop {
        sleep(PING).await;
        within(COMMAND, cmd("PING").exec_async(&mut connection)).await?;
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("address", &self.connector.address())
            .field("prefix", &self.prefix)
            .finish()
    }
}
