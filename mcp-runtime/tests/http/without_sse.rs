//! Our client without the feature `sse`, with servers that support nothing newer than HTTP+SSE.

use mcp_runtime::Client;
use mcp_runtime::transport::http_client::http_client;

use crate::scripted::Scripted;
use crate::support::clock::in_time;

#[tokio::test]
async fn a_server_of_the_oldest_transport_is_a_hint_at_the_feature() {
    for (status, offers_stream) in [(404, true), (405, true), (404, false)] {
        let server = Scripted::new(move |exchange| async move {
            if exchange.verb == "POST" {
                let html = "content-type: text/html\r\n";
                exchange
                    .reply(status, html, "<pre>Cannot POST /sse</pre>")
                    .await;
            } else if offers_stream {
                let endpoint = "event: endpoint\ndata: /messages?session=1\n\n";
                exchange.stream(endpoint).await.hang().await;
            } else {
                exchange.reply(404, "", "").await;
            }
        });
        let url = format!("http://{}/sse", server.await.addr);
        let connected = Client::builder("test", "1").connect(http_client(url));
        let text = in_time(connected).await.unwrap_err().to_string();
        let hint = "the feature `sse` of mcp-runtime is needed";
        assert_eq!(text.contains(hint), offers_stream, "{text}");
        assert_eq!(text.contains("Cannot POST"), !offers_stream, "{text}");
    }
}
