//! Answers requests from a recording.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::{fs, io};

use mcp_types::jsonrpc::code;
use mcp_types::{
    ErrorObject, InitializeRequest, PingRequest, RawJsonRef, Request, RequestId,
    SubscriptionsListenRequest, meta_keys,
};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

use super::{
    ByteStream, FrameReader, FrameWriter, Incoming, LineReader, LineWriter, Outbox, Transport,
};
use crate::limits::{EXCERPT_CHARS, MEMORY_BYTES};

/// A server that answers from a [recording](crate::Recording), without the program that was recorded.
///
/// Connect a [`Client`](crate::Client) to it, or [serve](Self::serve) it to a client over another
/// transport. A recording then is a fixture for tests, or the part of a bug report that can be run:
///
/// ```
/// # use mcp_runtime::prelude::*;
/// use mcp_runtime::testing::{self, Recording, Replay};
/// use mcp_runtime::Client;
/// use serde_json::json;
/// # struct Calculator;
/// # #[mcp_server(name = "calculator", version = "1.0.0")]
/// # impl Calculator {
/// #     /// Adds two whole numbers.
/// #     #[tool]
/// #     fn add(&self, a: i64, b: i64) -> i64 { a + b }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("add.jsonl");
/// let recording = Recording::to_file(&file)?;
/// let client = testing::connect(Calculator).record(&recording).await?;
/// client.call::<i64>("add", json!({"a": 2, "b": 3})).await?;
///
/// let client = Client::builder("test", "1.0.0").connect(Replay::from_file(&file)?).await?;
/// assert_eq!(client.call::<i64>("add", json!({"a": 2, "b": 3})).await?, 5);
/// # Ok(())
/// # }
/// ```
///
/// A request gets the answer of a recorded request with the same method and parameters. Ids, `_meta`
/// and the order of members are not compared. Several equal requests get their answers in the order of
/// the recording, and the last answer is repeated. The messages that the server sent before an
/// answer, such as progress, log messages and its own requests, are sent again. The parameters of `initialize` are not
/// compared, because they describe the client, and `ping` is always answered. Another request gets an
/// error that names the file and the most similar request in it.
#[derive(Clone, Debug)]
pub struct Replay {
    name: String,
    requests: Vec<RecordedRequest>,
    /// The messages that follow the client's answers to requests of the server.
    paused: HashMap<RequestId, Vec<String>>,
    is_cut: bool,
}

/// A request of the client, and the messages that the server sent for it.
#[derive(Clone, Debug)]
struct RecordedRequest {
    line: usize,
    connection: u64,
    id: RequestId,
    token: Option<RequestId>,
    /// The method and the parameters that are compared.
    request: String,
    messages: Vec<String>,
    is_answered: bool,
    is_used: bool,
}

#[derive(Deserialize)]
struct RecordedLine<'a> {
    connection: u64,
    from: Cow<'a, str>,
    #[serde(alias = "text", borrow)]
    message: RawJsonRef<'a>,
}

/// The members of a message that decide what it belongs to.
#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<RequestId>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<RawJsonRef<'a>>,
}

impl Replay {
    /// Reads a recording from the file at `path`.
    ///
    /// An incomplete last line is left out, because a process that records can be killed at any time;
    /// see [`is_cut`](Self::is_cut).
    ///
    /// # Errors
    ///
    /// When the file can't be read. When a line is not the line of a recording, or no request is
    /// recorded, the kind is [`InvalidData`](io::ErrorKind::InvalidData), and the message has the
    /// number of the line.
    pub fn from_file(path: impl AsRef<Path>) -> io::Result<Self> {
        let invalid = |number, reason| {
            let text = format!("line {number} {reason}");
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        let mut replay = Self {
            name: path.as_ref().display().to_string(),
            requests: Vec::new(),
            paused: HashMap::new(),
            is_cut: false,
        };
        let text = fs::read(path)?;
        for (number, line) in (1..).zip(String::from_utf8_lossy(&text).split_inclusive('\n')) {
            match serde_json::from_str(line) {
                Ok(line) => replay.add(number, &line),
                Err(_) if line.trim().is_empty() => {}
                Err(_) if number > 1 && !line.ends_with('\n') => replay.is_cut = true,
                Err(_) => return Err(invalid(number, "is not a recorded message")),
            }
        }
        if replay.requests.is_empty() {
            return Err(invalid(1, "and the others have no request of a client"));
        }
        Ok(replay)
    }

    /// Returns true if the last line of the file was incomplete, and is left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn add(&mut self, number: usize, line: &RecordedLine<'_>) {
        let connection = line.connection;
        for (json, message) in messages(line.message.get()) {
            let params = message.params.unwrap_or(RawJsonRef::empty_object());
            let of_connection = |it: &&mut RecordedRequest| it.connection == connection;
            let mut requests = self.requests.iter_mut().rev().filter(of_connection);
            let recorded = match (&*line.from, &message.method, message.id) {
                ("client", Some(method), Some(id)) => {
                    self.requests.push(RecordedRequest {
                        line: number,
                        connection,
                        id,
                        token: token(params),
                        request: compared(method, params),
                        messages: Vec::new(),
                        is_answered: false,
                        is_used: false,
                    });
                    continue;
                }
                ("server", None, Some(id)) => requests.find(|it| it.id == id),
                // A message that names no request most likely belongs to the last one.
                ("server", Some(_), _) => match named(params) {
                    Some(id) => requests.find(|it| it.id == id || it.token.as_ref() == Some(&id)),
                    None => requests.next(),
                },
                _ => None,
            };
            if let Some(recorded) = recorded {
                recorded.messages.push(json.get().to_owned());
                recorded.is_answered |= message.method.is_none();
            }
        }
    }

