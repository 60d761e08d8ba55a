//! Slow clients that try to occupy connections.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::Outcome;

/// How long the server waits for the head of a request.
pub const PATIENCE: Duration = Duration::from_secs(2);
const CONNECTIONS: usize = 100;

/// Sends request heads byte by byte on several connections, and waits until the server closes them.
pub async fn cut(addr: SocketAddr) -> Outcome {
    let start = Instant::now();
    let mut slow = JoinSet::new();
    for _ in 0..CONNECTIONS {
        slow.spawn(dribble(addr));
    }
    while let Some(ended) = slow.join_next().await {
        tokio::time::timeout(10 * PATIENCE, async { ended }).await???;
    }
    let took = start.elapsed();
    println!("{CONNECTIONS} slow connections: all cut within {took:.1?}");
    if took > 3 * PATIENCE {
        return Err("slow connections were kept for too long".into());
    }
    Ok(())
}

async fn dribble(addr: SocketAddr) -> Outcome {
    let stream = TcpStream::connect(addr).await?;
    let (mut reader, mut writer) = stream.into_split();
    let writing = tokio::spawn(async move {
        let head = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-slow: ";
        for byte in head.iter().chain(std::iter::repeat(&b'x')) {
            if writer.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    // The server may answer with an error, close the connection, or reset it.
    let _ = reader.read_to_end(&mut Vec::new()).await;
    writing.abort();
    Ok(())
}
