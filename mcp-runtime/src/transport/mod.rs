//! How frames of bytes travel between two peers.
//!
//! A [`Transport`] knows nothing of the protocol: it turns into a reader and a writer of frames,
//! and the driver does the rest. What travels as lines of text over a byte stream (stdio, a
//! socket, a pipe in memory) shares one codec, [`LineReader`] and [`LineWriter`].

#[cfg(all(feature = "server", any(feature = "http-server", feature = "socket")))]
mod address;
#[cfg(feature = "client")]
pub mod child_process;
mod frame;
#[cfg(any(feature = "http-client", feature = "http-server"))]
pub mod http;
mod line;
pub mod memory;
mod outbox;
#[cfg(any(feature = "http-server", feature = "socket"))]
mod place;
#[cfg(any(feature = "http-client", feature = "websocket"))]
mod sent_headers;
#[cfg(any(feature = "http-client", feature = "websocket"))]
mod server_url;
#[cfg(feature = "socket")]
pub mod socket;
#[cfg(feature = "stdio")]
mod stdio;
mod stream;
#[cfg(any(feature = "http-client", feature = "websocket"))]
mod tls;
#[cfg(feature = "websocket")]
pub mod websocket;

#[cfg(feature = "http-client")]
pub use self::http::client as http_client;
#[cfg(feature = "http-client")]
pub use self::http::client::http_client;
#[cfg(feature = "http-server")]
pub use self::http::http;
#[cfg(feature = "websocket")]
pub use self::websocket::websocket;
#[cfg(all(feature = "server", any(feature = "http-server", feature = "socket")))]
pub use address::TcpAddress;
#[cfg(feature = "client")]
pub use child_process::ChildProcess;
pub use frame::{DEFAULT_MAX_FRAME_BYTES, FrameReader, FrameWriter, Incoming, Transport};
pub use line::{LineReader, LineWriter};
pub use outbox::Outbox;
#[cfg(all(feature = "server", feature = "socket"))]
pub use socket::tcp;
#[cfg(all(unix, feature = "server", feature = "socket"))]
pub use socket::unix;
#[cfg(feature = "stdio")]
pub use stdio::{Stdio, stdio};
pub use stream::ByteStream;
