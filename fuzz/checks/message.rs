//! Checks the rules for parsing messages, on arbitrary bytes.
//!
//! Parsing never panics. An accepted message can be written on one line and parsed back as the same
//! message. An error can be answered. Bytes that are not JSON according to serde_json, or that are
//! nested too deeply, are refused or are a malformed response.

use mcp_types::jsonrpc::write::{self, ErrorId};
use mcp_types::jsonrpc::{ErrorObject, Frame, InvalidMessage, Message, code};
use mcp_types::{RawJsonRef, RequestId};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Panics if a rule is broken.
pub(crate) fn check(bytes: &[u8]) {
    let frame = Frame::parse(bytes);
    let refused = match &frame {
        Err(invalid) => invalid.error.code == code::PARSE_ERROR,
        Ok(Frame::Single(Message::InvalidResponse { reason, .. })) => {
            reason.starts_with("Parse error")
        }
        Ok(_) => false,
    };
    let text = std::str::from_utf8(bytes);
    let json = text.is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
    let deep = frame
        .as_ref()
        .is_err_and(|error| error.to_string().contains("nested deeper"))
        || matches!(&frame, Ok(Frame::Single(Message::InvalidResponse { reason, .. }))
            if reason.contains("nested deeper"));
    assert_eq!(refused, !json || deep, "{text:?}");
    match frame {
        Ok(Frame::Single(message)) => check_message(&message),
        Ok(Frame::Batch(members)) => {
            assert!(!members.is_empty(), "an empty batch was accepted");
            for member in &members {
                match member {
                    Ok(message) => check_message(message),
                    Err(invalid) => check_invalid(invalid),
                }
            }
        }
        Err(invalid) => check_invalid(&invalid),
    }
}

fn check_message(message: &Message<'_>) {
    if let Message::InvalidResponse { reason, .. } = message {
        assert!(!reason.is_empty(), "a fault has no name");
        return;
    }
    let mut line = Vec::new();
    write_message(&mut line, message);
    assert!(
        !line.contains(&b'\n') && !line.contains(&b'\r'),
        "more than one line"
    );
    let Ok(Frame::Single(again)) = Frame::parse(&line) else {
        panic!("not read again: {}", String::from_utf8_lossy(&line));
    };
    assert_eq!(parts(message), parts(&again));
}

fn write_message(line: &mut Vec<u8>, message: &Message<'_>) {
    match message {
        Message::Request { id, method, params } => {
            write::request(line, id, method, params.as_ref());
        }
        Message::Notification { method, params } => {
            write::notification(line, method, params.as_ref());
        }
        Message::Response {
            id: Some(id),
            outcome: Ok(result),
        } => write::result(line, id, result),
        Message::Response {
            id,
            outcome: Err(error),
        } => write_error(line, id.as_ref(), error),
        Message::Response { id: None, .. } => panic!("a result without an id was accepted"),
        Message::InvalidResponse { .. } => panic!("a malformed response has no message to write"),
    }
}

fn write_error(line: &mut Vec<u8>, id: Option<&RequestId>, error: &ErrorObject) {
    write::error(line, id.map_or(ErrorId::Null, ErrorId::Of), error);
}

/// Checks that a refusal has a JSON-RPC error code and can be sent.
fn check_invalid(invalid: &InvalidMessage) {
    let codes = [code::PARSE_ERROR, code::INVALID_REQUEST];
    assert!(codes.contains(&invalid.error.code), "{invalid:?}");
    let mut line = Vec::new();
    write_error(&mut line, invalid.id.as_ref(), &invalid.error);
    assert!(matches!(
        Frame::parse(&line),
        Ok(Frame::Single(Message::Response {
            outcome: Err(_),
            ..
        }))
    ));
}

/// Returns the content of a message, without insignificant white space.
fn parts(message: &Message<'_>) -> (Option<RequestId>, String, Option<Value>) {
    match message {
        Message::Request { id, method, params } => {
            (Some(id.clone()), method.to_string(), value(*params))
        }
        Message::Notification { method, params } => (None, method.to_string(), value(*params)),
        Message::Response { id, outcome } => match outcome {
            Ok(result) => (id.clone(), "result".into(), value(Some(*result))),
            Err(error) => {
                let data = error.data.as_ref().map(RawJsonRef::from);
                let text = format!("error {} {}", error.code, error.message);
                (id.clone(), text, value(data))
            }
        },
        Message::InvalidResponse { id, reason } => (id.clone(), reason.clone(), None),
    }
}

fn value(raw: Option<RawJsonRef<'_>>) -> Option<Value> {
    serde_json::from_str(raw?.get()).ok()
}
