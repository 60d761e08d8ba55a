//! The client side of `com.example/tickets`: follows a ticket until its call has ended.

use std::time::Duration;

use mcp_runtime::BoxFuture;
use mcp_runtime::client::{ClientExtension, Subscription};
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::types::{JsonObject, OrderedMap, RawJson, Request, SubscriptionFilter};
use mcp_runtime::{CallError, Client, ExtensionMethod, Revision};
use serde::Deserialize;

use super::server::{ANSWER, GET, ID, KIND, Status};

pub(crate) struct Following;

const METHODS: &[ExtensionMethod] = &[GET, ANSWER];

enum Get {}

impl Request for Get {
    const METHOD: &'static str = "com.example/tickets/get";
    const PARAMS_OPTIONAL: bool = false;
    const MAY_REQUIRE_INPUT: bool = false;
    const EXTENSION: Option<&'static str> = Some(ID);
    type Params = JsonObject;
    type Result = RawJson;
}

enum Answer {}

impl Request for Answer {
    const METHOD: &'static str = "com.example/tickets/answer";
    const PARAMS_OPTIONAL: bool = false;
    const MAY_REQUIRE_INPUT: bool = false;
    const EXTENSION: Option<&'static str> = Some(ID);
    type Params = JsonObject;
    type Result = JsonObject;
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ticket {
    result_type: String,
    id: String,
}

impl ClientExtension for Following {
    fn id(&self) -> &'static str {
        ID
    }

    fn settings(&self, _: Revision) -> Option<JsonObject> {
        Some(JsonObject::new())
    }

    fn methods(&self) -> &[ExtensionMethod] {
        METHODS
    }

    fn claim(
        &self,
        client: &Client,
        _: &str,
        result: &RawJson,
    ) -> Option<BoxFuture<Result<RawJson, CallError>>> {
        let ticket = result.parse::<Ticket>().ok()?;
        let is_ticket = ticket.result_type == KIND;
        is_ticket.then(|| Box::pin(follow(client.clone(), ticket.id)) as _)
    }
}

/// Waits for the result of the call that a ticket represents.
async fn follow(client: Client, id: String) -> Result<RawJson, CallError> {
    let mut filter = SubscriptionFilter::new();
    filter.extra.insert(ID.to_owned(), json!([id]));
    // Revisions with a handshake do not have these subscriptions.
    let mut changes = client.listen(filter).await.ok();
    loop {
        let status = client.request::<Get>(object(json!({"id": id}))).await?;
        let status: Status = status.parse().map_err(|error| CallError::Result {
            method: Get::METHOD.to_owned(),
            reason: error.to_string(),
        })?;
        if let Some(error) = status.error {
            return Err(error.into());
        }
        if let Some(result) = status.result {
            return Ok(result);
        }
        let Some(question) = status.question else {
            changed(&mut changes).await?;
            continue;
        };
        let questions = OrderedMap::from_iter([(String::new(), question)]);
        for answer in client.answer(Get::METHOD, questions).await?.values() {
            let answer = json!({"id": id, "answer": answer});
            client.request::<Answer>(object(answer)).await?;
        }
    }
}

/// Waits until the ticket may have changed.
async fn changed(changes: &mut Option<Subscription>) -> Result<(), CallError> {
    match changes {
        Some(changes) => changes.next().await.map(drop),
        None => {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok(())
        }
    }
}

fn object(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap_or_default()
}
