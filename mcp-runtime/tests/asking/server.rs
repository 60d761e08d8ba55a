//! A server whose tools ask.

use mcp_runtime::Server;
use mcp_runtime::prelude::*;
use mcp_runtime::server::ask::{AskError, Elicited};
use std::sync::Arc;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Trip {
    /// Where to go.
    city: String,
    /// For how many nights.
    #[schemars(range(min = 1, max = 30))]
    nights: u8,
    breakfast: Option<bool>,
}

pub(crate) struct Agency;

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
}

pub(crate) fn server() -> Server {
    let mut server = Server::builder();
    Arc::new(Agency).register(&mut server);
    server.build()
}
