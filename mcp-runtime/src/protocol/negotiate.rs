//! Which revision a handshake settles on.

use mcp_types::{Era, Revision, Revisions};

use crate::error::RequestError;

/// The revision that a server answers `initialize` with: the one asked for where it is supported,
/// else the newest handshake revision that is (2025-11-25, "Lifecycle", section Version
/// Negotiation).
///
/// # Errors
///
/// When what was asked for is not a date, or no handshake revision is supported.
pub(super) fn handshake(requested: &str, supported: Revisions) -> Result<Revision, RequestError> {
    let unsupported = || RequestError::UnsupportedHandshake {
        requested: requested.to_owned(),
        supported,
    };
    if !is_date(requested) {
        return Err(unsupported());
    }
    let asked = requested.parse::<Revision>().ok();
    asked
        .filter(|revision| supported.contains(*revision) && revision.era() == Era::Handshake)
        .or_else(|| supported.newest_of(Era::Handshake))
        .ok_or_else(unsupported)
}

/// Whether `text` has the form `YYYY-MM-DD`.
fn is_date(text: &str) -> bool {
    let form = "dddd-dd-dd";
    text.len() == form.len()
        && text
            .bytes()
            .zip(form.bytes())
            .all(|(byte, form)| match form {
                b'd' => byte.is_ascii_digit(),
                _ => byte == form,
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_supported_is_agreed_on() {
        for revision in Revision::ALL
            .into_iter()
            .filter(|r| r.era() == Era::Handshake)
        {
            assert_eq!(handshake(revision.as_str(), Revisions::ALL), Ok(revision));
        }
    }

    #[test]
    fn another_date_gets_the_newest_handshake_revision() {
        for requested in ["2099-01-01", "2026-07-28", "2020-01-01"] {
            let agreed = handshake(requested, Revisions::ALL);
            assert_eq!(agreed, Ok(Revision::LATEST_HANDSHAKE), "{requested}");
        }
        let old = Revisions::ALL.up_to(Revision::V2025_03_26);
        assert_eq!(handshake("2025-11-25", old), Ok(Revision::V2025_03_26));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for requested in ["1.0.0", "", "2025-11-2x", "2025-11-251"] {
            assert!(handshake(requested, Revisions::ALL).is_err(), "{requested}");
        }
        let stateless = Revisions::only(Revision::V2026_07_28);
        assert!(handshake("2025-11-25", stateless).is_err());
    }
}
