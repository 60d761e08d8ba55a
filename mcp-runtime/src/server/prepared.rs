//! Answers that are the same for everybody, written once.

use std::sync::{Arc, OnceLock};

use mcp_types::{Conform, RawJson, Revision};
use serde::Serialize;

/// One answer, as each revision wants it. Made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Prepared {
    by_revision: [OnceLock<Arc<RawJson>>; Revision::ALL.len()],
}

impl Prepared {
    /// The answer for `revision`, from `make` unless it was made before.
    pub(super) fn get<T: Serialize + Conform>(
        &self,
        revision: Revision,
        make: impl FnOnce() -> T,
    ) -> Arc<RawJson> {
        let slot = &self.by_revision[revision.index()];
        let made = slot.get_or_init(|| {
            let mut answer = make();
            answer.conform(revision);
            let json = RawJson::new(&answer).expect("a generated type has a JSON form");
            Arc::new(json)
        });
        Arc::clone(made)
    }
}
