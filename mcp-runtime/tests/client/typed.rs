//! Arguments of tools, and results that are decoded.

use mcp_runtime::serde::Deserialize;
use mcp_runtime::serde::de::DeserializeOwned;
use mcp_runtime::types::RawJson;
use mcp_runtime::{CallError, Client, ClientBuilder};
use serde_json::{Value, json};

use crate::support::scripted::{Scripted, operating, said, stateless};

fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").without_keep_alive()
}

/// Returns a client and a server of each era.
async fn clients() -> [(Client, Scripted); 2] {
    [operating(builder()).await, stateless(builder()).await]
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(crate = "mcp_runtime::serde")]
struct Place {
    city: Option<String>,
    code: Option<u32>,
}

fn lisbon() -> Place {
    let city = Some("Lisbon".to_owned());
    Place { city, code: None }
}

/// A client, a server with the tool `find`, and the tool's output schema, if it has one.
struct Finding {
    client: Client,
    server: Scripted,
    schema: Option<Value>,
}

impl Finding {
    /// Connects to such a server in each era.
    async fn in_each_era(schema: Option<Value>) -> [Self; 2] {
        clients().await.map(|(client, server)| Self {
            client,
            server,
            schema: schema.clone(),
        })
    }

    /// Returns the output of a call that is answered with `content`. If `lists`, the client must
    /// list the tools first.
    async fn found<Out>(&mut self, content: Value, lists: bool) -> Result<Out, CallError>
    where
        Out: DeserializeOwned + 'static,
    {
        let served = async {
            let (id, _) = self.server.expect("tools/call").await;
            let mut result = said("as text");
            result["structuredContent"] = content;
            self.server.answer(&id, result).await;
            if lists {
                let (id, _) = self.server.expect("tools/list").await;
                let mut tool = json!({"name": "find", "inputSchema": {"type": "object"}});
                if let Some(schema) = &self.schema {
                    tool["outputSchema"] = schema.clone();
                }
                self.server.answer(&id, json!({"tools": [tool]})).await;
            }
        };
        let call = self.client.call::<Out>("find", ());
        tokio::join!(call.into_future(), served).0
    }
}

fn wrapper() -> Option<Value> {
    Some(json!({"type": "object", "properties": {"result": {}}, "required": ["result"]}))
}

