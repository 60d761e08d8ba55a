//! The trace context of a request, for distributed tracing.

use mcp_types::RawJsonRef;
use serde::Serialize;

/// The trace that a request belongs to. It is sent in `_meta` (2026-07-28, "Overview", section
/// `_meta`; W3C Trace Context and W3C Baggage).
///
/// ```
/// use mcp_runtime::TraceContext;
///
/// let trace = TraceContext::new("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01").unwrap();
/// assert_eq!(trace.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert!(TraceContext::new("rubbish").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceContext {
    traceparent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tracestate: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baggage: Option<String>,
}

impl TraceContext {
    /// Creates a context from a `traceparent`. Returns `None` if it is malformed.
    #[must_use]
    pub fn new(traceparent: impl Into<String>) -> Option<Self> {
        let traceparent = traceparent.into();
        is_traceparent(&traceparent).then_some(Self {
            traceparent,
            tracestate: None,
            baggage: None,
        })
    }

    /// Adds vendor data, in the format of the `tracestate` header.
    #[must_use]
    pub fn with_tracestate(mut self, tracestate: impl Into<String>) -> Self {
        self.tracestate = Some(tracestate.into());
        self
    }

    /// Adds the caller's properties, in the format of the `baggage` header.
    #[must_use]
    pub fn with_baggage(mut self, baggage: impl Into<String>) -> Self {
        self.baggage = Some(baggage.into());
        self
    }

    /// Returns the version, trace, span and flags of the caller, as in the `traceparent` header.
    #[must_use]
    pub fn traceparent(&self) -> &str {
        &self.traceparent
    }

    /// Returns the vendor data.
    #[must_use]
    pub fn tracestate(&self) -> Option<&str> {
        self.tracestate.as_deref()
    }

    /// Returns the caller's properties. They are not verified.
    #[must_use]
    pub fn baggage(&self) -> Option<&str> {
        self.baggage.as_deref()
    }

    /// Returns the trace id, which has 32 hexadecimal digits.
    #[must_use]
    pub fn trace_id(&self) -> &str {
        self.traceparent.get(3..35).unwrap_or_default()
    }

    /// Returns the id of the caller's span, which has 16 hexadecimal digits.
    #[must_use]
    pub fn parent_id(&self) -> &str {
        self.traceparent.get(36..52).unwrap_or_default()
    }

    /// Reads the context in `_meta`. Returns `None` if it is malformed; a new trace then begins
    /// (W3C Trace Context).
    pub(crate) fn of_meta(meta: RawJsonRef<'_>) -> Option<Self> {
        let member = |name| {
            let value = meta.member(name).map(RawJsonRef::parse::<Option<String>>);
            value.transpose().ok().map(Option::flatten)
        };
        let context = Self::new(member("traceparent")??)?;
        Some(Self {
            tracestate: member("tracestate")?,
            baggage: member("baggage")?,
            ..context
        })
    }
}

/// Returns true if `text` is a `traceparent`: four fields of lower-case hexadecimal digits, with a
/// non-zero trace and span. Later versions may add fields.
fn is_traceparent(text: &str) -> bool {
    let mut fields = text.split('-');
    let mut field = |digits: usize| {
        let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        fields
            .next()
            .filter(|field| field.len() == digits && field.bytes().all(hexadecimal))
    };
    let set = |field: &str| field.bytes().any(|digit| digit != b'0');
    let (Some(version), Some(trace), Some(span), Some(_flags)) =
        (field(2), field(32), field(16), field(2))
    else {
        return false;
    };
    version != "ff" && set(trace) && set(span) && (version != "00" || fields.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn only_well_formed_parents_are_taken() {
        let trace = TraceContext::new(PARENT).unwrap();
        assert_eq!(trace.parent_id(), "00f067aa0ba902b7");
        assert!(TraceContext::new(PARENT.replacen("00", "cc", 1) + "-more").is_some());
        for wrong in [
            "",
            "00",
            &PARENT.to_uppercase(),
            &format!("{PARENT}-more"),
            &PARENT.replacen("00", "ff", 1),
            &PARENT.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            &PARENT.replace("00f067aa0ba902b7", &"0".repeat(16)),
            &PARENT.replace("00f067aa0ba902b7", "00f067aa0ba902b"),
        ] {
            assert_eq!(TraceContext::new(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_meta_says_is_read_and_written() {
        let text = format!(r#"{{"traceparent":"{PARENT}","tracestate":"a=1","baggage":"user=7"}}"#);
        let of_meta = |text| TraceContext::of_meta(RawJsonRef::from_text(text).unwrap());
        let trace = of_meta(&text).unwrap();
        assert_eq!(trace.tracestate(), Some("a=1"));
        assert_eq!(trace.baggage(), Some("user=7"));
        assert_eq!(serde_json::to_string(&trace).unwrap(), text);
        for none in ["{}", r#"{"tracestate":"a=1"}"#, r#"{"traceparent":7}"#] {
            assert_eq!(of_meta(none), None);
        }
    }
}
