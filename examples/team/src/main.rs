//! The tasks of a team, as part of an axum app. Users sign in with a token. Tools know their
//! caller, and ask with forms.
//!
//! Run it with `cargo run -p mcp-example-team 127.0.0.1:8080`. Clients connect to
//! `http://127.0.0.1:8080/mcp` with the header `Authorization: Bearer token-of-ann`.

mod tasks;
mod users;

use axum::{Extension, Json, Router, extract::State, middleware, routing::get};
use mcp_runtime::transport::http::{HttpOptions, http_service};
use tasks::{Task, Team};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use users::User;

#[mcp_runtime::main]
async fn main() -> anyhow::Result<()> {
    let address = std::env::args().nth(1).unwrap_or("127.0.0.1:0".into());
    let listener = TcpListener::bind(address).await?;
    eprintln!("http://{}", listener.local_addr()?);

    let team = Team::default();
    let mcp = http_service(team.clone(), HttpOptions::default());
    let guard = mcp.start().await?;
    let app = Router::new()
        .route("/tasks", get(tasks))
        .route_service("/mcp", mcp)
        .layer(middleware::from_fn(users::sign_in))
        .with_state(team);
    let (ended, end) = oneshot::channel();
    let shutdown = async {
        // If the signal handler can't be installed, the default action still ends the process.
        let _ = tokio::signal::ctrl_c().await;
        let _ = ended.send(guard.shut_down().await);
    };
    axum::serve(listener, app)
        .with_graceful_shutdown(shutdown)
        .await?;
    end.await??;
    Ok(())
}

/// Serves the tasks to web pages and other programs.
async fn tasks(State(team): State<Team>, Extension(user): Extension<User>) -> Json<Vec<Task>> {
    Json(team.list_tasks(&user))
}
