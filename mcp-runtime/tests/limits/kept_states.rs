//! States of calls that wait for answers, which only builds without `seal` keep.

driven! {
    #[cfg(not(feature = "seal"))]
    MAX_KEPT_STATES by max_kept_states,
}

#[cfg(not(feature = "seal"))]
async fn max_kept_states() {
    use mcp_runtime::prelude::*;
    use serde_json::{Value, json};

    use crate::support::{Wire, stateless};

    struct Asking;

    #[mcp_server(undocumented = "allow")]
    impl Asking {
        #[tool]
        async fn ask(&self, cx: &Context) -> Result<String, ToolError> {
            Ok(cx.elicit("Who?").await?)
        }
    }

    let mut wire = Wire::to(&Asking.into_server()).await;
    let mut call = async |rest: Value| {
        let mut params = json!({"name": "ask"});
        params
            .as_object_mut()
            .unwrap()
            .extend(rest.as_object().unwrap().clone());
        let mut message = stateless(1, "tools/call", params);
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        message["params"]["_meta"][capabilities] = json!({"elicitation": {"form": {}}});
        wire.ask(message).await
    };
    let mut states = Vec::new();
    for _ in 0..1025 {
        let asked = call(json!({})).await["result"].take();
        let key = asked["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .clone();
        states.push((asked["requestState"].clone(), key));
    }
    for (index, code) in [(1024, None), (1, None), (0, Some(-32602))] {
        let (state, key) = &states[index];
        let answers = json!({key: {"action": "accept", "content": {"answer": "me"}}});
        let answer = call(json!({"requestState": state, "inputResponses": answers})).await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{index}: {answer}");
    }
}
