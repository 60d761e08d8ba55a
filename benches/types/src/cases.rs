//! What is measured: pairs of our way and the one to compare it with.

use std::hint::black_box;

use mcp_types::jsonrpc::{Frame, Message};
use mcp_types::{CallToolRequestParamsRef, ContentBlock, ListToolsResult};

use serde::de::DeserializeOwned;

use crate::{ideal, samples};

/// One thing to do, many times.
pub struct Case {
    pub name: &'static str,
    pub run: Box<dyn Fn()>,
}

/// Two ways of doing the same, and how they may compare.
pub struct Pair {
    pub what: &'static str,
    pub ours: Case,
    pub other: Case,
    /// The bar for ours divided by the other.
    pub bar: f64,
}

fn case(name: &'static str, run: impl Fn() + 'static) -> Case {
    Case {
        name,
        run: Box::new(run),
    }
}

pub fn pairs() -> Vec<Pair> {
    vec![call(), list(), blocks(), blocks_tag_last(), encode()]
}

fn call() -> Pair {
    Pair {
        what: "decode a call of 201 bytes to its method and borrowed parameters",
        ours: case("call-ours", || {
            let Ok(Frame::Single(Message::Request { id, method, params })) =
                Frame::parse(black_box(samples::CALL).as_bytes())
            else {
                panic!("the sample is a request");
            };
            let params = params.expect("the sample has parameters");
            let params: CallToolRequestParamsRef<'_> =
                params.parse().expect("the sample is a call");
            black_box((id, method, params));
        }),
        other: case("call-ideal", || {
            let call: ideal::Call<'_> =
                serde_json::from_slice(black_box(samples::CALL).as_bytes()).expect("a call");
            black_box(call);
        }),
        bar: 1.8,
    }
}

fn list() -> Pair {
    let (ours, ideal) = (samples::list(), samples::list());
    Pair {
        what: "decode a list of 50 tools, 27 KB",
        ours: case("list-ours", move || {
            let list: ListToolsResult = serde_json::from_str(black_box(&ours)).expect("a list");
            black_box(list);
        }),
        other: case("list-ideal", move || {
            let list: ideal::List = serde_json::from_str(black_box(&ideal)).expect("a list");
            black_box(list);
        }),
        bar: 1.7,
    }
}

fn blocks() -> Pair {
    Pair {
        what: "decode 20 content blocks, beside serde's derived enums",
        ours: decode_all::<ContentBlock>("blocks-ours", samples::blocks()),
        other: decode_all::<ideal::Block>("blocks-serde", samples::blocks()),
        bar: 1.0 / 1.3,
    }
}

fn blocks_tag_last() -> Pair {
    Pair {
        what: "the same blocks with their tag last",
        ours: decode_all::<ContentBlock>("last-ours", samples::blocks_tag_last()),
        other: decode_all::<ideal::Block>("last-serde", samples::blocks_tag_last()),
        bar: f64::INFINITY,
    }
}

fn decode_all<T: DeserializeOwned>(name: &'static str, text: String) -> Case {
    case(name, move || {
        let values: Vec<T> = serde_json::from_str(black_box(&text)).expect("the sample fits");
        black_box(values);
    })
}

fn encode() -> Pair {
    let list: ListToolsResult = serde_json::from_str(&samples::list()).expect("a list");
    let text = serde_json::to_vec(&list).expect("a list has a JSON form");
    let capacity = text.len();
    Pair {
        what: "encode the list of 50 tools, beside copying its bytes",
        ours: case("encode-ours", move || {
            let mut out = Vec::with_capacity(capacity);
            serde_json::to_writer(&mut out, black_box(&list)).expect("a list has a JSON form");
            black_box(out);
        }),
        other: case("encode-copy", move || {
            black_box(black_box(&text).clone());
        }),
        bar: f64::INFINITY,
    }
}
