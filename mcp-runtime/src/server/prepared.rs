//! Answers that are the same for everybody, written once.

use std::sync::OnceLock;

use mcp_types::jsonrpc::PreparedResult;
use mcp_types::{Conform, Revision};
use serde::Serialize;

/// One answer, as each revision wants it. Made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    by_revision: [OnceLock<PreparedResult>; Revision::ALL.len()],
}

impl Prepared {
    /// The answer for `revision`, from `make` unless it was made before.
    pub(super) fn get<T: Serialize + Conform>(
        &self,
        revision: Revision,
        make: impl Fn() -> T,
    ) -> PreparedResult {
        self.get_written(revision, &|| {
            let mut answer = make();
            answer.conform(revision);
            PreparedResult::new(&answer).expect("a generated result is a JSON object")
        })
    }

    fn get_written(
        &self,
        revision: Revision,
        write: &dyn Fn() -> PreparedResult,
    ) -> PreparedResult {
        let slot = &self.by_revision[revision.index()];
        slot.get_or_init(write).clone()
    }
}
