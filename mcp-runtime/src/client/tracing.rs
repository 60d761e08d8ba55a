//! Telling the server which trace a request is part of.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::TraceContext;

/// Where the trace of a request comes from, if anything is told of it.
#[derive(Clone, Default)]
pub(super) struct Tracing(Option<Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>>);

impl Tracing {
    pub(super) fn from(source: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(source)))
    }

    /// The trace that requests made now are part of.
    pub(super) fn current(&self) -> Option<TraceContext> {
        self.0.as_ref().and_then(|source| source())
    }

    /// `meta` (members of an object, without its braces) with those of the trace.
    pub(super) fn extend<'a>(&self, meta: Cow<'a, str>) -> Cow<'a, str> {
        let Some(Ok(trace)) = self.current().map(|trace| serde_json::to_string(&trace)) else {
            return meta;
        };
        let members = &trace[1..trace.len() - 1];
        match &*meta {
            "" => Cow::Owned(members.to_owned()),
            meta => Cow::Owned(format!("{meta},{members}")),
        }
    }
}

impl fmt::Debug for Tracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tracing").field(&self.0.is_some()).finish()
    }
}
