//! The measured pairs: mcp-types, and an alternative to compare it with.

use std::hint::black_box;

use mcp_types::jsonrpc::{Frame, Message, write};
use mcp_types::{ContentBlock, ListToolsResult, RequestParamsRef};
use serde::de::DeserializeOwned;

use crate::{ideal, samples};

/// An operation that is repeated many times.
pub struct Case {
    pub name: &'static str,
    pub run: Box<dyn Fn()>,
}

/// Two implementations of the same operation.
pub struct Pair {
    pub what: &'static str,
    pub ours: Case,
    pub other: Case,
    /// The maximum ratio of the time of `ours` to the time of `other`.
    pub bar: f64,
}

fn case(name: &'static str, run: impl Fn() + 'static) -> Case {
    Case {
        name,
        run: Box::new(run),
    }
}

pub fn pairs() -> Vec<Pair> {
    vec![call(), list(), blocks(), encode()]
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
            let params: RequestParamsRef<'_> = params.parse().expect("the sample is a call");
            black_box((id, method, params));
        }),
        other: case("call-ideal", || {
            let call: ideal::Call<'_> =
                serde_json::from_slice(black_box(samples::CALL).as_bytes()).expect("a call");
            black_box(call);
        }),
        bar: 1.3,
    }
}

fn list() -> Pair {
    Pair {
        what: "decode a list of 50 tools, 27 KB",
        ours: with_serde_json::<ListToolsResult>("list-ours", samples::list()),
        other: with_serde_json::<ideal::List>("list-ideal", samples::list()),
        bar: 1.3,
    }
}

fn blocks() -> Pair {
    Pair {
        what: "decode 20 content blocks, beside serde's derived enums",
        ours: with_serde_json::<Vec<ContentBlock>>("blocks-ours", samples::blocks()),
        other: with_serde_json::<Vec<ideal::Block>>("blocks-serde", samples::blocks()),
        bar: 1.3,
    }
}

fn with_serde_json<T: DeserializeOwned>(name: &'static str, text: String) -> Case {
    case(name, move || {
        let value: T = serde_json::from_str(black_box(&text)).expect("the sample fits");
        black_box(value);
    })
}

fn encode() -> Pair {
    let list: ListToolsResult = serde_json::from_str(&samples::list()).expect("a list");
    let ideal: ideal::List = serde_json::from_str(&samples::list()).expect("a list");
    Pair {
        what: "encode the list of 50 tools, beside plain derived structs",
        ours: case("encode-ours", move || {
            let mut out = Vec::new();
            write::value(&mut out, black_box(&list));
            black_box(out);
        }),
        other: case("encode-ideal", move || {
            black_box(serde_json::to_vec(black_box(&ideal)).expect("a list has a JSON form"));
        }),
        bar: 1.3,
    }
}
