//! What went wrong on the way to a server, in words.

use std::error::Error;
use std::io;

use http::Uri;

use super::dial::ProxyFault;
use crate::error::CallError;
use crate::transport::tls;

/// A request has no form that can be sent, for this reason.
pub(super) fn not_sent(reason: impl Into<String>) -> CallError {
    CallError::NotSent(io::Error::new(io::ErrorKind::InvalidInput, reason.into()))
}

/// The host of a server, and its port where the URL names one. The rest of a URL may be secret.
pub(super) fn authority(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    match uri.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// A fault on the way to the server, in the words of whatever is at the bottom of it.
pub(super) fn explained(uri: &Uri, error: &(dyn Error + 'static)) -> io::Error {
    let mut cause = error;
    let mut advice = None;
    loop {
        if let Some(fault) = cause.downcast_ref::<ProxyFault>() {
            advice = Some(fault.to_string());
        } else if let Some(found) = tls::advice(cause) {
            advice = Some(found.to_owned());
        }
        match cause.source() {
            Some(source) => cause = source,
            None => break,
        }
    }
    let kind = cause
        .downcast_ref()
        .map_or(io::ErrorKind::Other, io::Error::kind);
    let reason = advice.unwrap_or_else(|| cause.to_string());
    let server = authority(uri);
    io::Error::new(kind, format!("{server} can't be reached: {reason}"))
}
