//! A server with one tool on rmcp.

use std::error::Error;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{ProgressNotificationParam, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ForecastParams {
    city: String,
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 7))]
    days: u32,
}

fn three() -> u32 {
    3
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Forecast {
    city: String,
    highs: Vec<u32>,
}

struct Weather;

#[tool_router]
impl Weather {
    #[tool(
        description = "Forecasts the weather of a city.",
        annotations(read_only_hint = true)
    )]
    async fn forecast(
        &self,
        Parameters(ForecastParams { city, days }): Parameters<ForecastParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<Forecast>, String> {
        if city.is_empty() {
            return Err("`city` is empty".to_owned());
        }
        let mut highs = Vec::new();
        for day in 0..days {
            if let Some(token) = context.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, day.into())
                    .with_total(days.into())
                    .with_message("computing");
                context.peer.notify_progress(progress).await.ok();
            }
            highs.push(20 + day);
        }
        Ok(Json(Forecast { city, highs }))
    }
}

#[tool_handler]
impl ServerHandler for Weather {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions("Forecasts for cities.")
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    Weather
        .serve(rmcp::transport::stdio())
        .await?
        .waiting()
        .await?;
    Ok(())
}
