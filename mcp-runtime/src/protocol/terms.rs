//! What a request is served under.

use mcp_types::{
    ClientCapabilities, Era, Implementation, InitializeRequestParams, RequestMetaRef, Revision,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::decode::invalid_params;
use super::{Refusal, Revisions, negotiate};

/// What both peers agreed on: once by handshake, or anew with each stateless request.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The revision that is spoken.
    pub revision: Revision,
    /// What the client says it is; never verified.
    pub client_info: Option<Implementation>,
    /// What the client is able to do.
    pub client_capabilities: ClientCapabilities,
}

impl Terms {
    /// Whether each result carries the name of the server, because no handshake did.
    pub(crate) fn results_name_server(&self) -> bool {
        self.revision.era() == Era::Stateless
    }

    /// The terms of a handshake.
    pub(super) fn handshake(
        params: InitializeRequestParams,
        supported: Revisions,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            revision: negotiate::handshake(&params.protocol_version, supported)?,
            client_info: Some(params.client_info),
            client_capabilities: params.capabilities,
        })
    }

    /// The terms that a stateless request carries (2026-07-28, "Overview", section `_meta`).
    pub(super) fn stateless(
        meta: Option<&RequestMetaRef<'_>>,
        supported: Revisions,
    ) -> Result<Self, Refusal> {
        let meta = meta.copied().unwrap_or_default();
        let requested: String = required(meta.protocol_version, "protocolVersion")?;
        let revision = requested
            .parse::<Revision>()
            .ok()
            .filter(|revision| supported.contains(*revision) && revision.era() == Era::Stateless)
            .ok_or(Refusal::UnsupportedVersion {
                requested,
                supported,
            })?;
        Ok(Self {
            revision,
            client_capabilities: required(meta.client_capabilities, "clientCapabilities")?,
            client_info: meta
                .client_info
                .map(|info| decoded(info, "clientInfo"))
                .transpose()?,
        })
    }
}

fn required<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>, key: &str) -> Result<T, Refusal> {
    let raw = raw.ok_or_else(|| Refusal::InvalidParams {
        path: path(key),
        reason: "missing".to_owned(),
    })?;
    decoded(raw, key)
}

fn decoded<'a, T: Deserialize<'a>>(raw: &'a RawValue, key: &str) -> Result<T, Refusal> {
    serde_json::from_str(raw.get()).map_err(|_| invalid_params::<T>(&path(key), raw.get()))
}

fn path(key: &str) -> String {
    format!("params._meta.io.modelcontextprotocol/{key}")
}
