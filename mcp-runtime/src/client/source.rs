//! Reads the messages of a server, and attributes faults in them to the server.

use mcp_types::{Misfit, RawJson, RawJsonRef, Request, Revision};
use serde::de::DeserializeOwned;

use crate::error::CallError;
use crate::protocol::{locate, reason};

/// The origin of a message, for errors and logs, and the revision that it is read in.
pub(super) struct Source<'a> {
    pub(super) method: &'a str,
    pub(super) tool: Option<&'a str>,
    pub(super) revision: Revision,
    /// Returns the name of the server. Only called to report a fault.
    pub(super) server: &'a (dyn Fn() -> String + Sync),
}

impl Source<'_> {
    /// Reads the result of a request by the schema of the revision. Optional parts that do not match
    /// are left out and logged.
    ///
    /// # Errors
    ///
    /// [`CallError::Result`] with the path of the part that does not match.
    pub(super) fn read<R: Request>(&self, result: &RawJson) -> Result<R::Result, CallError> {
        match Revision::method(R::METHOD).filter(|_| R::EXTENSION.is_none()) {
            Some(info) => self.read_as(result, info.types.1),
            None => result.parse().map_err(|fault| {
                let mut path = String::new();
                locate(result.get(), &fault, &mut path);
                self.unfit(&format!(
                    "{}: {}",
                    path.trim_start_matches('.'),
                    reason(&fault)
                ))
            }),
        }
    }

    pub(super) fn read_as<T: DeserializeOwned>(
        &self,
        json: &RawJson,
        name: &str,
    ) -> Result<T, CallError> {
        let read = self.read_part(json.as_raw(), name);
        read.map_err(|misfit| self.unfit(&misfit.to_string()))
    }

    /// Reads a value of the schema type `name`, as the revision defines it. Optional parts that do
    /// not match are left out and logged.
    pub(super) fn read_part<T: DeserializeOwned>(
        &self,
        json: RawJsonRef<'_>,
        name: &str,
    ) -> Result<T, Misfit> {
        let (value, misfits) = mcp_types::read(json, name, self.revision)?;
        misfits.iter().for_each(|misfit| self.log(misfit));
        Ok(value)
    }

    fn log(&self, misfit: &Misfit) {
        crate::log::warn!(
            server = (self.server)(),
            method = self.method,
            tool = self.tool,
            entry = misfit.entry,
            path = misfit.path,
            reason = misfit.reason,
            left_out = misfit.left_out,
            "a part of the server's message does not match the schema and is left out"
        );
    }

    pub(super) fn unfit(&self, reason: &str) -> CallError {
        let server = (self.server)();
        CallError::unfit(self.method, format!("{reason} (server `{server}`)"))
    }
}
