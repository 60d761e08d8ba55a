//! A program that uses the bindings.

#[path = "weather.rs"]
mod weather;

use mcp_runtime::types::{CallToolResult, GetPromptResult, ReadResourceResult};
use mcp_runtime::{CallError, Client};
use weather::{Day, ForecastArguments, MapArguments, MoveStationArguments, Sky, SummaryPromptArguments, Unit, Weather};

async fn used(client: Client) -> Result<(), CallError> {
    let weather = Weather(client);
    let today = weather.forecast("Oslo").await?;
    let arguments = ForecastArguments::new("Oslo").with_days(7).with_unit(Unit::Celsius);
    let week = weather.forecast(arguments.with_unit(Unit::Fahrenheit)).await?;
    for Day { high, sky, .. } in week.days.iter().chain(&today.days) {
        let high: f64 = *high;
        match sky {
            Sky::Clear => println!("{high}, clear"),
            Sky::Clouds => println!("{high}"),
            other => println!("{high}, {other}"),
        }
    }
    let _: Option<String> = week.warning;
    let _: CallToolResult = weather.map(MapArguments::new(3)).await?;
    let moved = MoveStationArguments::new("from", "to");
    let _: CallToolResult = weather.move_station(moved).await?;
    let _: i64 = weather.stations().await?;
    let _: GetPromptResult = weather.prompts().summary("Oslo").await?;
    let styled = SummaryPromptArguments::new("Oslo").with_style("short");
    let _: GetPromptResult = weather.prompts().summary(styled).await?;
    let _: ReadResourceResult = weather.resources().city("Oslo").await?;
    Ok(())
}

fn main() {
    let _ = used;
}
