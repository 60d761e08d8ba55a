//! A client that answers questions in either era, and records them.

use serde_json::{Map, Value, json};

use crate::support::{Wire, initialize, request};

/// All revisions in which the user can be asked.
pub(crate) const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

const STATELESS: &str = "2026-07-28";

/// The method and parameters of a request to the client.
pub(crate) type Question = (String, Value);

pub(crate) struct Party {
    pub(crate) wire: Wire,
    revision: &'static str,
    capabilities: Value,
    last_id: i64,
    pub(crate) asked: Vec<Question>,
    pub(crate) rounds: usize,
}

/// Returns all capabilities that a client can have.
pub(crate) fn able() -> Value {
    json!({
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}},
        "roots": {"listChanged": true},
    })
}

impl Party {
    pub(crate) async fn new(revision: &'static str, capabilities: Value) -> Self {
        Self::with(&super::server::server(), revision, capabilities).await
    }

    pub(crate) async fn with(
        server: &mcp_runtime::Server,
        revision: &'static str,
        capabilities: Value,
    ) -> Self {
        let mut wire = Wire::to(server).await;
        if revision != STATELESS {
            let mut hello = initialize(revision);
            hello["params"]["capabilities"] = capabilities.clone();
            let answer = wire.ask(hello).await;
            assert_eq!(answer["result"]["protocolVersion"], revision);
            wire.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
                .await;
        }
        Self {
            wire,
            revision,
            capabilities,
            last_id: 0,
            asked: Vec::new(),
            rounds: 0,
        }
    }

    /// Calls a tool, answers its questions, and returns the response.
    pub(crate) async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
        answer: impl Fn(&str, &Value) -> Value,
    ) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.request("tools/call", params, answer).await
    }

    pub(crate) async fn request(
        &mut self,
        method: &str,
        params: Value,
        answer: impl Fn(&str, &Value) -> Value,
    ) -> Value {
        let mut response = self.send(method, &params, Map::new()).await;
        loop {
            if let Some(asked) = response["method"].as_str() {
                let result = self.answer(asked, &response["params"], &answer);
                let message = json!({"jsonrpc": "2.0", "id": response["id"], "result": result});
                response = self.wire.ask(message).await;
            } else if response["result"]["resultType"] == "input_required" {
                let retry = self.retry(&response["result"], &answer);
                response = self.send(method, &params, retry).await;
            } else {
                return response;
            }
        }
    }

    /// Returns the additional parameters of a retry.
    pub(crate) fn retry(
        &mut self,
        wanted: &Value,
        answer: impl Fn(&str, &Value) -> Value,
    ) -> Map<String, Value> {
        let requests = wanted["inputRequests"].as_object().unwrap();
        let responses: Map<_, _> = requests
            .iter()
            .map(|(key, request)| {
                let method = request["method"].as_str().unwrap();
                (
                    key.clone(),
                    self.answer(method, &request["params"], &answer),
                )
            })
            .collect();
        let mut retry = Map::new();
        retry.insert("inputResponses".to_owned(), responses.into());
        retry.insert("requestState".to_owned(), wanted["requestState"].clone());
        retry
    }

    fn answer(
        &mut self,
        method: &str,
        params: &Value,
        answer: impl Fn(&str, &Value) -> Value,
    ) -> Value {
        self.asked.push((method.to_owned(), params.clone()));
        answer(method, params)
    }

    pub(crate) async fn send(
        &mut self,
        method: &str,
        params: &Value,
        extra: Map<String, Value>,
    ) -> Value {
        self.rounds += 1;
        self.last_id += 1;
        let mut params = params.clone();
        params.as_object_mut().unwrap().extend(extra);
        if self.revision == STATELESS {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
        }
        self.wire.ask(request(self.last_id, method, params)).await
    }
}

pub(crate) fn text(response: &Value) -> &str {
    let text = response["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{response}"))
}
