//! Tests the lifecycles of a client and a server over a simulated connection that delays, loses,
//! duplicates and reorders messages, and breaks.

#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mcp_types::{RawJsonRef, Revision, ServerCapabilities, ServerCapabilitiesTools, methods};
use proptest::prelude::*;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::protocol::{
    Admission, ClientLifecycle, LifecycleState, Negotiated, Pending, RequestParams,
    ServerLifecycle, ServerRules, Timeouts,
};

/// An event of a random sequence.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send(&'static str),
    ToServer,
    ToClient,
    Serve,
    ServerPings,
    LoseToServer,
    LoseToClient,
    DoubleToServer,
    DoubleToClient,
    SwapToClient,
    Pass(u64),
    ServerShutsDown,
    ClientShutsDown,
    Cut,
}

#[derive(Clone, Debug)]
enum FromClient {
    Request(i64, &'static str, Box<RawValue>),
    Initialized,
    Cancelled(i64),
}

#[derive(Clone, Copy, Debug)]
enum FromServer {
    Answer(i64, bool),
    Ping,
}

struct World {
    client: ClientLifecycle,
    server: ServerLifecycle,
    stateless: bool,
    pending: Pending<&'static str>,
    in_flight: Vec<i64>,
    to_server: VecDeque<FromClient>,
    to_client: VecDeque<FromServer>,
    /// How often each request was settled, by an answer or otherwise.
    settled: HashMap<i64, u32>,
    refusals: u32,
    now: Instant,
}

const TIMEOUTS: Timeouts = Timeouts {
    idle: Duration::from_secs(60),
    total: Duration::from_secs(60),
    reset_on_progress: false,
};

impl World {
    fn new() -> Self {
        Self {
            client: ClientLifecycle::new(),
            server: ServerLifecycle::new(ServerRules::default()),
            stateless: false,
            pending: Pending::new(),
            in_flight: Vec::new(),
            to_server: VecDeque::new(),
            to_client: VecDeque::new(),
            settled: HashMap::new(),
            refusals: 0,
            now: Instant::now(),
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Send(method) => self.send(method),
            Step::ToServer => self.deliver_to_server(),
            Step::ToClient => self.deliver_to_client(),
            Step::Serve => {
                if !self.in_flight.is_empty() {
                    let id = self.in_flight.remove(0);
                    self.to_client.push_back(FromServer::Answer(id, true));
                }
            }
            Step::ServerPings => self.to_client.push_back(FromServer::Ping),
            Step::LoseToServer => drop(self.to_server.pop_front()),
            Step::LoseToClient => drop(self.to_client.pop_front()),
            Step::DoubleToServer => self.to_server.extend(self.to_server.front().cloned()),
            Step::DoubleToClient => self.to_client.extend(self.to_client.front().copied()),
            Step::SwapToClient => {
                if self.to_client.len() > 1 {
                    self.to_client.swap(0, 1);
                }
            }
            Step::Pass(seconds) => self.pass(Duration::from_secs(seconds)),
            Step::ServerShutsDown => self.server.connection.shut_down(),
            Step::ClientShutsDown => self.close_client(),
            Step::Cut => self.cut(),
        }
    }

    fn send(&mut self, method: &'static str) {
        let state = self.client.state;
        if self.client.send(method).is_err() {
            return;
        }
        let allowed = match state {
            LifecycleState::Uninitialized => {
                matches!(
                    method,
                    methods::INITIALIZE | methods::SERVER_DISCOVER | methods::PING
                )
            }
            LifecycleState::Initializing | LifecycleState::Initialized => method == methods::PING,
            LifecycleState::Operating => method != methods::INITIALIZE,
            LifecycleState::ShuttingDown | LifecycleState::Terminated => false,
        };
        assert!(allowed, "`{method}` is sent while {state}");
        let id = i64::try_from(self.settled.len()).unwrap();
        self.settled.insert(id, 0);
        self.pending.insert(id, method, TIMEOUTS, self.now);
        let params = self.params(method);
        self.to_server
            .push_back(FromClient::Request(id, method, params));
    }

    fn params(&self, method: &str) -> Box<RawValue> {
        let params = match method {
            methods::INITIALIZE => json!({
                "protocolVersion": Revision::LATEST_HANDSHAKE,
                "capabilities": {},
                "clientInfo": {"name": "pair", "version": "1"},
            }),
            methods::SERVER_DISCOVER => meta(),
            _ if self.stateless => meta(),
            _ => json!({}),
        };
        to_raw_value(&params).unwrap()
    }

    fn deliver_to_server(&mut self) {
        match self.to_server.pop_front() {
            Some(FromClient::Request(id, method, params)) => {
                let admitted = self.server.request(method, || {
                    RequestParams::read(Some(RawJsonRef::from(&*params)))
                });
                match admitted {
                    _ if self.in_flight.contains(&id) => self.refuse(id),
                    Ok(Admission::Initialize(_) | Admission::Ping) => {
                        self.to_client.push_back(FromServer::Answer(id, true));
                    }
                    Ok(Admission::Serve(..)) => {
                        let state = self.server.connection.state;
                        let alone = params.get().contains("protocolVersion");
                        let open = match state {
                            LifecycleState::Initialized | LifecycleState::Operating => true,
                            LifecycleState::Uninitialized | LifecycleState::Initializing => alone,
                            LifecycleState::ShuttingDown | LifecycleState::Terminated => false,
                        };
                        assert!(open, "`{method}` is served while {state}");
                        self.in_flight.push(id);
                    }
                    Err(_) => self.refuse(id),
                }
            }
            Some(FromClient::Initialized) => {
                self.server.initialized();
                self.server.connection.operate();
            }
            Some(FromClient::Cancelled(id)) => self.in_flight.retain(|served| *served != id),
            None => {}
        }
    }