    /// Answers the requests of one client until it closes the connection.
    ///
    /// # Errors
    ///
    /// When the transport can't be opened, or the connection is lost.
    pub async fn serve(mut self, transport: impl Transport) -> io::Result<()> {
        let (mut reader, mut writer) = transport.open().await?;
        let mut outbox = Outbox::new();
        let mut is_open = true;
        while is_open {
            is_open = reader.fill().await?;
            while let Some(incoming) = reader.next_frame() {
                if let Incoming::Frame(frame) = incoming {
                    for line in self.answers(&String::from_utf8_lossy(frame)) {
                        outbox.push(|bytes| io::Write::write_all(bytes, line.as_bytes()))?;
                    }
                }
            }
            while !outbox.is_empty() {
                writer.write(&mut outbox).await?;
            }
        }
        writer.close().await
    }

    /// The messages to send after a message or a batch of the client.
    fn answers(&mut self, text: &str) -> Vec<String> {
        let mut answers = Vec::new();
        for (_, message) in messages(text) {
            let mut messages = match (message.method, message.id) {
                (Some(method), Some(id)) => self.replayed(&method, message.params, &id),
                (None, Some(id)) => self.paused.remove(&id).unwrap_or_default(),
                _ => continue,
            };
            let asked = messages.iter().position(|it| asks(it).is_some());
            let end = asked.map_or(messages.len(), |it| it + 1);
            let later = messages.split_off(end);
            // The server waits for the answer to its own request.
            if let Some(id) = messages.last().and_then(|it| asks(it)) {
                self.paused.insert(id, later);
            }
            answers.extend(messages);
        }
        answers
    }

    fn replayed(
        &mut self,
        method: &str,
        params: Option<RawJsonRef<'_>>,
        id: &RequestId,
    ) -> Vec<String> {
        let params = params.unwrap_or(RawJsonRef::empty_object());
        let request = compared(method, params);
        let same = || {
            self.requests
                .iter()
                .enumerate()
                .filter(|it| it.1.request == request)
        };
        let next = same().find(|it| !it.1.is_used).or(same().next_back());
        let response = |member: &str, value: Value| {
            json!({"jsonrpc": "2.0", "id": id, member: value}).to_string()
        };
        let Some((index, recorded)) = next else {
            return vec![match method {
                PingRequest::METHOD => response("result", json!({})),
                _ => response("error", json!(self.unknown(method, &request))),
            }];
        };
        let token = token(params);
        let messages = recorded.messages.iter();
        let messages = messages.map(|it| recorded.readdressed(it, id, token.as_ref()));
        let mut messages: Vec<_> = messages.collect();
        if !recorded.is_answered && method != SubscriptionsListenRequest::METHOD {
            let text = format!("{}: line {} has no answer", self.name, recorded.line);
            messages.push(response(
                "error",
                json!(ErrorObject::new(code::INTERNAL_ERROR, text)),
            ));
        }
        self.requests[index].is_used = true;
        messages
    }

