//! A server that converts temperatures.

use mcp_runtime::prelude::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Fahrenheit,
    Kelvin,
}

struct Converter;

/// Converts temperatures.
#[mcp_server]
impl Converter {
    /// Converts a temperature from one unit to another.
    #[tool(read_only)]
    fn convert(
        &self,
        /// The temperature to convert.
        value: f64,
        from: Unit,
        to: Unit,
    ) -> Result<f64, ToolError> {
        let celsius = match from {
            Unit::Celsius => value,
            Unit::Fahrenheit => (value - 32.0) / 1.8,
            Unit::Kelvin => value - 273.15,
        };
        if celsius < -273.15 {
            return Err(ToolError::new("`value` is below absolute zero"));
        }
        Ok(match to {
            Unit::Celsius => celsius,
            Unit::Fahrenheit => celsius * 1.8 + 32.0,
            Unit::Kelvin => celsius + 273.15,
        })
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Converter.serve(stdio()).await
}