    fn refuse(&mut self, id: i64) {
        self.refusals += 1;
        self.to_client.push_back(FromServer::Answer(id, false));
    }

    fn deliver_to_client(&mut self) {
        match self.to_client.pop_front() {
            Some(FromServer::Answer(id, accepted)) => {
                if let Some(method) = self.pending.remove(id) {
                    self.settle(id);
                    self.answered(method, accepted);
                }
            }
            Some(FromServer::Ping) => {
                let answered = self.client.request(methods::PING).is_ok();
                let over = self.client.send(methods::PING).is_err();
                assert!(
                    answered || over || self.stateless,
                    "a ping is answered while alive"
                );
            }
            None => {}
        }
    }

    fn answered(&mut self, method: &str, accepted: bool) {
        let revision = match method {
            methods::INITIALIZE => Revision::LATEST_HANDSHAKE,
            methods::SERVER_DISCOVER => Revision::LATEST,
            _ => return,
        };
        if !accepted {
            return self.close_client();
        }
        let tools = ServerCapabilitiesTools::new();
        let negotiated = Arc::new(Negotiated {
            revision,
            peer_info: None,
            peer_capabilities: ServerCapabilities::new().with_tools(tools),
            instructions: None,
        });
        if method == methods::SERVER_DISCOVER {
            self.stateless |= self.client.discovered(negotiated);
        } else if self.client.initialized(negotiated) {
            self.to_server.push_back(FromClient::Initialized);
            self.client.operate();
        }
    }

    fn settle(&mut self, id: i64) {
        *self.settled.get_mut(&id).unwrap() += 1;
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        for (id, _, waited) in self.pending.expire(self.now) {
            assert!(waited >= TIMEOUTS.idle);
            self.settle(id);
            self.to_server.push_back(FromClient::Cancelled(id));
        }
    }

    fn close_client(&mut self) {
        self.client.shut_down();
        let abandoned: Vec<_> = self.pending.drain().map(|(id, _)| id).collect();
        for id in abandoned {
            self.settle(id);
            self.to_server.push_back(FromClient::Cancelled(id));
        }
    }

    fn cut(&mut self) {
        self.close_client();
        self.client.terminate();
        self.server.connection.terminate();
        self.to_server.clear();
        self.to_client.clear();
        self.in_flight.clear();
    }

    /// Delivers and serves all remaining messages without faults, and lets lost requests expire.
    fn heal(&mut self) {
        while !(self.to_server.is_empty() && self.to_client.is_empty() && self.in_flight.is_empty())
        {
            self.step(Step::ToServer);
            self.step(Step::Serve);
            self.step(Step::ToClient);
        }
        self.pass(TIMEOUTS.total);
        while !self.to_server.is_empty() {
            self.step(Step::ToServer);
        }
    }

    /// Checks that each request was settled exactly once, and nothing is left over.
    fn check(&self) {
        for (id, times) in &self.settled {
            assert_eq!(*times, 1, "request {id}");
        }
        assert_eq!(self.pending.next_deadline(), None);
        assert_eq!(self.in_flight, [] as [i64; 0]);
    }
}

fn meta() -> serde_json::Value {
    json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": Revision::LATEST,
        "io.modelcontextprotocol/clientCapabilities": {},
    }})
}

fn send() -> impl Strategy<Value = Step> {
    prop_oneof![
        Just(methods::INITIALIZE),
        Just(methods::SERVER_DISCOVER),
        Just(methods::PING),
        Just(methods::TOOLS_LIST),
        Just(methods::TOOLS_CALL),
    ]
    .prop_map(Step::Send)
}

fn good_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => send(),
        4 => Just(Step::ToServer),
        4 => Just(Step::ToClient),
        3 => Just(Step::Serve),
        1 => Just(Step::ServerPings),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => good_step(),
        1 => Just(Step::LoseToServer),
        1 => Just(Step::LoseToClient),
        1 => Just(Step::DoubleToServer),
        1 => Just(Step::DoubleToClient),
        1 => Just(Step::SwapToClient),
        1 => (1..70_u64).prop_map(Step::Pass),
        1 => prop_oneof![
            Just(Step::ServerShutsDown),
            Just(Step::ClientShutsDown),
            Just(Step::Cut),
        ],
    ]
}

fn run(steps: &[Step]) -> World {
    let mut world = World::new();
    for step in steps {
        world.step(*step);
        let most = world.settled.values().max();
        assert!(most.is_none_or(|times| *times <= 1), "answered twice");
    }
    world.heal();
    world.check();
    world
}

proptest! {
    #[test]
    fn whatever_happens_each_request_is_settled_once(
        steps in prop::collection::vec(any_step(), 0..120),
    ) {
        run(&steps);
    }

    #[test]
    fn without_faults_a_server_never_refuses_what_a_client_may_send(
        steps in prop::collection::vec(good_step(), 0..120),
    ) {
        prop_assert_eq!(run(&steps).refusals, 0);
    }
}
