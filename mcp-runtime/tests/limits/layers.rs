//! Limits of layers.

driven! {
    #[cfg(feature = "layer")]
    MAX_BUCKETS by max_buckets,
}

#[cfg(feature = "layer")]
async fn max_buckets() {
    use std::time::Duration;

    use mcp_runtime::layer::{McpRequest, Next, RateLimit, from_fn};
    use mcp_runtime::transport::http::Principal;
    use serde_json::{Value, json};

    use crate::support::{Wire, builder, call};

    let mut server = builder();
    server.layer(from_fn(async |mut request: McpRequest, next: Next| {
        let params: Value = request.parse_params()?;
        request.insert(Principal::new(params["arguments"]["as"].to_string()));
        next.run(request).await
    }));
    server.layer(RateLimit::per_principal(1, Duration::from_secs(36_000)));
    let mut wire = Wire::to(&server.build()).await;
    wire.handshake("2025-06-18").await;
    let mut is_served = async |principal: usize| {
        let answer = wire.ask(call(1, "echo", json!({"as": principal}))).await;
        answer["result"].is_object()
    };
    for principal in 0..10_000 {
        assert!(is_served(principal).await, "{principal}");
    }
    // All buckets are kept, so they are still empty.
    for principal in [0, 5_000, 9_999] {
        assert!(!is_served(principal).await, "{principal}");
    }
    // For one more bucket, the buckets that will be full next are dropped.
    assert!(is_served(10_000).await);
    assert!(is_served(0).await);
    assert!(!is_served(9_999).await);
}
