//! A small implementation of the documented API, to run the example without a real one.

use std::{collections::BTreeMap, io, sync::Arc};

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Mutex;

/// The books, keyed by ISBN.
type Books = State<Arc<Mutex<BTreeMap<String, Value>>>>;

/// Serves an empty shop on a free local port, and returns its URL.
pub(crate) async fn start() -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let router = Router::new()
        .route("/books", get(list).post(add))
        .route("/books/{isbn}", get(find).delete(remove))
        .with_state(Arc::default());
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

async fn list(
    State(books): Books,
    Query(filter): Query<BTreeMap<String, String>>,
) -> Json<Vec<Value>> {
    let author = filter.get("author");
    let fits = |book: &&Value| author.is_none_or(|it| book["author"] == **it);
    Json(books.lock().await.values().filter(fits).cloned().collect())
}

async fn add(State(books): Books, Json(book): Json<Value>) -> Json<Value> {
    let isbn = book["isbn"].as_str().unwrap_or_default().to_owned();
    books.lock().await.insert(isbn, book.clone());
    Json(book)
}

async fn find(State(books): Books, Path(isbn): Path<String>) -> Result<Json<Value>, StatusCode> {
    let found = books.lock().await.get(&isbn).cloned();
    found.map(Json).ok_or(StatusCode::NOT_FOUND)
}

async fn remove(State(books): Books, Path(isbn): Path<String>) -> StatusCode {
    let removed = books.lock().await.remove(&isbn);
    removed.map_or(StatusCode::NOT_FOUND, |_| StatusCode::NO_CONTENT)
}
