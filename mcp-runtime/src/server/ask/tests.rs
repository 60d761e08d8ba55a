//! What becomes of a state that comes back, up to the door of the handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_types::jsonrpc::code;
use mcp_types::{
    CallToolResult, ClientCapabilities, ErrorObject, RawJson, RawJsonRef, RequestId, Revision, Tool,
};
use serde_json::{Value, json};

use super::asking::Memory;
use super::state::{Binding, now};
use crate::connection::{Peer, Served};
use crate::protocol::{Admission, Negotiated, RequestParams};
use crate::server::tools::{ToolRoute, ToolSpec};
use crate::server::{Reply, Server, dispatch};

/// A server, and how often its tool was entered.
fn server() -> (Server, Arc<AtomicUsize>) {
    let entered = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&entered);
    let mut server = Server::builder();
    let tool = Tool::new("t", RawJson::empty_object());
    server.tool_route(ToolRoute::new(tool, move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
        Reply::Ready(Ok(CallToolResult::new([])))
    }));
    (server.build(), entered)
}

fn binding(method: &str, tool: &str, arguments: &Value) -> Binding {
    let arguments = RawJson::from(arguments.clone());
    Binding::new(method, tool, Some(RawJsonRef::from(&arguments)), None).unwrap()
}

fn issued(server: &Server, binding: &Binding, at: u64) -> String {
    let states = &server.settings().asking.states;
    states.issue(&Memory::default(), binding, at).unwrap()
}

fn retry(server: &Server, state: &str) -> Result<(), ErrorObject> {
    let params = json!({"name": "t", "arguments": {"a": 1}, "requestState": state});
    let params = RawJson::from(params);
    let (peer, _commands) = Peer::channel();
    let call = dispatch::Call {
        id: &RequestId::Number(1),
        method: "tools/call",
        params: Some(RawJsonRef::from(&params)),
        peer: &peer,
        session: &server.session(),
    };
    let negotiated = Negotiated {
        revision: Revision::LATEST,
        peer_info: None,
        peer_capabilities: ClientCapabilities::new(),
        instructions: None,
    };
    let params = RequestParams::read(call.params).unwrap();
    match server.dispatch(call, || Ok(Admission::Serve(Arc::new(negotiated), params))) {
        Served::Now(outcome) => outcome.map(drop),
        _ => panic!("the tool answers at once"),
    }
}

#[test]
fn only_the_state_of_this_very_call_opens_the_door() {
    let (ours, entered) = server();
    let (theirs, _) = server();
    let own = binding("tools/call", "t", &json!({"a": 1}));
    let mut tampered = issued(&ours, &own, now()).into_bytes();
    let middle = tampered.len() / 2;
    tampered[middle] ^= 1;
    let refused = [
        String::from_utf8(tampered).unwrap(),
        issued(&ours, &own, now() - 601),
        issued(&theirs, &own, now()),
        issued(&ours, &binding("tools/call", "t", &json!({"a": 2})), now()),
        issued(&ours, &binding("tools/call", "u", &json!({"a": 1})), now()),
        issued(&ours, &binding("prompts/get", "t", &json!({"a": 1})), now()),
    ];
    for state in refused {
        let error = retry(&ours, &state).unwrap_err();
        assert_eq!(error.code, code::INVALID_PARAMS, "{error}");
    }
    assert_eq!(entered.load(Ordering::SeqCst), 0);
    assert_eq!(retry(&ours, &issued(&ours, &own, now())), Ok(()));
    assert_eq!(entered.load(Ordering::SeqCst), 1);
}

#[test]
fn a_state_that_was_not_given_out_opens_no_tool() {
    let mut server = Server::builder();
    server.tool_route(ToolSpec::new("t").route(|_| panic!("it was entered")));
    let error = retry(&server.build(), "never given out").unwrap_err();
    assert_eq!(error.code, code::INVALID_PARAMS, "{error}");
}
