//! Replicas that reach each other over a bus.

use std::future::ready;
use std::time::Duration;

use mcp_runtime::input::StateKey;
use mcp_runtime::prelude::*;
use mcp_runtime::store::{Bus as _, MemoryKeyValue, publish_changes};
use mcp_runtime::transport::http::{HttpOptions, http};
use mcp_runtime::{Change, Server};
use serde_json::json;
use tokio::sync::mpsc;

use super::bus::Wire;
use super::shared::elsewhere;
use super::{agrees, asked};
use crate::site::{Session, Site, read, read_until};
use crate::streams::with_roots;
use crate::support::clock::{Clock, in_time};
use crate::support::{builder, call, stateless};

/// The store and the bus that replicas share.
#[derive(Clone, Default)]
struct Common {
    store: MemoryKeyValue,
    wire: Wire,
}

impl Common {
    fn options(&self) -> HttpOptions {
        let options = HttpOptions::default().store(self.store.clone());
        options.bus(self.wire.clone())
    }

    async fn pair(&self) -> (Site, Site) {
        let one = Site::with(self.options()).await;
        let other = Site::with(self.options()).await;
        self.wire.listeners(2).await;
        (one, other)
    }
}

async fn change(session: &Session<'_>) {
    let answer = session.ask(&call(8, "change", json!({}))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn clients_of_all_replicas_are_told_of_a_change() {
    let common = Common::default();
    let (one, other) = common.pair().await;
    let here = one.session("2025-11-25").await;
    let there = elsewhere(&here, &other);
    let mut stream = there.listen(None).await;
    let filter = json!({"toolsListChanged": true});
    let listen = stateless(1, "subscriptions/listen", json!({"notifications": filter}));
    let mut subscription = other.start(other.stateless(&listen)).await;
    read_until(&mut subscription, "acknowledged").await;

    // The subscription becomes known where the client reads its stream.
    agrees(
        &here,
        "resources/subscribe",
        json!({"uri": "test://watched"}),
    )
    .await;
    change(&here).await;
    in_time(read_until(&mut stream, "resources/updated")).await;
    in_time(read_until(&mut subscription, "tools/list_changed")).await;

    publish_changes(&common.wire, [Change::Tools])
        .await
        .unwrap();
    in_time(read_until(&mut stream, "tools/list_changed")).await;
    in_time(read_until(&mut subscription, "tools/list_changed")).await;
}

#[tokio::test]
async fn an_answer_reaches_the_replica_that_waits_for_it() {
    let common = Common::default();
    let (one, other) = common.pair().await;
    let hello = with_roots("2025-11-25");
    let here = one.session_of(&hello, "2025-11-25").await;
    let (stream, id) = asked(&here).await;
    let there = elsewhere(&here, &other);
    let roots = json!({"roots": [{"uri": "file:///right"}]});
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": roots});

    common.wire.cut();
    let refused = there.ask(&answer).await;
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    common.wire.mend();
    assert_eq!(there.ask(&answer).await.status, 202);
    let rest = read(stream).await;
    assert!(rest.body.contains("file:///right"), "{rest:?}");
    assert_eq!(common.wire.published("forwarded"), 1);
}

#[tokio::test]
async fn an_answer_for_which_nobody_waits_is_accepted_in_the_end() {
    let clock = Clock::stopped();
    let common = Common::default();
    let (one, _other) = common.pair().await;
    let here = one.session("2025-11-25").await;
    let answer = json!({"jsonrpc": "2.0", "id": 77, "result": {}});
    let request = here.post(&answer);
    let sent = one.connect().await.send_request(request);
    let accepted = clock.run_until(Duration::from_millis(100), tokio::spawn(sent));
    assert_eq!(in_time(accepted).await.unwrap().unwrap().status(), 202);
    assert_eq!(common.wire.published("forwarded"), 3);
}

#[tokio::test]
async fn a_cancellation_reaches_the_replica_of_its_call() {
    let common = Common::default();
    let (mut one, other) = common.pair().await;
    let id = {
        let here = one.session("2025-11-25").await;
        let calling = here.post(&call(1, "silent", json!({})));
        tokio::spawn(one.connect().await.send_request(calling));
        here.id.clone()
    };
    assert_eq!(in_time(one.events.recv()).await, Some("started"));
    let there = Session {
        site: &other,
        id,
        revision: "2025-11-25".to_owned(),
    };
    let params = json!({"requestId": 1});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    assert_eq!(there.ask(&cancel).await.status, 202);
    assert_eq!(in_time(one.events.recv()).await, Some("dropped"));
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_calls_and_streams_everywhere() {
    let common = Common::default();
    let (mut one, other) = common.pair().await;
    let (stream, delete) = {
        let here = one.session("2025-11-25").await;
        let calling = here.post(&call(1, "silent", json!({})));
        tokio::spawn(one.connect().await.send_request(calling));
        let stream = here.listen(None).await;
        let there = elsewhere(&here, &other);
        (stream, there.request("DELETE").body(String::new()).unwrap())
    };
    assert_eq!(in_time(one.events.recv()).await, Some("started"));
    assert_eq!(other.send(delete).await.status, 204);
    assert_eq!(in_time(one.events.recv()).await, Some("dropped"));
    in_time(read(stream)).await;
}

#[tokio::test]
async fn a_client_that_read_the_stream_of_another_replica_goes_on() {
    let common = Common::default();
    let (one, other) = common.pair().await;
    let here = one.session("2025-11-25").await;
    let there = elsewhere(&here, &other);
    let mut stream = here.listen(None).await;
    change(&here).await;
    let events = in_time(read_until(&mut stream, "tools/list_changed")).await;
    let last = events.lines().find_map(|line| line.strip_prefix("id: "));
    for (session, last) in [(&there, last), (&here, Some("1048576-9"))] {
        let mut stream = session.listen(last).await;
        change(&here).await;
        in_time(read_until(&mut stream, "tools/list_changed")).await;
    }
}

/// Returns a replica whose hook reports the changes that it hears, and announces them again.
fn hooked(common: &Common) -> (Server, Site, mpsc::UnboundedReceiver<Change>) {
    let (heard, changes) = mpsc::unbounded_channel();
    let mut server = builder();
    crate::changes::add(&mut server);
    server.on_change(move |server, change| {
        server.notify_changed(change.clone());
        heard.send(change).unwrap();
        ready(())
    });
    let server = server.build();
    let site = Site::of_with(&server, common.options());
    (server, site, changes)
}

/// Returns the changes that are heard until `last`, with which they end.
async fn heard(changes: &mut mpsc::UnboundedReceiver<Change>, last: &Change) -> Vec<Change> {
    let mut heard = Vec::new();
    while heard.last() != Some(last) {
        heard.push(in_time(changes.recv()).await.unwrap());
    }
    heard
}

#[tokio::test]
async fn a_hook_hears_the_changes_of_other_replicas_once() {
    let common = Common::default();
    let (one, _one_site, mut at_one) = hooked(&common);
    let (other, _other_site, mut at_other) = hooked(&common);
    common.wire.listeners(2).await;
    let last = Change::Resources;
    // The first lists are reported when a replica begins to listen.
    heard(&mut at_one, &last).await;
    heard(&mut at_other, &last).await;

    one.notify_changed(Change::Tools);
    assert_eq!(heard(&mut at_other, &Change::Tools).await, [Change::Tools]);
    other.notify_changed(Change::Prompts);
    // The hook of `other` has announced the tools again, which did not come back.
    assert_eq!(
        heard(&mut at_one, &Change::Prompts).await,
        [Change::Prompts]
    );
    assert_eq!(common.wire.published("tools"), 1);
}

#[tokio::test]
async fn many_changes_are_published_together() {
    let common = Common::default();
    let (one, _one_site, _at_one) = hooked(&common);
    let (_other, _other_site, mut at_other) = hooked(&common);
    common.wire.listeners(2).await;
    heard(&mut at_other, &Change::Resources).await;
    for _ in 0..100 {
        one.notify_changed(Change::Tools);
        one.notify_resource_updated("test://watched");
    }
    let last = Change::Resource("test://watched".to_owned());
    let expected = [Change::Tools, last.clone()];
    assert_eq!(heard(&mut at_other, &last).await, expected);
    assert_eq!(common.wire.published("changes"), 1);
}

#[tokio::test]
async fn a_change_while_the_bus_is_away_is_reported_once() {
    let clock = Clock::stopped();
    let common = Common::default();
    let (one, other) = common.pair().await;
    let here = one.session("2025-11-25").await;
    let there = elsewhere(&here, &other);
    let mut stream = there.listen(None).await;
    let watched = json!({"uri": "test://watched"});
    agrees(&there, "resources/subscribe", watched).await;
    clock.pass(Duration::from_secs(3)).await;

    common.wire.cut();
    change(&here).await;
    clock.pass(Duration::from_secs(5)).await;
    common.wire.mend();
    let told = read_until(&mut stream, "resources/updated");
    clock.run_until(Duration::from_millis(100), told).await;
    clock.pass(Duration::from_secs(5)).await;
    there.ask(&call(9, "grow", json!({}))).await;
    let told = read_until(&mut stream, "tools/list_changed");
    let told = clock.run_until(Duration::from_millis(100), told).await;
    // No replica has reported a change of this list, but one may have been missed.
    assert!(told.contains("resources/list_changed"), "{told}");
    assert!(!told.contains("resources/updated"), "{told}");
}

#[tokio::test]
async fn messages_of_others_are_ignored() {
    let common = Common::default();
    let (one, other) = common.pair().await;
    let here = one.session("2025-11-25").await;
    let mut stream = here.listen(None).await;
    for message in [
        "",
        "{}",
        "null",
        r#"{"format":9,"from":1,"content":{"changes":["tools"]}}"#,
    ] {
        common.wire.publish(message.into()).await.unwrap();
    }
    let unknown = json!({"format": 1, "from": 1, "content": {"forwarded": {
        "session": "unknown", "number": 1, "body": {"jsonrpc": "1.0"},
    }}});
    common
        .wire
        .publish(unknown.to_string().into())
        .await
        .unwrap();
    change(&elsewhere(&here, &other)).await;
    in_time(read_until(&mut stream, "tools/list_changed")).await;
}

struct Asks;

#[mcp_server]
impl Asks {
    /// Asks in the function.
    #[tool]
    async fn inside(&self, cx: &Context) -> Result<String, AskError> {
        cx.elicit("Your name?").await
    }
}

struct AsksByParameter;

#[mcp_server]
impl AsksByParameter {
    /// Asks with a parameter.
    #[tool]
    fn outside(&self, #[elicit("Your name?")] name: String) -> String {
        name
    }
}

#[tokio::test]
async fn a_server_that_asks_needs_keys_which_replicas_share() {
    let common = Common::default();
    let serve = |server: Server| server.serve(http("127.0.0.1:0").options(common.options()));
    let refused = in_time(serve(AsksByParameter.into_server()).into_future()).await;
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("`outside`") && refused.contains("state_keys"),
        "{refused}"
    );

    let mut call = stateless(1, "tools/call", json!({"name": "inside", "arguments": {}}));
    call["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}});
    let site = Site::of_with(&Asks.into_server(), common.options());
    let answer = site.ask(&call).await;
    assert!(answer.body.contains("`state_keys`"), "{answer:?}");
    let mut server = Asks.into_builder();
    server.state_keys([StateKey::new([7; 32])]);
    let site = Site::of_with(&server.build(), common.options());
    let answer = site.ask(&call).await;
    assert!(answer.body.contains("input_required"), "{answer:?}");
}