#[tokio::test(start_paused = true)]
async fn a_wrapper_is_known_by_the_schema_of_its_tool() {
    for mut finding in Finding::in_each_era(wrapper()).await {
        let content = || json!({"result": {"city": "Lisbon"}});
        // The tools are listed once, when the list is needed for the first time.
        for lists in [true, false] {
            let found = finding.found::<Option<Place>>(content(), lists).await;
            assert_eq!(found.unwrap(), Some(lisbon()));
        }
        let nothing = json!({"result": null});
        let found = finding.found::<Option<Place>>(nothing, false).await;
        assert_eq!(found.unwrap(), None);
        let found = finding.found::<Place>(content(), false).await;
        assert_eq!(found.unwrap(), lisbon());
        let misfit = json!({"result": {"code": "x"}});
        let misfit = finding.found::<Place>(misfit, false).await.unwrap_err();
        assert!(misfit.to_string().contains("expected u32"), "{misfit}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_member_called_result_does_not_make_an_object_a_wrapper() {
    let content = || json!({"result": {"a": 1}});
    for schema in [
        Some(json!({"properties": {"result": {}, "unit": {}}, "required": ["result"]})),
        Some(json!({"type": "object", "properties": {"result": {}}})),
        Some(json!({"type": "object"})),
        None,
    ] {
        for mut finding in Finding::in_each_era(schema.clone()).await {
            let found = finding.found::<Value>(content(), true).await;
            assert_eq!(found.unwrap(), content(), "{schema:?}");
            let is_trial = finding.found::<i64>(json!({"result": 5}), false).await;
            assert_eq!(is_trial.is_ok(), schema.is_none(), "{is_trial:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_struct_with_a_member_result_is_decoded_as_a_whole() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(crate = "mcp_runtime::serde")]
    struct Sum {
        result: i64,
    }

    for mut finding in Finding::in_each_era(wrapper()).await {
        let sum = finding.found::<Sum>(json!({"result": 5}), true).await;
        assert_eq!(sum.unwrap(), Sum { result: 5 });
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_succeeded_does_not_fail_because_tools_can_not_be_listed() {
    for (client, mut server) in clients().await {
        let served = async {
            let (id, _) = server.expect("tools/call").await;
            let mut result = said("5");
            result["structuredContent"] = json!({"result": 5});
            server.answer(&id, result).await;
            let (id, _) = server.expect("tools/list").await;
            server.refuse(&id, -32603, json!({})).await;
        };
        let call = client.call::<i64>("find", ()).into_future();
        assert_eq!(tokio::join!(call, served).0.unwrap(), 5);
    }
}

#[tokio::test(start_paused = true)]
async fn content_that_is_not_a_wrapper_needs_no_list() {
    for mut finding in Finding::in_each_era(wrapper()).await {
        let place = json!({"city": "Lisbon"});
        let found = finding.found::<Option<Place>>(place, false).await;
        assert_eq!(found.unwrap(), Some(lisbon()));
    }
}

/// Checks that a call with these arguments fails, with an error that names their kind.
macro_rules! refused {
    ($client:expr, $($arguments:expr => $kind:literal)*) => {$({
        let error = $client.call_tool("delete", $arguments).await.unwrap_err();
        assert!(matches!(error, CallError::Params(_)), "{error}");
        let expected = concat!("the arguments of a tool must be a JSON object, not ", $kind);
        assert!(error.to_string().ends_with(expected), "{error}");
        let error = $client.call::<Value>("delete", $arguments).await.unwrap_err();
        assert!(matches!(error, CallError::Params(_)), "{error}");
    })*};
}

#[tokio::test]
async fn arguments_that_are_not_an_object_are_refused() {
    for (client, mut server) in clients().await {
        refused! {
            client,
            "draft.md" => "a string"
            String::from("draft.md") => "a string"
            7 => "a number"
            -7.5 => "a number"
            true => "a boolean"
            ["draft.md"] => "an array"
            vec!["draft.md"] => "an array"
            ("name", "draft.md") => "an array"
            Some("draft.md") => "a string"
            json!(["draft.md"]) => "an array"
            RawJson::from_text("[]").unwrap() => "an array"
        }
        // These calls are the first messages.
        let calls = async {
            client.call_tool("delete", ()).await.unwrap();
            client.call_tool("delete", None::<&str>).await.unwrap();
            client.call_tool("delete", json!({"a": 1})).await.unwrap();
        };
        let served = async {
            for expected in [None, None, Some(json!({"a": 1}))] {
                let (id, params) = server.expect("tools/call").await;
                let arguments = params.get("arguments").filter(|it| **it != json!({}));
                assert_eq!(arguments, expected.as_ref());
                server.answer(&id, said("done")).await;
            }
        };
        tokio::join!(calls, served);
    }
}

#[tokio::test(start_paused = true)]
async fn bindings_read_values_with_and_without_a_wrapper() {
    for (client, mut server) in clients().await {
        for content in [json!([1, 2]), json!({"result": [1, 2]})] {
            let served = async {
                let (id, _) = server.expect("tools/call").await;
                let mut result = said("as text");
                result["structuredContent"] = content;
                server.answer(&id, result).await;
            };
            let call = client.call::<Vec<i64>>("find", ()).wrapped(true);
            assert_eq!(tokio::join!(call.into_future(), served).0.unwrap(), [1, 2]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_fit_bindings_names_the_tool_and_the_place() {
    for (client, mut server) in clients().await {
        let served = async {
            let (id, _) = server.expect("tools/call").await;
            let mut result = said("as text");
            result["structuredContent"] = json!({"code": 7, "city": 8});
            server.answer(&id, result).await;
        };
        let call = client.call::<Place>("find", ()).wrapped(false);
        let error = tokio::join!(call.into_future(), served).0.unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("tool `find`: structuredContent.city: "),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_tool_without_a_type_is_an_error_where_that_is_asked_for() {
    for (client, mut server) in clients().await {
        let served = async {
            let (id, _) = server.expect("tools/call").await;
            let mut result = said("out of order");
            result["isError"] = json!(true);
            server.answer(&id, result).await;
        };
        let call = client.call_tool("find", ()).error_for_failure();
        let failed = tokio::join!(call.into_future(), served).0;
        assert!(matches!(failed, Err(CallError::Tool(text)) if text == "out of order"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_template_is_expanded_before_its_resource_is_read() {
    let (client, mut server) = operating(builder()).await;
    let served = async {
        let (id, params) = server.expect("resources/read").await;
        assert_eq!(params["uri"], "city://New%20York/a?unit=c");
        server.answer(&id, json!({"contents": []})).await;
    };
    let variables = [("name", "New York"), ("path", "a"), ("unit", "c")];
    let call = client.read_template("city://{name}/{+path}{?unit,lang}", variables);
    tokio::join!(call.into_future(), served).0.unwrap();
    for wrong in ["city://{name", "city://{né}", "ville://é{name"] {
        let none = client.read_template(wrong, variables).await;
        assert!(
            matches!(none, Err(CallError::Params(_))),
            "{wrong}: {none:?}"
        );
    }
}
