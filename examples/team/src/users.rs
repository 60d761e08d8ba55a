//! The users of the app.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use mcp_runtime::prelude::*;
use mcp_runtime::transport::http::Principal;

/// The caller, as a parameter of tools and of axum's handlers.
#[derive(Clone, FromContext)]
#[from_context(identity)]
pub(crate) struct User {
    pub(crate) name: &'static str,
    pub(crate) is_admin: bool,
}

/// The users, keyed by token. A real app stores hashes of tokens in a database.
const USERS: [(&str, User); 2] = [
    (
        "token-of-ann",
        User {
            name: "Ann",
            is_admin: true,
        },
    ),
    (
        "token-of-bob",
        User {
            name: "Bob",
            is_admin: false,
        },
    ),
];

/// Authenticates a request, and attaches the user to it.
pub(crate) async fn sign_in(mut request: Request, next: Next) -> Result<Response, StatusCode> {
    let header = request.headers().get(header::AUTHORIZATION);
    let token = header.and_then(|it| it.to_str().ok()?.strip_prefix("Bearer "));
    let user = USERS.into_iter().find(|(it, _)| Some(*it) == token);
    let (_, user) = user.ok_or(StatusCode::UNAUTHORIZED)?;
    let extensions = request.extensions_mut();
    // Sessions and unanswered questions belong to this principal.
    extensions.insert(Principal::new(user.name));
    extensions.insert(user);
    Ok(next.run(request).await)
}
