//! From the decision about a request to what serves it.

use std::sync::Arc;

use mcp_types::{RawJsonRef, RequestId};

use super::ask::{self, Start};
use super::router::Admitted;
use super::trace::Trace;
use super::{Answer, Server, Session, told};
use crate::connection::{Peer, Served};
use crate::error::RequestError;
use crate::protocol::Admission;

/// One request, as it came.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Option<RawJsonRef<'a>>,
    /// The way back to who sent it.
    pub(crate) peer: &'a Peer,
    /// The session that it is part of, if its era has such a thing.
    pub(crate) session: &'a Arc<Session>,
}

impl Server {
    /// Serves a request as `admit` decides about it.
    pub(crate) fn dispatch<'a>(
        &self,
        call: Call<'_>,
        admit: impl FnOnce() -> Result<Admission<'a>, RequestError>,
    ) -> Served<Answer> {
        let trace = Trace::begin(call.id, call.method);
        let served = trace.in_scope(|| self.admitted(call, admit()?, &trace));
        trace.end(served.unwrap_or_else(Served::from))
    }

    fn admitted(
        &self,
        call: Call<'_>,
        admission: Admission<'_>,
        trace: &Trace,
    ) -> Result<Served<Answer>, RequestError> {
        let router = self.router();
        Ok(match admission {
            Admission::Serve(negotiated, params) => {
                trace.admitted(&negotiated, &params);
                let start = Start::new(self);
                let request = Admitted {
                    id: call.id,
                    method: call.method,
                    params: &params,
                    negotiated: &negotiated,
                    peer: call.peer,
                    session: call.session,
                    start: &start,
                };
                let served = router.serve(request)?;
                match start.into_context() {
                    Some(context) => {
                        told::follow(context, |context| ask::follow(self, call, served, context))
                    }
                    None => served,
                }
            }
            Admission::Initialize(negotiated) => Served::Now(Ok(router.initialize(&negotiated))),
            Admission::Ping => Served::Now(Ok(Answer::empty())),
        })
    }
}
