//! A program that uses bindings with types of other crates.

mod calendar;

use calendar::{AddArguments, AddOutput, RemoveArguments};
use chrono::{DateTime, FixedOffset, NaiveDate};
use url::Url;
use uuid::Uuid;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let at: DateTime<FixedOffset> = DateTime::parse_from_rfc3339("2026-07-28T12:00:00+02:00")?;
    let guest = Uuid::nil();
    let arguments = AddArguments::new(at, [guest])
        .with_day(NaiveDate::default())
        .with_link(Url::parse("https://example.com/")?)
        .with_ends(at)
        .with_note("short");
    let expected = serde_json::json!({
        "at": "2026-07-28T12:00:00+02:00",
        "day": "1970-01-01",
        "guests": ["00000000-0000-0000-0000-000000000000"],
        "link": "https://example.com/",
        "ends": "2026-07-28T12:00:00+02:00",
        "note": "short",
    });
    assert_eq!(serde_json::to_value(arguments)?, expected);
    let _ = RemoveArguments::from(guest);

    let answer = r#"{"id": "00000000-0000-0000-0000-000000000000", "links": {"a": "https://example.com/"}}"#;
    let output: AddOutput = serde_json::from_str(answer)?;
    assert_eq!(output.id, guest);
    let links: Vec<Url> = output.links.into_iter().flatten().map(|(_, link)| link).collect();
    assert_eq!(links[0].as_str(), "https://example.com/");
    assert!(serde_json::from_str::<AddOutput>(r#"{"id": "none"}"#).is_err());
    Ok(())
}
