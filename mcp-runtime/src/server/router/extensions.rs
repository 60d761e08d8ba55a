//! The methods that extensions bring.

use mcp_types::Side;

use super::{Admitted, Router};
use crate::driver::Served;
use crate::protocol::{Refusal, not_offered};
use crate::server::{Answer, MethodCall};

impl Router {
    pub(super) fn call_extension(&self, request: Admitted<'_>) -> Result<Served<Answer>, Refusal> {
        let context = request.own_context()?;
        let call = MethodCall {
            params: request.params,
            context: &context,
        };
        let reply = self.settings.extensions.call(request.method, call);
        let unknown = || not_offered(request.method, Side::Server, request.terms.revision);
        Ok(self.answered(reply.ok_or_else(unknown)?, request, Answer::extension))
    }
}
