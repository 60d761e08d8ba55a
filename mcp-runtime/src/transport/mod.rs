//! Transports: connections that carry frames of bytes between two peers.
//!
//! A [`Transport`] is independent of the protocol: it opens a reader and a writer of frames, and the
//! connection's driver does the rest. Transports that send lines of text over a byte stream (stdio,
//! sockets, memory) share one codec, [`LineReader`] and [`LineWriter`].

#[cfg(any(feature = "http-server", feature = "socket"))]
mod address;
#[cfg(feature = "client")]
pub mod child_process;
#[cfg(any(feature = "http-client", feature = "http-server"))]
pub mod http;
pub mod memory;
#[cfg(any(feature = "http-client", feature = "websocket"))]
mod server_address;
#[cfg(feature = "socket")]
pub mod socket;
#[cfg(feature = "stdio")]
mod stdio;
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
#[cfg(all(feature = "http-server", feature = "websocket"))]
pub use self::websocket::{websocket_server, websocket_service};
pub use crate::connection::{
    ByteStream, FrameReader, FrameWriter, Incoming, LineReader, LineWriter, Outbox,
    PrincipalChanges, Transport,
};
pub use crate::limits::MAX_FRAME_BYTES;
#[cfg(all(feature = "server", any(feature = "http-server", feature = "socket")))]
pub use address::TcpAddress;
#[cfg(feature = "client")]
pub use child_process::ChildProcess;
#[cfg(not(feature = "http-server"))]
pub use no_http::http;
#[cfg(any(feature = "http-client", feature = "websocket"))]
pub use server_address::UrlTransport;
#[cfg(all(feature = "server", feature = "socket"))]
pub use socket::tcp;
#[cfg(all(unix, feature = "server", feature = "socket"))]
pub use socket::unix;
#[cfg(feature = "stdio")]
pub use stdio::{Stdio, stdio};

/// A replacement for `http` in builds without the feature `http-server`, so that the compiler's
/// error names the feature.
pub(crate) mod no_http {
    /// The type of [`http`] in builds without the feature `http-server`. It is not a function, so
    /// calling it fails.
    #[derive(Debug)]
    pub struct NeedsFeatureHttpServer(());

    /// Streamable HTTP needs the feature `http-server`, which this build does not have:
    ///
    /// ```toml
    /// mcp-runtime = { version = "…", features = ["http-server"] }
    /// ```
    #[allow(non_upper_case_globals, reason = "it replaces a function of this name")]
    pub const http: NeedsFeatureHttpServer = NeedsFeatureHttpServer(());
}
