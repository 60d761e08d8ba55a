//! Answers requests from a recording.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::{fs, io};

use mcp_types::jsonrpc::code;
use mcp_types::{
    DiscoverRequest, ErrorObject, InitializeRequest, PingRequest, RawJsonRef, Request, RequestId,
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
/// the recording, and the last answer is repeated. What the server sent before an answer, such as
/// progress, log messages and its own requests, is sent again. `initialize` and `server/discover` also
/// match if other clients send them, and `ping` is always answered. Another request gets an error that
/// names the file and the most similar request in it.
#[derive(Clone, Debug)]
pub struct Replay {
    name: String,
    exchanges: Vec<Exchange>,
    /// The exchanges that are left for each request.
    left: HashMap<String, VecDeque<usize>>,
    /// The messages that follow the client's answers to requests of the server.
    paused: HashMap<RequestId, VecDeque<String>>,
    is_cut: bool,
}

/// A request of the client, and the messages that the server sent for it.
#[derive(Clone, Debug)]
struct Exchange {
    line: usize,
    /// The method and the parameters that are compared.
    request: String,
    id: RequestId,
    token: Option<RequestId>,
    messages: Vec<String>,
    is_answered: bool,
}

#[derive(Deserialize)]
struct Line<'a> {
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

/// The state of reading a recording.
#[derive(Default)]
struct Reading {
    exchanges: Vec<Exchange>,
    /// Messages of the server that belong to the next answer of their connection.
    waiting: HashMap<u64, Vec<String>>,
    /// The requests of each connection that have no answer yet.
    open: Vec<(u64, usize)>,
    /// The last answered request of each connection.
    last: HashMap<u64, usize>,
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
        let name = path.as_ref().display().to_string();
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidData, reason);
        let mut reading = Reading::default();
        let mut is_cut = false;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            match serde_json::from_str::<Line<'_>>(line) {
                _ if line.trim().is_empty() => {}
                Ok(line) => reading.add(number, &line),
                Err(_) if number > 1 && !line.ends_with('\n') => is_cut = true,
                _ => return Err(invalid(format!("line {number} is not a recorded message"))),
            }
        }
        for (connection, messages) in reading.waiting {
            if let Some(last) = reading.last.get(&connection) {
                reading.exchanges[*last].messages.extend(messages);
            }
        }
        if reading.exchanges.is_empty() {
            return Err(invalid(
                "line 1: no request of a client is recorded".to_owned(),
            ));
        }
        let mut left: HashMap<_, VecDeque<_>> = HashMap::new();
        for (index, exchange) in reading.exchanges.iter().enumerate() {
            let same = left.entry(exchange.request.clone()).or_default();
            same.push_back(index);
        }
        Ok(Self {
            name,
            exchanges: reading.exchanges,
            left,
            paused: HashMap::new(),
            is_cut,
        })
    }

    /// Returns true if the last line of the file was incomplete, and is left out.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.is_cut
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
                let Incoming::Frame(frame) = incoming else {
                    continue;
                };
                for line in self.answers(&String::from_utf8_lossy(frame)) {
                    let write = |bytes: &mut Vec<u8>| io::Write::write_all(bytes, line.as_bytes());
                    outbox.push(write)?;
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
        let messages = messages(text);
        let messages = messages
            .iter()
            .filter_map(|it| it.parse::<Envelope<'_>>().ok());
        let answers = messages.flat_map(|message| match (message.method, message.id) {
            (Some(method), Some(id)) => {
                let params = message.params.unwrap_or(RawJsonRef::empty_object());
                let messages = self.replayed(&method, params, &id);
                self.until_asked(messages)
            }
            (None, Some(id)) => {
                let messages = self.paused.remove(&id).unwrap_or_default();
                self.until_asked(messages)
            }
            _ => Vec::new(),
        });
        answers.collect()
    }

    /// Takes the messages up to a request of the server. The others follow its answer.
    fn until_asked(&mut self, mut messages: VecDeque<String>) -> Vec<String> {
        let mut sent = Vec::new();
        while let Some(message) = messages.pop_front() {
            let envelope = serde_json::from_str::<Envelope<'_>>(&message).ok();
            let asks = envelope
                .filter(|it| it.method.is_some())
                .and_then(|it| it.id);
            sent.push(message);
            if let Some(id) = asks {
                self.paused.insert(id, messages);
                break;
            }
        }
        sent
    }

    fn replayed(
        &mut self,
        method: &str,
        params: RawJsonRef<'_>,
        id: &RequestId,
    ) -> VecDeque<String> {
        let request = compared(method, params);
        let same = self.left.get_mut(&request);
        let exact = same.and_then(|it| {
            if it.len() > 1 {
                it.pop_front()
            } else {
                it.front().copied()
            }
        });
        let by_method = || {
            let is_any = [InitializeRequest::METHOD, DiscoverRequest::METHOD].contains(&method);
            let mut exchanges = self.exchanges.iter();
            exchanges.position(|it| is_any && it.method() == method)
        };
        let Some(index) = exact.or_else(by_method) else {
            let answer = match method {
                PingRequest::METHOD => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
                _ => json!({"jsonrpc": "2.0", "id": id, "error": self.unknown(method, &request)}),
            };
            return [answer.to_string()].into();
        };
        let exchange = &self.exchanges[index];
        let token = token(params);
        let messages = exchange.messages.iter();
        let mut messages: VecDeque<_> = messages
            .map(|it| exchange.readdressed(it, id, token.as_ref()))
            .collect();
        if !exchange.is_answered && method != SubscriptionsListenRequest::METHOD {
            let text = format!(
                "{} has no answer to the request on line {}",
                self.name, exchange.line
            );
            let error = ErrorObject::new(code::INTERNAL_ERROR, text);
            messages.push_back(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
        }
        messages
    }

    fn unknown(&self, method: &str, request: &str) -> ErrorObject {
        let is_known = self.exchanges.iter().any(|it| it.method() == method);
        let code = if is_known {
            code::INVALID_PARAMS
        } else {
            code::METHOD_NOT_FOUND
        };
        let likeness = |it: &&Exchange| {
            let pairs = it.request.chars().zip(request.chars());
            let ends = it.request.chars().rev().zip(request.chars().rev());
            let common = |(a, b): &(char, char)| a == b;
            pairs.take_while(common).count() + ends.take_while(common).count()
        };
        let nearest = self.exchanges.iter().max_by_key(likeness);
        let nearest = nearest.map(|it| {
            format!(
                "; the nearest is on line {}: {}",
                it.line,
                excerpt(&it.request)
            )
        });
        let name = &self.name;
        let text = format!(
            "{name} has no request {}{}",
            excerpt(request),
            nearest.unwrap_or_default()
        );
        ErrorObject::new(code, text)
    }
}

impl Transport for Replay {
    type Reader = LineReader<ReadHalf<DuplexStream>>;
    type Writer = LineWriter<WriteHalf<DuplexStream>>;

    async fn open(self) -> io::Result<(Self::Reader, Self::Writer)> {
        let (ours, theirs) = tokio::io::duplex(MEMORY_BYTES);
        let stream = |end| {
            let (reader, writer) = tokio::io::split(end);
            ByteStream::new(reader, writer)
        };
        // The connection is lost only when the client has closed it.
        tokio::spawn(self.serve(stream(theirs)));
        stream(ours).open().await
    }
}

impl Exchange {
    fn method(&self) -> &str {
        self.request.split(' ').next().unwrap_or_default()
    }

    /// A recorded message with the id and the token of the request that it is sent for.
    fn readdressed(&self, message: &str, id: &RequestId, token: Option<&RequestId>) -> String {
        let mut json = message.to_owned();
        let mut replace = |path: &[&str], old: &RequestId, new: &RequestId| {
            json = with(
                &json,
                path,
                &json!(old).to_string(),
                &json!(new).to_string(),
            );
        };
        let subscription = ["_meta", meta_keys::SUBSCRIPTION_ID];
        if matches!(
            serde_json::from_str(message),
            Ok(Envelope { method: None, .. })
        ) {
            replace(&["id"], &self.id, id);
            replace(&["result", subscription[0], subscription[1]], &self.id, id);
        } else {
            replace(&["params", subscription[0], subscription[1]], &self.id, id);
            if let (Some(recorded), Some(token)) = (&self.token, token) {
                replace(&["params", "progressToken"], recorded, token);
            }
        }
        json
    }
}

impl Reading {
    fn add(&mut self, number: usize, line: &Line<'_>) {
        let connection = line.connection;
        for json in messages(line.message.get()) {
            let Ok(envelope) = json.parse::<Envelope<'_>>() else {
                continue;
            };
            let params = envelope.params.unwrap_or(RawJsonRef::empty_object());
            match (&*line.from, envelope.method, envelope.id) {
                ("client", Some(method), Some(id)) => {
                    self.open.push((connection, self.exchanges.len()));
                    self.exchanges.push(Exchange {
                        line: number,
                        request: compared(&method, params),
                        id,
                        token: token(params),
                        messages: Vec::new(),
                        is_answered: false,
                    });
                }
                ("client", ..) => {}
                (_, Some(_), _) => self.add_before_answer(connection, params, json),
                (_, None, Some(id)) => self.add_answer(connection, &id, json),
                _ => {}
            }
        }
    }

    /// Adds a message to the request that it names, or else to the only one that has no answer yet.
    fn add_before_answer(&mut self, connection: u64, params: RawJsonRef<'_>, json: RawJsonRef<'_>) {
        let id = |it: RawJsonRef<'_>| it.parse::<RequestId>().ok();
        let token = params.member("progressToken").and_then(id);
        let meta = params.member("_meta");
        let subscription = meta
            .and_then(|it| it.member(meta_keys::SUBSCRIPTION_ID))
            .and_then(id);
        let open = self.open.iter().filter(|it| it.0 == connection);
        let open: Vec<_> = open.map(|it| it.1).collect();
        let named = open.iter().find(|it| {
            let exchange = &self.exchanges[**it];
            token.is_some() && exchange.token == token
                || subscription.as_ref() == Some(&exchange.id)
        });
        let only = if let [only] = &*open {
            Some(only)
        } else {
            None
        };
        let messages = match named.or(only) {
            Some(index) => &mut self.exchanges[*index].messages,
            None => self.waiting.entry(connection).or_default(),
        };
        messages.push(json.get().to_owned());
    }

    fn add_answer(&mut self, connection: u64, id: &RequestId, json: RawJsonRef<'_>) {
        let exchanges = &mut self.exchanges;
        let is_its = |it: &(u64, usize)| it.0 == connection && exchanges[it.1].id == *id;
        let Some(place) = self.open.iter().position(is_its) else {
            return;
        };
        let (_, index) = self.open.remove(place);
        let exchange = &mut exchanges[index];
        exchange
            .messages
            .extend(self.waiting.remove(&connection).unwrap_or_default());
        exchange.messages.push(json.get().to_owned());
        exchange.is_answered = true;
        self.last.insert(connection, index);
    }
}

