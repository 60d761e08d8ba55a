//! The schemas that clients see: small, clean, valid, and the same each time.
//!
//! To update the snapshot, run `SNAPSHOT=write cargo test -p mcp-runtime --test annotated`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use mcp_runtime::prelude::*;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::attributes::Attributes;
use crate::results::Results;
use crate::structs::Structs;
use crate::support::{Wire, stateless};
use crate::{list, listed};

/// A place on the map.
#[derive(Deserialize, JsonSchema)]
struct Place {
    /// Degrees north.
    latitude: f64,
    longitude: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Trip {
    /// The starting point.
    from: Place,
    to: Place,
}

/// A folder and what is in it.
#[derive(Deserialize, JsonSchema)]
struct Folder {
    #[serde(default)]
    folders: Vec<Folder>,
}

struct Schemas;

#[mcp_server(undocumented = "allow")]
impl Schemas {
    #[tool]
    fn once(&self, place: Place) -> f64 {
        place.latitude + place.longitude
    }

    #[tool]
    fn shared(&self, trip: Trip) -> f64 {
        trip.from.latitude + trip.to.longitude
    }

    #[tool]
    fn recursive(&self, root: Folder) -> usize {
        root.folders.len()
    }

    #[tool]
    fn numbers(&self, a: u8, b: i128, c: usize, d: f32, e: Option<i64>) -> f64 {
        f64::from(a) + b as f64 + c as f64 + f64::from(d) + e.unwrap_or(0) as f64
    }
}

#[tokio::test]
async fn a_type_that_is_used_once_is_written_out() {
    assert_eq!(
        listed(Schemas, "once").await["inputSchema"],
        json!({
            "type": "object",
            "properties": {"place": {
                "type": "object",
                "description": "A place on the map.",
                "properties": {
                    "latitude": {"type": "number", "description": "Degrees north."},
                    "longitude": {"type": "number"},
                },
                "required": ["latitude", "longitude"],
            }},
            "required": ["place"],
        })
    );
}

#[tokio::test]
async fn a_type_that_is_shared_is_defined_once() {
    let schema = listed(Schemas, "shared").await["inputSchema"].take();
    let trip = &schema["properties"]["trip"]["properties"];
    assert_eq!(trip["to"], json!({"$ref": "#/$defs/Place"}));
    assert_eq!(
        trip["from"],
        json!({"$ref": "#/$defs/Place", "description": "The starting point."})
    );
    assert_eq!(schema["$defs"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn a_recursive_type_keeps_its_definition() {
    let schema = listed(Schemas, "recursive").await["inputSchema"].take();
    assert_eq!(
        schema["properties"]["root"],
        json!({"$ref": "#/$defs/Folder"})
    );
    assert_eq!(
        schema["$defs"]["Folder"]["properties"]["folders"]["items"],
        json!({"$ref": "#/$defs/Folder"})
    );
}

#[tokio::test]
async fn numbers_have_no_formats_of_rust() {
    assert_eq!(
        listed(Schemas, "numbers").await["inputSchema"]["properties"],
        json!({
            "a": {"type": "integer", "minimum": 0, "maximum": 255},
            "b": {"type": "integer"},
            "c": {"type": "integer", "minimum": 0},
            "d": {"type": "number"},
            "e": {"type": ["integer", "null"]},
        })
    );
}

/// A struct whose fields are not in the order of their names.
#[derive(Serialize, Deserialize, JsonSchema, Elicit)]
struct Zebra {
    stripes: u8,
    age: u8,
    name: Option<String>,
    #[serde(default)]
    height: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Zoo {
    zebra: Zebra,
    aviary: Aviary,
    #[serde(flatten)]
    place: Site,
    others: Vec<Zebra>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Site {
    town: String,
    country: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Aviary {
    Wire { wire: u8, mesh: u8 },
    Glass { thickness: u8, area: u8 },
}

struct Zoos;

#[mcp_server(undocumented = "allow")]
impl Zoos {
    #[tool]
    fn nested(&self, zoo: Zoo, animal: Zebra) -> Json<Zoo> {
        drop(animal);
        Json(zoo)
    }

    #[tool]
    fn flat(&self, #[arg(flatten)] zoo: Zoo) -> Zebra {
        zoo.zebra
    }

    #[tool]
    fn asks(&self, #[elicit("Which one?")] zebra: Zebra) -> u8 {
        zebra.age
    }
}

fn properties(schema: &Value) -> Vec<&str> {
    let properties = schema["properties"].as_object().unwrap();
    properties.keys().map(String::as_str).collect()
}

fn assert_zoo(schema: &Value, defs: &Value) {
    // Flattened members are in the position of their field.
    let names = ["zebra", "aviary", "town", "country", "others"];
    assert_eq!(properties(schema), names);
    assert_eq!(schema["required"], json!(names));
    let zebra = ["stripes", "age", "name", "height"];
    assert_eq!(properties(&defs["Zebra"]), zebra);
    let aviaries = &schema["properties"]["aviary"]["oneOf"];
    assert_eq!(properties(&aviaries[0]), ["kind", "wire", "mesh"]);
    assert_eq!(properties(&aviaries[1]), ["kind", "thickness", "area"]);
}

#[tokio::test]
async fn members_have_the_order_of_their_author() {
    let tools = list(&Zoos.into_server()).await;
    let nested = &tools[0];
    let flat = &tools[1];
    let input = &nested["inputSchema"];
    assert_eq!(properties(input), ["zoo", "animal"]);
    assert_zoo(&input["properties"]["zoo"], &input["$defs"]);
    assert_zoo(&nested["outputSchema"], &nested["outputSchema"]["$defs"]);
    assert_zoo(&flat["inputSchema"], &flat["inputSchema"]["$defs"]);
    let zebra = ["stripes", "age", "name", "height"];
    assert_eq!(properties(&flat["outputSchema"]), zebra);

    let mut message = stateless(1, "tools/call", json!({"name": "asks"}));
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {"form": {}}});
    let answer = Wire::to(&Zoos.into_server()).await.ask(message).await;
    let asked = answer["result"]["inputRequests"].as_object().unwrap();
    let question = asked.values().next().unwrap();
    assert_eq!(properties(&question["params"]["requestedSchema"]), zebra);
}

async fn everything() -> Vec<Value> {
    let mut tools = Vec::new();
    for server in [
        Schemas.into_server(),
        Arguments.into_server(),
        Structs.into_server(),
        Results.into_server(),
        Attributes.into_server(),
    ] {
        tools.extend(list(&server).await);
    }
    tools
}

#[tokio::test]
async fn every_schema_is_valid_and_free_of_noise() {
    let tools = everything().await;
    let names: BTreeSet<_> = tools.iter().map(|tool| tool["name"].to_string()).collect();
    assert!(names.len() >= 30);
    for tool in &tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            if schema.is_null() {
                continue;
            }
            jsonschema::draft202012::meta::validate(schema).unwrap();
            jsonschema::draft202012::new(schema).unwrap();
            for noise in [
                "\"title\":\"",
                "\"$schema\"",
                "\"uint",
                "\"int64",
                "\"double\"",
            ] {
                assert!(!schema.to_string().contains(noise), "{noise}: {schema}");
            }
        }
    }
}

#[tokio::test]
async fn schemas_stay_as_they_are() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/annotated/schemas.json");
    let found = serde_json::to_string_pretty(&everything().await).unwrap() + "\n";
    if std::env::var("SNAPSHOT").is_ok_and(|wish| wish == "write") {
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "schemas changed: run `SNAPSHOT=write cargo test -p mcp-runtime --test annotated` and look at the difference"
    );
}
