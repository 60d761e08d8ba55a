//! A server whose tools ask questions.

use mcp_runtime::prelude::*;
use mcp_runtime::server::input::{InputRequired, IntoConversation};
use mcp_runtime::types::{
    ListRootsRequest, RawJson, SamplingMessage, SamplingMessageContentBlock, TextContent, Tool,
    ToolResultContent,
};
use mcp_runtime::{CallError, Server};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Deserialize, JsonSchema, Elicit)]
pub(crate) struct Trip {
    /// The destination.
    city: String,
    /// The number of nights.
    #[schemars(range(min = 1, max = 30))]
    nights: u8,
    breakfast: Option<bool>,
}

/// A type that is not a form, although the derive accepts it.
#[derive(Deserialize, JsonSchema, Elicit)]
struct Crowd {
    #[schemars(with = "Vec<String>")]
    names: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Agency {
    charges: AtomicU32,
}

#[mcp_server]
impl Agency {
    /// Books a trip.
    #[tool]
    async fn book(&self, cx: &Context) -> Result<String, ToolError> {
        let trip: Trip = cx.elicit("Where do you want to go?").await?;
        let Trip {
            city,
            nights,
            breakfast,
        } = trip;
        Ok(format!(
            "{nights} nights in {city}, breakfast: {breakfast:?}"
        ))
    }

    /// Asks twice, the second time about the answer to the first.
    #[tool]
    async fn twice(&self, cx: &Context) -> Result<String, ToolError> {
        let name: String = cx.elicit("What is your name?").await?;
        let sure: bool = cx.elicit(format!("Is it really {name}?")).await?;
        Ok(format!("{name}: {sure}"))
    }

    /// Says how the user answered.
    #[tool]
    async fn mood(&self, cx: &Context) -> Result<&'static str, ToolError> {
        Ok(match cx.elicit::<String>("How are you?").outcome().await? {
            Elicited::Accepted(_) => "answered",
            Elicited::Declined => "declined",
            Elicited::Cancelled => "cancelled",
        })
    }

    /// Asks if the client can be asked.
    #[tool]
    async fn if_possible(&self, cx: &Context) -> Result<String, ToolError> {
        match cx.elicit::<String>("How are you?").await {
            Err(AskError::Unsupported { capability, .. }) => Ok(format!("without {capability}")),
            answer => Ok(answer?),
        }
    }

    /// Always has one more question.
    #[tool]
    async fn insatiable(&self, cx: &Context) -> Result<String, ToolError> {
        loop {
            cx.elicit::<String>("And then?").await?;
        }
    }

    /// Asks the model.
    #[tool]
    async fn poem(&self, cx: &Context) -> Result<String, ToolError> {
        let said = cx
            .sample("A poem!")
            .system("Be brief.")
            .max_tokens(50)
            .await?;
        Ok(said.text())
    }

    /// Lets the model use a tool.
    #[tool]
    async fn weather(&self, cx: &Context) -> Result<String, ToolError> {
        let tool = Tool::new("thermometer", RawJson::empty_object());
        let mut talk = "How warm is it?".into_conversation();
        let asked = cx.sample(talk.clone()).tools([tool.clone()]).await?;
        let Some(usage) = asked.tool_uses().next() else {
            return Ok(asked.text());
        };
        let result = ToolResultContent::new([TextContent::new("17 degrees").into()], &usage.id);
        talk.push(asked.into_message());
        talk.push(SamplingMessage::new(
            Role::User,
            SamplingMessageContentBlock::ToolResult(result),
        ));
        Ok(cx.sample(talk).tools([tool]).await?.text())
    }

    /// Asks for the roots.
    #[tool]
    async fn folders(&self, cx: &Context) -> Result<String, ToolError> {
        let roots = cx.roots().await?;
        Ok(roots
            .into_iter()
            .map(|root| root.uri)
            .collect::<Vec<_>>()
            .join(", "))
    }

    /// Asks for everything at the same time.
    #[tool]
    async fn everything(&self, cx: &Context) -> Result<String, ToolError> {
        let (name, poem, roots) = cx
            .ask_all((
                cx.elicit::<String>("What is your name?"),
                cx.sample("A poem!"),
                cx.roots(),
            ))
            .await?;
        Ok(format!("{name}, {}, {} roots", poem.text(), roots.len()))
    }