/// The messages of a batch, or the only message.
fn messages(text: &str) -> Vec<RawJsonRef<'_>> {
    let json = RawJsonRef::from_text(text);
    json.map_or_else(
        |_| Vec::new(),
        |it| it.elements().unwrap_or_else(|_| vec![it]),
    )
}

/// The method and the parameters, except for `_meta`, with sorted members.
fn compared(method: &str, params: RawJsonRef<'_>) -> String {
    let Ok(mut value) = params.parse::<Value>() else {
        return format!("{method} {params}");
    };
    if let Some(members) = value.as_object_mut() {
        members.remove("_meta");
    }
    value.sort_all_objects();
    format!("{method} {value}")
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
    let members = RawJsonRef::from_text(json).and_then(RawJsonRef::members);
    match (path.split_first(), members) {
        (None, _) if json == old => new.to_owned(),
        (Some((first, rest)), Ok(members)) if members.iter().any(|it| it.0 == *first) => {
            let members = members.into_iter().map(|(name, value)| {
                let is_its = name == *first;
                let value = value.get();
                let value = is_its
                    .then(|| with(value, rest, old, new))
                    .unwrap_or(value.to_owned());
                format!("{}:{value}", Value::from(name))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        _ => json.to_owned(),
    }
}

fn excerpt(text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
