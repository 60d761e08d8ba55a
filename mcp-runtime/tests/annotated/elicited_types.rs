//! Types that users fill in: how clients see them, and how they arrive.

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use mcp_runtime::client::Form;
use mcp_runtime::input::{ElicitField, ElicitForm};
use mcp_runtime::prelude::*;
use mcp_runtime::{Client, testing};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;

use crate::support::{Wire, stateless};

#[derive(Deserialize, JsonSchema, Elicit)]
struct Booking {
    day: NaiveDate,
    at: Option<DateTime<Utc>>,
    page: Url,
    #[schemars(email)]
    mail: String,
    #[schemars(url)]
    site: Option<String>,
    number: Uuid,
    alarm: Option<NaiveTime>,
    room: Room,
    extras: Vec<Extra>,
}

#[derive(Debug, Deserialize, JsonSchema, Elicit)]
#[serde(rename_all = "lowercase")]
enum Extra {
    Breakfast,
    /// With a view of the sea
    View,
}

/// The number of a room.
#[derive(Deserialize, JsonSchema)]
struct Room(u16);

impl ElicitField for Room {}
impl ElicitForm for Room {}

struct Hotel;

#[mcp_server(undocumented = "allow")]
impl Hotel {
    #[tool]
    fn book(&self, #[elicit("When and where?")] booking: Booking) -> String {
        let Booking {
            day,
            at,
            page,
            mail,
            site,
            number,
            alarm,
            room,
            extras,
        } = booking;
        let host = page.host_str();
        format!(
            "{day} {at:?} {host:?} {mail} {site:?} {number} {alarm:?} {} {extras:?}",
            room.0
        )
    }

    #[tool]
    fn choose(&self, #[elicit("What else?")] extras: Vec<Extra>) -> String {
        format!("{extras:?}")
    }

    #[tool]
    async fn inside(&self, cx: &Context) -> Result<u16, ToolError> {
        let Room(one) = cx.elicit("Which room?").await?;
        let Room(other) = cx.elicit("Which other?").field("room").await?;
        Ok(one * 1000 + other)
    }
}

/// Returns the text of a call whose only question is answered with `content`.
async fn answered(tool: &str, content: Value) -> String {
    let answering = Client::builder("answering", "1.0.0").on_form(move |form: Form| {
        let reply = form.accept(&content);
        async move { reply }
    });
    let client = testing::connect(Hotel).client(answering).await.unwrap();
    let result = client.call_tool(tool, json!({})).await.unwrap();
    result.content[0].as_text().unwrap().to_owned()
}

fn booking() -> Value {
    json!({
        "day": "2026-07-28",
        "at": "2026-07-28T12:00:00Z",
        "page": "https://example.com/hotel",
        "mail": "ada@example.com",
        "number": "67e55044-10b1-426f-9247-bb680e5fe0c8",
        "alarm": "07:30:00",
        "room": 12,
        "extras": ["view"],
    })
}

#[tokio::test]
async fn dates_and_addresses_have_their_formats_and_other_text_is_text() {
    let params = json!({"name": "book", "arguments": {}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }});
    let mut call = stateless(1, "tools/call", json!({}));
    call["params"] = params;
    let answer = Wire::to(&Hotel.into_server()).await.ask(call).await;
    let asked = answer["result"]["inputRequests"].as_object().unwrap();
    let form = &asked.values().next().unwrap()["params"]["requestedSchema"];
    let views = json!([
        {"const": "breakfast", "title": "breakfast"},
        {"const": "view", "title": "With a view of the sea"},
    ]);
    assert_eq!(
        form["properties"],
        json!({
            "day": {"type": "string", "format": "date"},
            "at": {"type": "string", "format": "date-time"},
            "page": {"type": "string", "format": "uri"},
            "mail": {"type": "string", "format": "email"},
            "site": {"type": "string", "format": "uri"},
            "number": {"type": "string"},
            "alarm": {"type": "string"},
            "room": {
                "type": "integer",
                "description": "The number of a room.",
                "minimum": 0,
                "maximum": 65535,
            },
            "extras": {"type": "array", "items": {"anyOf": views}},
        })
    );
    let required = json!(["day", "page", "mail", "number", "room", "extras"]);
    assert_eq!(form["required"], required);
}

#[tokio::test]
async fn they_are_read_by_their_own_types() {
    assert_eq!(
        answered("book", booking()).await,
        "2026-07-28 Some(2026-07-28T12:00:00Z) Some(\"example.com\") ada@example.com None \
         67e55044-10b1-426f-9247-bb680e5fe0c8 Some(07:30:00) 12 [View]"
    );
    let mut unreal = booking();
    unreal["day"] = json!("2026-02-30");
    let refused = answered("book", unreal).await;
    let reason = "the client's answer does not fit the question: ";
    assert!(refused.starts_with(reason), "{refused}");
}

#[tokio::test]
async fn a_list_of_choices_and_a_type_of_ones_own_are_forms_of_one_field() {
    let said = answered("choose", json!({"extras": ["view", "breakfast"]})).await;
    assert_eq!(said, "[View, Breakfast]");
    assert_eq!(
        answered("inside", json!({"answer": 1, "room": 2})).await,
        "1002"
    );
}
