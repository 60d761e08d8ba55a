//! A server to try `mcp` with:
//! `mcp inspect -- cargo run --quiet -p mcp-runtime-cli --example demo`.
//!
//! Given an address such as `127.0.0.1:8080`, it serves HTTP and prints its URL.

use std::time::Duration;

use mcp_runtime::Change;
use mcp_runtime::prelude::*;

struct Demo;

/// A place on a map.
#[derive(Deserialize, JsonSchema)]
struct Place {
    city: String,
    country: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Forecast {
    place: String,
    days: u8,
    tags: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema, Elicit)]
#[serde(rename_all = "lowercase")]
enum Size {
    Small,
    Large,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Order {
    /// How large?
    size: Size,
    /// How many?
    #[serde(default = "one")]
    count: u8,
}

fn one() -> u8 {
    1
}

#[mcp_server(name = "demo", list_changed(tools))]
impl Demo {
    /// Repeats a string.
    #[tool(read_only)]
    fn echo(&self, text: String) -> String {
        text
    }

    /// Forecast for a place.
    #[tool(read_only)]
    fn forecast(
        &self,
        place: Place,
        #[arg(default = 3)] days: u8,
        #[arg(default)] tags: Vec<String>,
    ) -> Forecast {
        let country = place
            .country
            .map_or_else(String::new, |it| format!(", {it}"));
        Forecast {
            place: format!("{}{country}", place.city),
            days,
            tags,
        }
    }

    /// A picture of one pixel.
    #[tool(read_only)]
    fn picture(&self) -> Image {
        Image::new(PIXEL, "image/png")
    }

    /// Always fails.
    #[tool]
    fn fail(&self) -> Result<String, &'static str> {
        Err("it is broken")
    }

    /// Orders something, if the user says what to order.
    #[tool]
    fn order(&self, #[elicit("What may it be?")] order: Order) -> String {
        let size = match order.size {
            Size::Small => "small",
            Size::Large => "large",
        };
        format!("{} {size}", order.count)
    }

    /// Takes a while, and reports its progress.
    #[tool]
    async fn work(&self, #[arg(default = 100)] milliseconds: u64, cx: &Context) -> String {
        for step in 1..=4 {
            cx.progress(step, 4, "working");
            tokio::time::sleep(Duration::from_millis(milliseconds / 4)).await;
        }
        "done".to_owned()
    }

    /// Announces that the list of tools and a note have changed.
    #[tool]
    fn announce(&self, cx: &Context) -> String {
        cx.notify_changed(Change::Tools);
        cx.notify_resource_updated("note://1");
        "announced".to_owned()
    }

    /// Greets a person.
    #[prompt]
    fn greet(&self, #[arg(complete = Self::names)] name: String, tone: Option<String>) -> String {
        format!(
            "Greet {name} in a {} tone.",
            tone.unwrap_or_else(|| "kind".to_owned())
        )
    }

    fn names(&self, request: &CompletionRequest) -> Vec<String> {
        let names = ["Ada", "Alan", "Grace"].into_iter();
        let names = names.filter(|name| name.starts_with(request.value()));
        names.map(str::to_owned).collect()
    }

    /// A note.
    #[resource("note://{id}", mime = "text/plain", subscribe)]
    fn note(&self, id: u8) -> String {
        format!("note {id}")
    }

    /// A picture of one pixel.
    #[resource("pixel://picture", mime = "image/png")]
    fn pixel(&self) -> Vec<u8> {
        PIXEL.to_vec()
    }
}

/// The beginning of a PNG file.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";

#[mcp_runtime::main]
#[allow(clippy::print_stdout, reason = "it prints before it serves")]
async fn main() -> Result<(), ServeError> {
    match std::env::args().nth(1) {
        Some(address) => {
            let mut server = Demo.into_builder();
            server.on_listening(|url| println!("{url}"));
            server.build().serve(http(address)).await
        }
        None => Demo.serve(stdio()).await,
    }
}
