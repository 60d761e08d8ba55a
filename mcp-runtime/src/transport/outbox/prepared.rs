//! Results that were written before.

use mcp_types::RequestId;
use mcp_types::jsonrpc::PreparedResult;

use super::{Outbox, Shared};

/// The shortest result that is worth a part of its own.
pub(super) const SHARED_BYTES: usize = 4 * 1024;

impl Outbox {
    /// Appends the response to the request `id` with a result that was written before, behind
    /// `prefix` as [`PreparedResult::write`] has it.
    pub(crate) fn push_prepared(&mut self, id: &RequestId, prefix: &str, result: &PreparedResult) {
        let length = result.members().len();
        if !self.shares || length < SHARED_BYTES {
            result.write(&mut self.bytes, id, prefix);
            return self.bytes.push(b'\n');
        }
        result.write_before(&mut self.bytes, id, prefix);
        self.shared.push_back(Shared {
            result: result.clone(),
            at: self.bytes.len(),
            sent: 0,
        });
        self.shared_len += length;
        self.bytes.extend_from_slice(b"}\n");
    }
}
