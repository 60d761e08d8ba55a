//! Suggests values for the arguments of a prompt and for the variables of a resource's URI.

use mcp_runtime::prelude::*;

const CITIES: [(&str, &str); 4] = [
    ("fr", "Paris"),
    ("fr", "Poitiers"),
    ("de", "Potsdam"),
    ("de", "Berlin"),
];

struct Atlas;

#[mcp_server(name = "completion")]
impl Atlas {
    /// Plans a journey.
    #[prompt]
    fn journey(
        &self,
        #[arg(complete = Self::countries)] country: String,
        #[arg(complete = Self::cities)] city: String,
    ) -> String {
        format!("Plan a weekend in {city} ({country}).")
    }

    /// Facts about a city.
    #[resource("city://{country}/{city}")]
    fn city(
        &self,
        #[arg(complete = Self::countries)] country: String,
        #[arg(complete = Self::cities)] city: String,
    ) -> Result<String, NotFound> {
        let known = CITIES.contains(&(&country, &city));
        known
            .then(|| format!("{city} lies in {country}."))
            .ok_or(NotFound)
    }

    fn countries(request: &CompletionRequest) -> Vec<&'static str> {
        let begins = |country: &&str| country.starts_with(request.value());
        ["de", "fr"].into_iter().filter(begins).collect()
    }

    /// Returns the cities of the chosen country, or all cities before a country is chosen.
    fn cities(request: &CompletionRequest) -> Vec<&'static str> {
        let chosen = request.other("country");
        CITIES
            .into_iter()
            .filter(|(country, _)| chosen.is_none_or(|chosen| chosen == *country))
            .map(|(_, city)| city)
            .filter(|city| city.starts_with(request.value()))
            .collect()
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Atlas.serve(stdio()).await
}