    fn unknown(&self, method: &str, request: &str) -> ErrorObject {
        let is_same = |it: &RecordedRequest| it.request.split(' ').next() == Some(method);
        let code = match self.requests.iter().any(is_same) {
            true => code::INVALID_PARAMS,
            false => code::METHOD_NOT_FOUND,
        };
        let likeness = |it: &&RecordedRequest| {
            let is_equal = |(a, b): &(char, char)| a == b;
            let starts = it.request.chars().zip(request.chars());
            let ends = it.request.chars().rev().zip(request.chars().rev());
            starts.take_while(is_equal).count() + ends.take_while(is_equal).count()
        };
        let name = &self.name;
        let mut text = format!("{name} has no request {}", excerpt(request));
        if let Some(nearest) = self.requests.iter().max_by_key(likeness) {
            let (line, request) = (nearest.line, excerpt(&nearest.request));
            text += &format!("; the nearest is on line {line}: {request}");
        }
        ErrorObject::new(code, text)
    }
}

impl Transport for Replay {
    type Reader = LineReader<ReadHalf<DuplexStream>>;
    type Writer = LineWriter<WriteHalf<DuplexStream>>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (ours, theirs) = tokio::io::duplex(MEMORY_BYTES);
        let (reader, writer) = tokio::io::split(theirs);
        // The connection is lost only when the client has closed it.
        tokio::spawn(self.serve(ByteStream::new(reader, writer)));
        let (reader, writer) = tokio::io::split(ours);
        ByteStream::new(reader, writer).open().await
    }
}

impl RecordedRequest {
    /// A recorded message with the id and the token of the request that it is sent for.
    fn readdressed(&self, message: &str, id: &RequestId, token: Option<&RequestId>) -> String {
        let (own, id) = (json!(self.id).to_string(), json!(id).to_string());
        let [id_path, result, params, progress]: [&[&str]; 4] = [
            &["id"],
            &["result", "_meta", meta_keys::SUBSCRIPTION_ID],
            &["params", "_meta", meta_keys::SUBSCRIPTION_ID],
            &["params", "progressToken"],
        ];
        if messages(message).iter().any(|it| it.1.method.is_none()) {
            return with(&with(message, id_path, &own, &id), result, &own, &id);
        }
        let message = with(message, params, &own, &id);
        match (&self.token, token) {
            (Some(own), Some(new)) => with(
                &message,
                progress,
                &json!(own).to_string(),
                &json!(new).to_string(),
            ),
            _ => message,
        }
    }
}

/// The messages of a batch, or the only message.
fn messages(text: &str) -> Vec<(RawJsonRef<'_>, Envelope<'_>)> {
    let json = RawJsonRef::from_text(text).ok();
    let all = json.map(|it| it.elements().unwrap_or_else(|_| vec![it]));
    let all = all.unwrap_or_default().into_iter();
    all.filter_map(|it| Some((it, it.parse().ok()?))).collect()
}

/// The id of a request.
fn asks(message: &str) -> Option<RequestId> {
    let message = messages(message).pop()?.1;
    message.id.filter(|_| message.method.is_some())
}

/// The method and the parameters, except for `_meta`, with sorted members.
fn compared(method: &str, params: RawJsonRef<'_>) -> String {
    let mut value = params.parse().unwrap_or_else(|_| json!(params.get()));
    if let Value::Object(members) = &mut value {
        members.remove("_meta");
        if method == InitializeRequest::METHOD {
            members.clear();
        }
    }
    value.sort_all_objects();
    format!("{method} {value}")
}

/// The id or token of the request that a notification is about.
fn named(params: RawJsonRef<'_>) -> Option<RequestId> {
    let subscription = || params.member("_meta")?.member(meta_keys::SUBSCRIPTION_ID);
    params
        .member("progressToken")
        .or_else(subscription)?
        .parse()
        .ok()
}

fn token(params: RawJsonRef<'_>) -> Option<RequestId> {
    params
        .member("_meta")?
        .member("progressToken")?
        .parse()
        .ok()
}

/// The JSON with a new value of the member at `path`, if the member has the old value.
fn with(json: &str, path: &[&str], old: &str, new: &str) -> String {
    let Some((first, rest)) = path.split_first() else {
        return if json == old { new } else { json }.to_owned();
    };
    let members = RawJsonRef::from_text(json).and_then(RawJsonRef::members);
    let Ok(members) = members else {
        return json.to_owned();
    };
    let members = members.into_iter().map(|(name, value)| {
        let value = match name == *first {
            true => with(value.get(), rest, old, new),
            false => value.get().to_owned(),
        };
        format!("{}:{value}", Value::from(name))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT_CHARS).collect()
}
