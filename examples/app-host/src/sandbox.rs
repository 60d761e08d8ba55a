//! Serves the sandbox, a document that shows one page.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;

use crate::host::Host;

pub(crate) fn router(host: Arc<Host>) -> Router {
    Router::new()
        .route("/{page}", get(sandbox))
        .with_state(host)
}

/// Returns the sandbox of a page, with the policy of the page. The frame in the sandbox inherits
/// the policy, so the host page sends only the HTML.
async fn sandbox(
    State(host): State<Arc<Host>>,
    Path(page): Path<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, StatusCode> {
    if headers
        .get(header::HOST)
        .is_none_or(|it| *it != *host.sandbox)
    {
        return Err(StatusCode::FORBIDDEN);
    }
    let page = host.page(&page).ok_or(StatusCode::NOT_FOUND)?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8".to_owned()),
        (header::CONTENT_SECURITY_POLICY, page.policy().to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    let origin = format!("http://{}", host.authority);
    let html = include_str!("sandbox.html").replace("{host}", &origin);
    Ok((headers, html))
}
