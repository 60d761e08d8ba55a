//! A gateway that sends each line as an HTTP request, and returns the answers as lines.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Cursor;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::{Body, Frame};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use mcp_runtime::transport::http::{HttpOptions, http as listen};
use mcp_runtime::transport::memory::{self, Memory};
use mcp_runtime::transport::{FrameReader, FrameWriter, Incoming, Outbox, Transport};
use mcp_runtime::{ServeError, Server};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tower_service::Service as _;

use crate::support::faults::{Bytes, next_seed, relay};
use crate::support::mounted::mounted;
use crate::support::over::{Line, Over};

/// The state of the client's connection in the gateway.
#[derive(Default)]
struct Known {
    session: Option<String>,
    stateless: bool,
}

pub(crate) struct Http;

impl Over for Http {
    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        (ours, serve(server, theirs).await)
    }
}

/// HTTP over a socket whose bytes arrive in pieces.
pub(crate) struct DribblingHttp;

impl Over for DribblingHttp {
    // Each request has its own connection.
    const KEEPS_ORDER: bool = false;

    async fn line(server: &Server) -> Line {
        let (ours, theirs) = memory::pair();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let serve = server.serve(listen(listener)).signals(false);
        let shutdown = serve.shutdown_handle();
        let serving = tokio::spawn(serve.into_future());
        let addr = relay(addr, Bytes::Dribble, next_seed()).await;
        let passing = pass_on(theirs, move |request| async move {
            let stream = TokioIo::new(TcpStream::connect(addr).await.unwrap());
            let (mut sender, connection) = http1::handshake(stream).await.unwrap();
            tokio::spawn(connection);
            sender.send_request(request).await.unwrap()
        });
        let serving = tokio::spawn(async move {
            passing.await.unwrap().unwrap();
            shutdown.shut_down();
            serving.await.unwrap()
        });
        (ours, serving)
    }
}

async fn serve(server: &Server, line: Memory) -> JoinHandle<Result<(), ServeError>> {
    let service = mounted(server.clone(), HttpOptions::default()).await;
    pass_on(line, move |request| {
        let mut service = service.clone();
        async move { service.call(request).await.unwrap() }
    })
}

fn pass_on<F, B>(
    line: Memory,
    send: impl Fn(Request<Once>) -> F + Clone + Send + 'static,
) -> JoinHandle<Result<(), ServeError>>
where
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data: AsRef<[u8]>> + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        let (mut reader, mut writer) = line.open().await.unwrap();
        let (sender, mut answers) = unbounded_channel::<Vec<u8>>();
        let known = Arc::default();
        let mut posts = JoinSet::new();
        let mut open = true;
        while open || !posts.is_empty() {
            while let Some(Incoming::Frame(frame)) = reader.next_frame() {
                let known = Arc::clone(&known);
                let sender = sender.clone();
                let posted = post(send.clone(), frame.to_vec(), known, sender);
                posts.spawn(posted);
            }
            tokio::select! {
                more = reader.fill(), if open => open = more.unwrap(),
                Some(_) = posts.join_next(), if !posts.is_empty() => {}
                Some(answer) = answers.recv() => write(&mut writer, &answer).await,
            }
        }
        while let Ok(answer) = answers.try_recv() {
            write(&mut writer, &answer).await;
        }
        writer.close().await.unwrap();
        Ok(())
    })
}

async fn write(writer: &mut <Memory as Transport>::Writer, answer: &[u8]) {
    let mut outbox = Outbox::new();
    let Ok(()) = outbox.push(|out| {
        out.extend_from_slice(answer);
        Ok::<_, Infallible>(())
    });
    // A test may stop reading once it has seen enough.
    while !outbox.is_empty() && writer.write(&mut outbox).await.is_ok() {}
}

async fn post<F, B>(
    send: impl Fn(Request<Once>) -> F,
    frame: Vec<u8>,
    known: Arc<Mutex<Known>>,
    answers: UnboundedSender<Vec<u8>>,
) where
    F: Future<Output = Response<B>>,
    B: Body<Data: AsRef<[u8]>> + Unpin,
{
    let request = request(&frame, &mut known.lock().unwrap());
    let response = send(request).await;
    if let Some(id) = response.headers().get("mcp-session-id") {
        known.lock().unwrap().session = Some(id.to_str().unwrap().to_owned());
    }
    let wants_answer = !is_notification_or_response(&frame);
    if wants_answer {
        for message in messages(response).await {
            let _ = answers.send(message);
        }
    }
}

/// Returns true for messages without an answer. Only the HTTP status reports an error about them.
fn is_notification_or_response(frame: &[u8]) -> bool {
    serde_json::from_slice::<Value>(frame).is_ok_and(|message| {
        let one_of_both = message.get("id").is_some() != message.get("method").is_some();
        let params = message.get("params");
        one_of_both && params.is_none_or(Value::is_object)
    })
}

fn request(frame: &[u8], known: &mut Known) -> Request<Once> {
    let message: Value = serde_json::from_slice(frame).unwrap_or_default();
    let meta = &message["params"]["_meta"];
    let version = meta["io.modelcontextprotocol/protocolVersion"].as_str();
    let terms = meta.get("io.modelcontextprotocol/clientCapabilities");
    let unreadable = message.get("method").is_none() && known.session.is_none();
    let only_stateless = message["method"] == "server/discover";
    let stateless =
        version.is_some() || terms.is_some() || only_stateless || (unreadable && known.stateless);
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json");
    if stateless {
        known.stateless = true;
        request = request.header("mcp-protocol-version", version.unwrap_or("2026-07-28"));
        if let Some(method) = message["method"].as_str() {
            request = request.header("mcp-method", method);
        }
        if let Some(name) = message["params"]["name"].as_str() {
            request = request.header("mcp-name", name);
        }
    } else if let Some(session) = &known.session {
        request = request.header("mcp-session-id", session);
    }
    request.body(Once(Some(frame.to_vec()))).unwrap()
}

/// A body that consists of one piece.
struct Once(Option<Vec<u8>>);

impl Body for Once {
    type Data = Cursor<Vec<u8>>;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Infallible>>> {
        Poll::Ready(
            self.0
                .take()
                .map(|bytes| Ok(Frame::data(Cursor::new(bytes)))),
        )
    }
}

async fn messages(response: Response<impl Body<Data: AsRef<[u8]>> + Unpin>) -> Vec<Vec<u8>> {
    let streams = response.headers().get("content-type");
    let streams = streams.is_some_and(|kind| kind == "text/event-stream");
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(data.as_ref());
        }
    }
    if !streams {
        return if bytes.is_empty() {
            Vec::new()
        } else {
            vec![bytes]
        };
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| line.strip_prefix(b"data: "))
        .map(<[u8]>::to_vec)
        .collect()
}
