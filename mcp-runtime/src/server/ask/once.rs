//! Side effects that happen once, however often the handler runs.

use std::sync::Arc;

use mcp_types::RawJson;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{AskError, Asking};

/// Runs `future` unless an earlier run of the call has done so; then it is what came of it.
pub(super) async fn once<F>(
    asking: Option<Arc<Asking>>,
    key: String,
    future: F,
) -> Result<F::Output, AskError>
where
    F: Future<Output: Serialize + DeserializeOwned>,
{
    // A call that can't be suspended runs but once.
    let Some(asking) = asking else {
        return Ok(future.await);
    };
    if let Some(done) = asking.done(&key) {
        return done.parse().map_err(AskError::Value);
    }
    let busy = asking.busy();
    let value = future.await;
    let json = RawJson::new(&value).map_err(AskError::Value)?;
    asking.set_done(key, json);
    drop(busy);
    Ok(value)
}
