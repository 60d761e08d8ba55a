//! Questions that another server asks.

use mcp_types::CreateMessageRequestParams;

use super::Sample;

impl Sample {
    /// Everything as in `params`, but for what belongs to the request that they came with.
    pub(in crate::server) fn like(mut self, params: CreateMessageRequestParams) -> Self {
        self.params = params;
        self.params.meta = None;
        self
    }
}