    /// Charges the user once, although the function asks twice.
    #[tool]
    async fn charge(&self, cx: &Context) -> Result<String, ToolError> {
        let receipt = cx.once("charge", async {
            tokio::task::yield_now().await;
            self.charges.fetch_add(1, Ordering::Relaxed) + 1
        });
        let receipt = receipt.await?;
        cx.elicit::<bool>("Are you happy?").await?;
        cx.elicit::<bool>("Really?").await?;
        Ok(format!("receipt {receipt}"))
    }

    /// Asks twice, with `cx.answers` and `cx.require`.
    #[tool]
    fn by_hand(&self, cx: &Context) -> Result<String, ToolError> {
        let answers = cx.answers();
        let Some(name) = answers.elicited::<String>("name") else {
            let question = cx.elicit::<String>("What is your name?");
            Err(cx.require(InputRequired::new().ask("name", question).note("first")))?
        };
        let name = name?.accepted()?;
        let Some(poem) = answers.sampled("poem") else {
            let note = answers.note().unwrap_or_default() + ", second";
            let question = cx.sample("A poem!");
            Err(cx.require(InputRequired::new().ask("poem", question).note(note)))?
        };
        Ok(format!(
            "{name}: {} ({})",
            poem?.text(),
            answers.note().unwrap_or_default()
        ))
    }

    /// Sends the user to a web page.
    #[tool]
    async fn pay(&self, cx: &Context) -> Result<&'static str, ToolError> {
        cx.elicit_url("Please pay.", "https://pay.example.com/17")
            .id("17")
            .await?;
        cx.elicitation_complete("17")?;
        Ok("paid")
    }

    /// Refuses until the user has been to a web page.
    #[tool]
    fn vault(&self, cx: &Context) -> Result<&'static str, ToolError> {
        if cx.answers().raw("permission").is_some() {
            return Ok("open");
        }
        let page = cx
            .elicit_url("Please sign in.", "https://vault.example.com")
            .id("18");
        let wanted = InputRequired::new().ask("permission", page);
        Err(cx.require(wanted.by_error()))?
    }

    /// Asks from a separate task.
    #[tool]
    async fn delegate(&self, cx: &Context) -> Result<String, ToolError> {
        let cx = cx.clone();
        let task = tokio::spawn(async move {
            tokio::task::yield_now().await;
            cx.elicit::<String>("What is your name?").await
        });
        Ok(task.await??)
    }

    /// Asks for a value that a form can't represent.
    #[tool]
    async fn misguided(&self, cx: &Context) -> Result<String, ToolError> {
        let Crowd { names } = cx.elicit("Who?").await?;
        Ok(names.join(", "))
    }

    /// Sends a request without checking the capabilities of the client.
    #[tool]
    async fn bluntly(&self, cx: &Context) -> Result<String, CallError> {
        let roots = cx
            .peer()
            .call::<ListRootsRequest>(&Default::default())
            .await?;
        Ok(format!("{} roots", roots.roots.len()))
    }

    /// Asks with a form that is built at run time.
    #[tool]
    async fn survey(&self, topic: String, cx: &Context) -> Result<String, ToolError> {
        let rating = serde_json::json!({"type": "integer", "minimum": 1, "maximum": 5});
        let form = serde_json::json!({"type": "object", "properties": {&*topic: rating}});
        let question = cx.elicit_schema("How is it?", serde_json::from_value(form)?);
        let ratings: BTreeMap<String, u8> = question.await?;
        Ok(format!("{ratings:?}"))
    }

    /// Greets the user.
    #[prompt]
    async fn greeting(&self, cx: &Context) -> Result<String, ProtocolError> {
        let name: String = cx.elicit("What is your name?").await?;
        Ok(format!("Hello, {name}!"))
    }

    /// The memory of the user.
    #[resource("memory://last", mime = "text/plain")]
    async fn last(&self, cx: &Context) -> Result<String, ProtocolError> {
        let memory: String = cx.elicit("What do you remember?").await?;
        Ok(memory)
    }
}

pub(crate) fn server() -> Server {
    let mut server = Server::builder();
    Arc::new(Agency::default()).register(&mut server);
    server.build()
}
