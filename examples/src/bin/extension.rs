//! An extension of the protocol: declared to clients, with a method of its own.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use serde_json::{Map, Value};

/// Parameters of the extension's method.
#[derive(Deserialize)]
struct Area {
    width: u32,
    height: u32,
}

/// Result of the extension's method.
#[derive(Serialize)]
struct Tiles {
    tiles: u64,
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    let mut settings = Map::new();
    settings.insert("tileSize".to_owned(), Value::from(16));

    let mut server = Server::builder();
    server.name("extension").version(env!("CARGO_PKG_VERSION"));
    server.extension("com.example/tiles", settings);
    server.method("com.example/tiles/count", async |area: Area, _| {
        let tiles = |length: u32| u64::from(length.div_ceil(16));
        Ok::<_, ProtocolError>(Tiles {
            tiles: tiles(area.width) * tiles(area.height),
        })
    });
    server.build().serve(stdio()).await
}
