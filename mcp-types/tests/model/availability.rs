//! Tests of the availability tables.

use mcp_types::{ClientCapabilities, Era, Revision, ServerCapabilities, Side, methods};
use serde_json::json;

#[test]
fn revisions_know_their_era_and_batches() {
    for revision in Revision::ALL {
        let handshake = revision.era() == Era::Handshake;
        assert_eq!(
            handshake,
            revision.allows(methods::INITIALIZE, Side::Client)
        );
        assert_eq!(revision.has_batches(), revision == Revision::V2025_03_26);
    }
    assert_eq!(Revision::LATEST_HANDSHAKE.era(), Era::Handshake);
    assert_eq!(Some(Revision::LATEST), Revision::ALL.last().copied());
}

#[test]
fn methods_have_a_direction_that_changes_with_the_revision() {
    let old = Revision::V2025_11_25;
    let new = Revision::V2026_07_28;
    assert!(old.allows(methods::SAMPLING_CREATE_MESSAGE, Side::Server));
    assert!(!old.allows(methods::SAMPLING_CREATE_MESSAGE, Side::Client));
    assert!(!new.allows(methods::SAMPLING_CREATE_MESSAGE, Side::Server));
    assert!(old.allows(methods::PING, Side::Client) && old.allows(methods::PING, Side::Server));
    assert!(!new.allows(methods::PING, Side::Client));
    assert!(new.allows(methods::SERVER_DISCOVER, Side::Client));
    assert!(!new.allows("tools/melt", Side::Client));
}

#[test]
fn fields_and_variants_have_revisions() {
    let field = Revision::field("CallToolResult", "resultType").unwrap();
    assert_eq!(field.revisions.since(), Some(Revision::V2026_07_28));
    assert!(field.required.contains(Revision::V2026_07_28));
    let task = Revision::field("CallToolRequestParams", "task").unwrap();
    assert_eq!(task.revisions.until(), Some(Revision::V2025_11_25));
    let audio = Revision::variant("ContentBlock", "Audio").unwrap();
    assert_eq!(
        (audio.value, audio.revisions.since()),
        (Some("audio"), Some(Revision::V2025_03_26))
    );
    assert!(Revision::field("Tool", "melt").is_none());
}

#[test]
fn tables_are_sorted_and_name_what_exists() {
    assert!(Revision::methods().is_sorted_by_key(|info| info.name));
    assert!(Revision::types().is_sorted_by_key(|info| info.name));
    for info in Revision::types() {
        let parts = info.fields.iter().map(|field| field.revisions);
        let parts = parts.chain(info.variants.iter().map(|variant| variant.revisions));
        for part in parts {
            let outside = part
                .iter()
                .find(|revision| !info.revisions.contains(*revision));
            assert_eq!(outside, None, "{}", info.name);
        }
    }
}

#[test]
fn capabilities_gate_methods_where_they_can_be_declared() {
    let complete = Revision::method(methods::COMPLETION_COMPLETE).unwrap();
    assert_eq!(
        complete.capability(Side::Server, Revision::V2024_11_05),
        None
    );
    assert_eq!(
        complete.capability(Side::Server, Revision::V2025_03_26),
        Some("completions")
    );
    let subscribe = Revision::method(methods::RESOURCES_SUBSCRIBE).unwrap();
    let path = subscribe
        .capability(Side::Server, Revision::V2025_06_18)
        .unwrap();
    let declares = |json| {
        serde_json::from_value::<ServerCapabilities>(json)
            .unwrap()
            .declares(path)
    };
    assert!(declares(json!({"resources": {"subscribe": true}})));
    assert!(!declares(json!({"resources": {"subscribe": false}})));
    assert!(!declares(json!({"resources": {}})));
    let client: ClientCapabilities = serde_json::from_value(json!({"sampling": {}})).unwrap();
    assert!(client.declares("sampling") && !client.declares("roots"));
}
