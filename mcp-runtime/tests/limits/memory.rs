//! Limits of connections in memory.

use futures_util::FutureExt as _;
use mcp_runtime::transport::{FrameWriter as _, Outbox, Transport as _, memory};

driven! {
    MEMORY_BYTES by memory_bytes,
}

async fn memory_bytes() {
    let (ours, _theirs) = memory::pair();
    let (_reader, mut writer) = ours.open().await.unwrap();
    let mut outbox = Outbox::new();
    let pushed = outbox.push(|out| {
        out.extend_from_slice(&[b'x'; 100_000]);
        Ok::<_, ()>(())
    });
    pushed.unwrap();
    let before = outbox.len();
    // The connection takes as many bytes as there is room for.
    while writer.write(&mut outbox).now_or_never().is_some() {}
    assert_eq!(before - outbox.len(), 64 * 1024);
}
