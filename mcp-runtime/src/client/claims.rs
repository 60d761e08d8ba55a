//! Results whose `resultType` an extension has, and not the protocol.

use std::sync::Arc;
use std::time::Duration;

use mcp_types::{RawJson, ResultType, ServerCapabilities};
use tokio::runtime::Handle;

use super::Client;
use super::channel::RequestKind;
use super::result::{Completed, Outcome, unknown};
use crate::connection::OnLate;
use crate::error::CallError;
use crate::protocol::Negotiated;

/// Treatment of results whose `resultType` the protocol does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum UnknownResults {
    /// An extension may claim them; others are refused.
    Claimed,
    /// An extension may claim them; others are taken as they are.
    ClaimedOrTaken,
    /// They are taken as they are.
    Taken,
}

/// The complete result in place of one whose `resultType`, `name`, the protocol does not have.
///
/// # Errors
///
/// That of the extension which claims the result; [`CallError::Result`] if the one that it obtains is
/// not complete, or if none claims it.
pub(super) async fn claim(
    client: &Client,
    kind: RequestKind,
    negotiated: &Negotiated<ServerCapabilities>,
    raw: RawJson,
    name: ResultType,
    treatment: UnknownResults,
    left: Duration,
) -> Result<Completed, CallError> {
    let claim = match treatment {
        UnknownResults::Taken => None,
        _ => {
            let mut active = client.state().config.extensions.active(negotiated);
            active.find_map(|extension| extension.claim(client, kind.method, &raw))
        }
    };
    match claim {
        Some(claim) => {
            let raw = claim.await?;
            match Outcome::of(kind, &raw, negotiated)? {
                Outcome::Complete => Ok(Completed::new(raw, left)),
                _ => Err(CallError::unfit(
                    kind.method,
                    "what an extension has obtained in place of it is not complete",
                )),
            }
        }
        // In other revisions the member is the server's own.
        None if treatment == UnknownResults::Claimed
            && negotiated.revision.has_type("ResultType") =>
        {
            Err(unknown(kind.method, &name))
        }
        None => Ok(Completed::new(raw, left)),
    }
}

/// Takes the result of a request whose caller is gone; `None` for clients without extensions.
pub(super) fn on_late(
    client: &Client,
    kind: RequestKind,
    negotiated: &Arc<Negotiated<ServerCapabilities>>,
) -> Option<OnLate> {
    if client.state().config.extensions.is_empty() {
        return None;
    }
    let client = client.weak();
    let negotiated = Arc::clone(negotiated);
    // The result may come where a future is dropped, outside of the runtime.
    let runtime = Handle::current();
    Some(Arc::new(move |raw| {
        if !matches!(
            Outcome::of(kind, &raw, &negotiated),
            Ok(Outcome::Unknown(_))
        ) {
            return;
        }
        let Some(client) = client() else { return };
        let negotiated = Arc::clone(&negotiated);
        runtime.spawn(async move {
            let mut active = client.state().config.extensions.active(&negotiated);
            let taken = active.find_map(|it| it.abandoned(&client, kind.method, &raw));
            if let Some(taken) = taken {
                taken.await;
            }
        });
    }))
}
