//! One of many processes that are one server. They share sessions, tasks, rate limits and two
//! counters in Redis, and tell each other of changes over it.
//!
//! ```sh
//! replica 127.0.0.1:8081 redis://127.0.0.1
//! replica 127.0.0.1:8082 redis://127.0.0.1
//! ```
//!
//! Behind a proxy, any of them serves any request of any client. `limit=20` allows each caller 20
//! requests a minute. The header `X-User` names the caller: a real server would check a token.
//! `STATE_KEY` is a secret of 32 bytes, as from `openssl rand -hex 16`, which encrypts the state of
//! calls that ask. Without it, the program uses a key that everybody knows.

use std::error::Error;
use std::process;
use std::time::Duration;

use http::request::Parts;
use mcp_extensions::tasks::{Task, Tasks};
use mcp_runtime::input::StateKey;
use mcp_runtime::layer::RateLimit;
use mcp_runtime::prelude::*;
use mcp_runtime::store::{KeyValue, PutMode, StoreError};
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, Principal, http};
use mcp_stores::Redis;
use tokio::time::sleep;

const USAGE: &str = "usage: replica ADDR REDIS_URL [limit=N]";
const KNOWN_KEY: &str = "a key that everybody knows, 32 B";
/// How long a counter is kept after its last change.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

struct Replica {
    redis: Redis,
}

#[derive(Serialize, JsonSchema)]
struct Who {
    process: u32,
    caller: Option<String>,
}

#[mcp_server(name = "replica", version = env!("CARGO_PKG_VERSION"))]
impl Replica {
    /// Counts the clients with a handshake, in `counter://clients`.
    #[on_initialized]
    async fn count_client(&self) -> Result<(), StoreError> {
        self.add("clients").await.map(drop)
    }

    /// Tells which process serves the call, and who calls.
    #[tool]
    fn who(&self, cx: &Context) -> Json<Who> {
        Json(Who {
            process: process::id(),
            caller: cx.principal().map(str::to_owned),
        })
    }

    /// Asks the user for a name.
    #[tool]
    async fn ask(&self, cx: &Context) -> Result<String, ToolError> {
        let name: String = cx.elicit("What is your name?").await?;
        Ok(format!("hello {name}, from process {}", process::id()))
    }

    /// Waits, and reports progress each 100 ms.
    #[tool]
    async fn sleep(&self, ms: u32, cx: &Context) -> String {
        for passed in (0..ms).step_by(100) {
            cx.progress(passed, ms, "sleeping");
            sleep(Duration::from_millis((ms - passed).min(100).into())).await;
        }
        format!("slept in process {}", process::id())
    }

    /// Adds one to `counter://count`.
    #[tool]
    async fn increment(&self, cx: &Context) -> Result<u64, ToolError> {
        self.change("count", cx).await
    }

    /// Adds one to `counter://other`.
    #[tool]
    async fn touch(&self, cx: &Context) -> Result<u64, ToolError> {
        self.change("other", cx).await
    }

    /// Works on a task, which fails if its process stops.
    #[tool(with(Task::now().poll_interval("100ms")))]
    async fn render(&self, ms: u32, cx: &Context) -> String {
        self.sleep(ms, cx).await
    }

    /// Works on a task, again in another process if this process stops.
    #[tool(with(Task::now().poll_interval("100ms").restart()))]
    async fn again(&self, ms: u32, cx: &Context) -> String {
        self.sleep(ms, cx).await
    }

    /// How many times a tool was called.
    #[resource("counter://{name}", mime = "text/plain", subscribe)]
    async fn counter(&self, name: String) -> Result<String, ToolError> {
        let found = self.redis.get(&format!("counter/{name}"), None).await?;
        let value = found.map_or_else(|| "0".into(), |found| found.value);
        Ok(String::from_utf8_lossy(&value).into_owned())
    }

    /// Adds one to a counter, and announces the change. If Redis does not answer, the counter may
    /// have changed as well.
    async fn change(&self, name: &str, cx: &Context) -> Result<u64, ToolError> {
        let count = self.add(name).await;
        cx.notify_resource_updated(format!("counter://{name}"));
        Ok(count?)
    }

    /// Adds one to a counter that all processes share, and returns the sum.
    async fn add(&self, name: &str) -> Result<u64, StoreError> {
        let key = format!("counter/{name}");
        loop {
            let (count, mode) = match self.redis.get(&key, None).await? {
                Some(found) => {
                    let count = String::from_utf8_lossy(&found.value).parse().unwrap_or(0);
                    (count, PutMode::Update(found.version))
                }
                None => (0_u64, PutMode::Create),
            };
            let value = (count + 1).to_string().into();
            if self.redis.put(&key, value, DAY, mode).await?.is_some() {
                return Ok(count + 1);
            }
        }
    }
}

/// Believes what the header `X-User` says.
struct Users;

impl AccessPolicy for Users {
    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let user = request.headers.get("x-user");
        if let Some(user) = user.and_then(|user| user.to_str().ok()) {
            let user = Principal::new(user);
            request.extensions.insert(user);
        }
        Ok(())
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (address, url, limit) = match arguments.as_slice() {
        [address, url] => (address, url, None),
        [address, url, limit] => (address, url, limit.strip_prefix("limit=")),
        _ => return Err(USAGE.into()),
    };
    let redis = Redis::connect(url, "replica").await?;
    let replica = Replica {
        redis: redis.clone(),
    };
    let mut server = replica.into_builder();
    let key = std::env::var("STATE_KEY").unwrap_or_else(|_| KNOWN_KEY.to_owned());
    let key = key.as_bytes().try_into();
    let key = key.map_err(|_| "STATE_KEY must have 32 bytes")?;
    server.state_keys([StateKey::new(key)]);
    server.extension(Tasks::new(redis.tasks()));
    if let Some(limit) = limit {
        let limit = RateLimit::per_principal(limit.parse()?, Duration::from_secs(60));
        server.layer(limit.buckets(redis.buckets()));
    }
    let endpoint = http(address).auth(Users).store(redis.clone()).bus(redis);
    server.serve(endpoint).await?;
    Ok(())
}
