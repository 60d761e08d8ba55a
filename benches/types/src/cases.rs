//! What is measured: pairs of our way and the one to compare it with.

use std::hint::black_box;

use mcp_types::jsonrpc::{Frame, Message, write};
use mcp_types::{CallToolRequestParamsRef, ContentBlock, ListToolsResult, RawJsonRef};
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
    vec![
        call(),
        list(),
        blocks(),
        blocks_of_messages(),
        blocks_of_serde_json(),
        blocks_tag_last(),
        encode(),
    ]
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
    Pair {
        what: "decode a list of 50 tools, 27 KB",
        ours: decode::<ListToolsResult>("list-ours", samples::list()),
        other: with_serde_json::<ideal::List>("list-ideal", samples::list()),
        bar: 1.7,
    }
}

fn blocks() -> Pair {
    Pair {
        what: "decode 20 content blocks, beside serde's derived enums",
        ours: by_itself::<Vec<ContentBlock>>("blocks-ours", samples::blocks()),
        other: with_serde_json::<Vec<ideal::Block>>("blocks-serde", samples::blocks()),
        bar: 1.0 / 1.3,
    }
}

fn blocks_of_messages() -> Pair {
    Pair {
        what: "the same, ours as a part of a message: found valid first",
        ours: decode::<Vec<ContentBlock>>("part-ours", samples::blocks()),
        other: with_serde_json::<Vec<ideal::Block>>("part-serde", samples::blocks()),
        bar: 1.0,
    }
}

fn blocks_of_serde_json() -> Pair {
    Pair {
        what: "the same, ours also read by serde_json",
        ours: with_serde_json::<Vec<ContentBlock>>("json-ours", samples::blocks()),
        other: with_serde_json::<Vec<ideal::Block>>("json-serde", samples::blocks()),
        bar: 1.0,
    }
}

fn blocks_tag_last() -> Pair {
    let text = samples::blocks_tag_last();
    Pair {
        what: "the same blocks with their tag last",
        ours: by_itself::<Vec<ContentBlock>>("last-ours", text.clone()),
        other: with_serde_json::<Vec<ideal::Block>>("last-serde", text),
        bar: 1.0,
    }
}

/// From text to a value in one pass, by this project's own reader.
fn by_itself<T: DeserializeOwned>(name: &'static str, text: String) -> Case {
    case(name, move || {
        let value: T = mcp_types::from_str(black_box(&text)).expect("the sample fits");
        black_box(value);
    })
}

/// From text to a value as messages go: the text is found valid, and then read.
fn decode<T: DeserializeOwned>(name: &'static str, text: String) -> Case {
    case(name, move || {
        let json = RawJsonRef::from_text(black_box(&text)).expect("the sample is JSON");
        let value: T = json.parse().expect("the sample fits");
        black_box(value);
    })
}

fn with_serde_json<T: DeserializeOwned>(name: &'static str, text: String) -> Case {
    case(name, move || {
        let value: T = serde_json::from_str(black_box(&text)).expect("the sample fits");
        black_box(value);
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
            write::value(&mut out, black_box(&list));
            black_box(out);
        }),
        other: case("encode-copy", move || {
            black_box(black_box(&text).clone());
        }),
        bar: f64::INFINITY,
    }
}
