//! Faults between two peers, driven by a seed: bytes that dribble, stall or break off, and messages
//! that are repeated, delayed or answered twice.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use mcp_runtime::transport::memory::{self, Memory};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::lines::Lines;

/// The environment variable that sets the first seed, to repeat a run.
const VARIABLE: &str = "MCP_TEST_SEED";
/// The environment variable that sets how many seeds a test runs.
const RUNS: &str = "MCP_TEST_RUNS";

/// Returns the seed of the next connection. It differs each time, and is shown if the test fails.
#[allow(clippy::print_stderr)]
pub fn next_seed() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let seed = first_seed() + NEXT.fetch_add(1, Ordering::Relaxed);
    eprintln!("{VARIABLE}={seed}");
    seed
}

/// Returns the seeds of a test: `runs` seeds, unless the environment variable sets their number.
pub fn seeds(runs: u64) -> impl Iterator<Item = u64> {
    let runs = number(RUNS).unwrap_or(runs);
    first_seed()..first_seed() + runs
}

fn first_seed() -> u64 {
    number(VARIABLE).unwrap_or(1)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Pseudo-random numbers from a seed (SplitMix64).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    /// Returns true once in `n` times on average.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A stream whose bytes are read and written in pieces with pauses in between, and that may break
/// off.
pub struct Faulty<S> {
    stream: S,
    numbers: Numbers,
    /// The number of bytes until the stream breaks off.
    left: Option<usize>,
}

impl<S> Faulty<S> {
    /// Creates a stream that eventually delivers everything.
    pub fn dribbling(stream: S, seed: u64) -> Self {
        Self {
            stream,
            numbers: Numbers::new(seed),
            left: None,
        }
    }

    /// Creates a stream that breaks off after `bytes` bytes in both directions together.
    pub fn cut_after(stream: S, bytes: usize, seed: u64) -> Self {
        Self {
            left: Some(bytes),
            ..Self::dribbling(stream, seed)
        }
    }

    /// Returns the size of the next piece.
    fn piece(&mut self, cx: &Context<'_>) -> Poll<io::Result<usize>> {
        if self.left == Some(0) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        if self.numbers.once_in(4) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let size = 1 << self.numbers.below(14);
        Poll::Ready(Ok(self.left.map_or(size, |left| left.min(size))))
    }

    fn passed(&mut self, bytes: usize) {
        if let Some(left) = &mut self.left {
            *left -= bytes;
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Faulty<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let size = std::task::ready!(self.piece(cx))?;
        let mut bytes = [0; 8192];
        let size = size.min(bytes.len()).min(buffer.remaining());
        let mut piece = ReadBuf::new(&mut bytes[..size]);
        std::task::ready!(Pin::new(&mut self.stream).poll_read(cx, &mut piece))?;
        buffer.put_slice(piece.filled());
        let read = piece.filled().len();
        self.passed(read);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Faulty<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let size = std::task::ready!(self.piece(cx))?.min(bytes.len());
        let written = std::task::ready!(Pin::new(&mut self.stream).poll_write(cx, &bytes[..size]))?;
        self.passed(written);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The faults of each connection through a [`relay`].
#[derive(Clone, Copy)]
pub enum Bytes {
    /// All bytes arrive, in pieces.
    Dribble,
    /// Every connection breaks off somewhere in its first bytes.
    Cut,
    /// This number of connections break off; on later ones all bytes arrive.
    CutFirst(u64),
}

/// Passes bytes to `target` with faults, and returns the address to connect to.
pub async fn relay(target: SocketAddr, bytes: Bytes, seed: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for number in 0.. {
            let Ok((stream, _)) = listener.accept().await else {
                return;
            };
            let seed = seed.wrapping_mul(1000) + number;
            tokio::spawn(async move {
                let mut stream = faulty(stream, bytes, number, seed);
                if let Ok(mut server) = TcpStream::connect(target).await {
                    // Errors are expected because of the faults.
                    let _ = copy_bidirectional(&mut stream, &mut server).await;
                }
            });
        }
    });
    addr
}

/// The maximum number of bytes before a connection breaks off, which is within the handshake or the
/// first few calls.
const LONGEST: u64 = 4000;

/// Adds faults to a connection. `number` is the number of earlier connections.
pub fn faulty<S>(stream: S, bytes: Bytes, number: u64, seed: u64) -> Faulty<S> {
    let is_cut = match bytes {
        Bytes::Dribble => false,
        Bytes::Cut => true,
        Bytes::CutFirst(connections) => number < connections,
    };
    if is_cut {
        let left = Numbers::new(seed).below(LONGEST) as usize;
        Faulty::cut_after(stream, left, seed)
    } else {
        Faulty::dribbling(stream, seed)
    }
}

/// Passes messages between a client and a server, and repeats, delays and invents some of them
/// depending on the seed: requests arrive twice, and answers arrive twice, late, or for requests
/// that do not exist. No message is lost.
pub fn meddle(seed: u64) -> (Memory, Memory, JoinHandle<()>) {
    let (ours, client) = memory::pair();
    let (theirs, from_server) = memory::pair();
    let meddling = tokio::spawn(async move {
        let mut client = Lines::open(client).await;
        let mut server = Lines::open(from_server).await;
        let mut numbers = Numbers::new(seed);
        let mut answered = Vec::new();
        let mut held = Vec::new();
        let mut is_open = true;
        while is_open {
            tokio::select! {
                biased;
                message = server.next() => {
                    is_open = message.is_some();
                    held.extend(message);
                    if numbers.once_in(3) {
                        // Hold this message back until the next one arrives.
                        continue;
                    }
                }
                message = client.next() => {
                    is_open = message.is_some();
                    if let Some(message) = message {
                        is_open &= server.offer(&message).await;
                        if message["method"] == "tools/call" && numbers.once_in(4) {
                            is_open &= server.offer(&message).await;
                        }
                    }
                }
                () = tokio::task::yield_now(), if !held.is_empty() => {}
            }
            while !held.is_empty() {
                let next = numbers.below(held.len() as u64) as usize;
                let message: Value = held.swap_remove(next);
                is_open &= client.offer(&message).await;
                if message.get("method").is_none() {
                    answered.push(message);
                    for message in false_answers(&mut numbers, &answered) {
                        is_open &= client.offer(&message).await;
                    }
                }
            }
        }
        server.finish().await;
    });
    (ours, theirs, meddling)
}

/// Returns answers that nothing waits for.
fn false_answers(numbers: &mut Numbers, answered: &[Value]) -> Vec<Value> {
    let mut answers = Vec::new();
    if numbers.once_in(3) {
        let earlier = numbers.below(answered.len() as u64) as usize;
        answers.push(answered[earlier].clone());
    }
    if numbers.once_in(5) {
        let id = 1_000_000 + numbers.below(1000);
        let result = json!({"content": [{"type": "text", "text": "nobody's"}]});
        answers.push(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
    if numbers.once_in(5) {
        let id = format!("{}", numbers.below(10));
        answers.push(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -1, "message": "no"}}));
    }
    answers
}
