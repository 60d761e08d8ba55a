//! Calls, cancellations, lost callers and lost connections, in any order, leave nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_runtime::prelude::*;
use mcp_runtime::server::ShutdownHandle;
use mcp_runtime::transport::memory;
use mcp_runtime::{CallError, Client, Era, ServeError};
use proptest::prelude::*;
use serde_json::json;
use tokio::task::JoinHandle;

#[derive(Clone, Default)]
struct Running(Arc<AtomicUsize>);

struct Begun(Running);

impl Running {
    fn begin(&self) -> Begun {
        self.0.fetch_add(1, Ordering::SeqCst);
        Begun(self.clone())
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Work(Running);

#[mcp_server(undocumented = "allow")]
impl Work {
    #[tool]
    async fn echo(&self, text: String, ms: u64) -> String {
        let _begun = self.0.begin();
        if ms > 0 {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
        text
    }

    #[tool]
    async fn ask(&self, cx: &Context) -> Result<String, ToolError> {
        let _begun = self.0.begin();
        let sure: bool = cx.elicit("Sure?").await?;
        Ok(sure.to_string())
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A call that takes this number of milliseconds.
    Call(u64),
    /// A call with a short time limit.
    Hasty(u64),
    Ask,
    /// The caller of one of the calls leaves.
    Leave(usize),
    Pass(u64),
    Yield,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (0..50_u64).prop_map(Event::Call),
        1 => (0..50_u64).prop_map(Event::Hasty),
        1 => Just(Event::Ask),
        3 => (0..10_usize).prop_map(Event::Leave),
        2 => (0..40_u64).prop_map(Event::Pass),
        3 => Just(Event::Yield),
    ]
}

#[derive(Clone, Copy, Debug)]
enum End {
    Close,
    /// The client is dropped.
    Drop,
    ShutDown,
    /// The server is aborted.
    Abort,
}

struct World {
    client: Client,
    calls: Vec<JoinHandle<Result<(), CallError>>>,
    shutdown: ShutdownHandle,
    serving: JoinHandle<Result<(), ServeError>>,
    next: usize,
}

impl World {
    async fn open(running: &Running, era: Era) -> Self {
        let (ours, theirs) = memory::pair();
        let serve = Work(running.clone()).into_server().serve(theirs);
        let serve = serve.drain_timeout(Duration::from_secs(1)).signals(false);
        let shutdown = serve.shutdown_handle();
        let serving = tokio::spawn(serve.into_future());
        let client = Client::builder("test", "1").era(era).without_reconnect();
        let client = client.on_form(async |form| {
            tokio::task::yield_now().await;
            form.accept(json!({"answer": true}))
        });
        Self {
            client: client.connect(ours).await.unwrap(),
            calls: Vec::new(),
            shutdown,
            serving,
            next: 0,
        }
    }

    async fn step(&mut self, event: Event) {
        match event {
            Event::Call(ms) => self.call(ms, Duration::from_secs(60)),
            Event::Hasty(ms) => self.call(ms, Duration::from_millis(20)),
            Event::Ask => {
                let asked = self.client.call::<String>("ask", ()).into_future();
                self.calls.push(tokio::spawn(async {
                    assert_eq!(asked.await?, "true");
                    Ok(())
                }));
            }
            Event::Leave(which) => {
                if !self.calls.is_empty() {
                    let which = which % self.calls.len();
                    self.calls.swap_remove(which).abort();
                }
            }
            Event::Pass(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
            Event::Yield => tokio::task::yield_now().await,
        }
    }

    fn call(&mut self, ms: u64, limit: Duration) {
        self.next += 1;
        let text = self.next.to_string();
        let arguments = json!({"text": text, "ms": ms});
        let call = self.client.call::<String>("echo", arguments).timeout(limit);
        let call = call.into_future();
        self.calls.push(tokio::spawn(async move {
            assert_eq!(call.await?, text, "the answer of another call");
            Ok(())
        }));
    }

    async fn end(self, end: End) {
        match end {
            End::Close => self.client.close().await,
            End::Drop => drop(self.client),
            End::ShutDown => self.shutdown.shut_down(),
            End::Abort => self.serving.abort(),
        }
        for call in self.calls {
            // Each call ends with an answer or an error, never with a panic.
            let _ = call.await.unwrap();
        }
        match self.serving.await {
            Ok(served) => served.unwrap(),
            Err(error) => assert!(error.is_cancelled(), "{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn nothing_is_left_behind(
        events in prop::collection::vec(event(), 0..30),
        end in prop::sample::select(&[End::Close, End::Drop, End::ShutDown, End::Abort][..]),
        era in prop::sample::select(&[Era::Handshake, Era::Stateless][..]),
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let running = Running::default();
            let mut world = World::open(&running, era).await;
            for event in events {
                world.step(event).await;
            }
            world.end(end).await;
            // The remaining handlers end within the drain time.
            tokio::time::sleep(Duration::from_secs(10)).await;
            assert_eq!(running.0.load(Ordering::SeqCst), 0, "handlers that run on");
            let tasks = tokio::runtime::Handle::current().metrics().num_alive_tasks();
            assert_eq!(tasks, 0, "tasks that run on");
        });
    }
}
