//! The method about log messages.

use mcp_types::SetLevelRequestParams;

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, decode_params};
use crate::server::Answer;
use crate::server::logging::Severity;

impl Router {
    pub(super) fn set_log_level(request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let params: SetLevelRequestParams = decode_params(request.params)?;
        let least = Severity::of(&params.level).ok_or_else(|| Refusal::InvalidParams {
            path: "params.level".to_owned(),
            reason: format!("`{}` is no log level", params.level),
        })?;
        request.conversation.set_log_level(least);
        Ok(Served::Now(Ok(Answer::empty())))
    }
}
