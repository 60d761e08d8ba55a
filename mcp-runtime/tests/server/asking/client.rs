//! Clients that answer questions automatically.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_runtime::client::{ElicitReply, Form, Page, Roots};
use mcp_runtime::transport::memory;
use mcp_runtime::types::{
    ContentBlock, CreateMessageRequestParams, CreateMessageResult, ErrorObject, RawJson, Role,
    Root, SamplingMessageContentBlock, ServerNotification, TextContent, ToolUseContent,
};
use mcp_runtime::{CallError, Client, ClientBuilder, Revision};
use serde_json::json;

use super::server::server;
use crate::support::client::{self, builder};
use crate::support::clock::until;

const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

async fn connect(builder: ClientBuilder, revision: Revision) -> Client {
    client::connect(builder.revision(revision), &server()).await
}

async fn fill_in(form: Form) -> ElicitReply {
    match form.message() {
        "What is your name?" | "How are you?" => form.accept(json!({"answer": "Ada"})),
        "Where do you want to go?" => form.accept(json!({"city": "Rome", "nights": 2})),
        _ => form.accept(json!({"answer": true})),
    }
}

async fn visit(page: Page) -> ElicitReply {
    assert_eq!(page.url(), "https://pay.example.com/17");
    page.accept()
}

async fn write(params: CreateMessageRequestParams) -> Result<CreateMessageResult, ErrorObject> {
    let said = |content| Ok(CreateMessageResult::new(Role::Assistant, content, "model"));
    let text = |text| SamplingMessageContentBlock::Text(TextContent::new(text));
    let last = params.messages.last().unwrap();
    match (&params.tools, &last.content.as_slice()[0]) {
        (Some(_), SamplingMessageContentBlock::ToolResult(_)) => said(text("It is 17 degrees.")),
        (Some(tools), _) => {
            let usage = ToolUseContent::new("use-1", &tools[0].name, RawJson::empty_object());
            said(SamplingMessageContentBlock::ToolUse(usage))
        }
        _ => said(text("Roses are red")),
    }
}

fn able() -> ClientBuilder {
    let roots = Roots::new([Root::new("file:///a"), Root::new("file:///b")]);
    builder()
        .on_form(fill_in)
        .on_page(visit)
        .on_sample(write)
        .sample_with_tools()
        .roots(roots)
}

async fn call(client: &Client, tool: &str) -> String {
    let result = client.call_tool(tool, json!({})).await.unwrap();
    match &result.content[..] {
        [ContentBlock::Text(text)] => text.text.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn handlers_get_the_same_answers_in_both_eras() {
    for revision in REVISIONS {
        let client = connect(able(), revision).await;
        for (tool, said) in [
            ("book", "2 nights in Rome, breakfast: None"),
            ("mood", "answered"),
            ("poem", "Roses are red"),
            ("weather", "It is 17 degrees."),
            ("folders", "file:///a, file:///b"),
            ("everything", "Ada, Roses are red, 2 roots"),
            ("charge", "receipt 1"),
            ("by_hand", "Ada: Roses are red (first, second)"),
            ("pay", "paid"),
            ("delegate", "Ada"),
        ] {
            assert_eq!(call(&client, tool).await, said, "{tool} in {revision}");
        }
        client.close().await;
    }
}

#[tokio::test]
async fn prompts_and_resources_ask_as_well() {
    let remember = async |form: Form| form.accept(json!({"answer": "all"}));
    for revision in REVISIONS {
        let client = connect(builder().on_form(remember), revision).await;
        let none: [(&str, &str); 0] = [];
        let prompt = client.get_prompt("greeting", none).await.unwrap();
        assert_eq!(
            prompt.messages[0].content,
            ContentBlock::Text(TextContent::new("Hello, all!"))
        );
        let resource = client.read_resource("memory://last").await.unwrap();
        let contents = serde_json::to_value(&resource.contents[0]).unwrap();
        assert_eq!(contents["text"], "all", "{revision}");
    }
}

#[tokio::test]
async fn what_nobody_answers_is_not_declared() {
    for revision in REVISIONS {
        let client = connect(builder().on_page(visit), revision).await;
        let error = client.call_tool("book", json!({})).await.unwrap_err();
        let CallError::Rpc(error) = error else {
            panic!("{error}")
        };
        let expected = match revision.era() {
            mcp_runtime::Era::Handshake => -32602,
            mcp_runtime::Era::Stateless => -32021,
        };
        assert_eq!(error.code, expected, "{error}");
        assert_eq!(call(&client, "pay").await, "paid");
    }
}

#[tokio::test]
async fn what_does_not_fit_the_form_is_not_sent() {
    let wrong = async |form: Form| form.accept(json!({"city": "Rome", "nights": 99}));
    for revision in REVISIONS {
        let client = connect(builder().on_form(wrong), revision).await;
        let outcome = client.call_tool("book", json!({})).await;
        match outcome {
            Ok(result) => assert_eq!(result.is_error, Some(true)),
            Err(CallError::Unanswered { error, .. }) => {
                assert!(error.message.contains("nights"), "{error}");
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_takes_its_question_with_it() {
    struct Dropped(Arc<AtomicUsize>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    for revision in REVISIONS {
        let dropped = Arc::new(AtomicUsize::new(0));
        let (asked, mut question) = tokio::sync::mpsc::channel(1);
        let counter = Arc::clone(&dropped);
        let patient = move |_: Form| {
            let asked = asked.clone();
            let guard = Dropped(Arc::clone(&counter));
            async move {
                asked.send(()).await.unwrap();
                std::future::pending::<()>().await;
                drop(guard);
                ElicitReply::cancel()
            }
        };
        let client = connect(builder().on_form(patient), revision).await;
        let call = client.call_tool("book", json!({}));
        let call = tokio::spawn(call.into_future());
        question.recv().await.unwrap();
        assert_eq!(dropped.load(Ordering::SeqCst), 0);
        call.abort();
        let is_dropped = || dropped.load(Ordering::SeqCst) > 0;
        until("the question is dropped", is_dropped).await;
        client.list_tools().await.expect("the connection goes on");
    }
}

#[tokio::test]
async fn a_server_that_never_has_enough_is_given_up() {
    for revision in REVISIONS {
        let again = async |form: Form| form.accept(json!({"answer": "more"}));
        let client = connect(builder().on_form(again).max_rounds(3), revision).await;
        if revision.era() == mcp_runtime::Era::Stateless {
            let error = client.call_tool("insatiable", json!({})).await.unwrap_err();
            assert!(
                matches!(error, CallError::TooManyRounds { rounds: 3, .. }),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn a_call_may_be_refused_until_the_user_has_been_to_a_page() {
    let visit = async |page: Page| page.accept();
    let client = connect(builder().on_page(visit), Revision::V2025_11_25).await;
    let error = client.call_tool("vault", json!({})).await.unwrap_err();
    let pages = error.required_pages().unwrap();
    assert_eq!(pages[0].url, "https://vault.example.com");
    assert_eq!(pages[0].elicitation_id.as_deref(), Some("18"));
    let client = connect(builder().on_page(visit), Revision::V2026_07_28).await;
    assert_eq!(call(&client, "vault").await, "open");
}

#[tokio::test]
async fn the_client_hears_that_the_user_is_done_with_a_page() {
    let visit = async |page: Page| page.accept();
    let client = connect(builder().on_page(visit), Revision::V2025_11_25).await;
    let mut notifications = client.notifications();
    assert_eq!(call(&client, "pay").await, "paid");
    let told = notifications.next().await.unwrap();
    let ServerNotification::ElicitationComplete(done) = told else {
        panic!("{told:?}")
    };
    assert_eq!(done.elicitation_id, "17");
}

#[tokio::test]
async fn servers_of_the_handshake_era_hear_that_roots_have_changed() {
    let roots = Roots::new([Root::new("file:///a")]);
    let (ours, theirs) = memory::pair();
    let mut wire = crate::support::Wire::with(theirs, tokio::spawn(async { Ok(()) })).await;
    let builder = builder().roots(&roots).revision(Revision::V2025_11_25);
    let connecting = tokio::spawn(builder.connect(ours));
    let hello = wire.next().await.unwrap();
    let declared = &hello["params"]["capabilities"];
    assert_eq!(*declared, json!({"roots": {"listChanged": true}}));
    let result = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "serverInfo": {"name": "s", "version": "1"},
    });
    wire.send(json!({"jsonrpc": "2.0", "id": hello["id"], "result": result}))
        .await;
    let client = connecting.await.unwrap().unwrap();
    assert_eq!(
        wire.next().await.unwrap()["method"],
        "notifications/initialized"
    );
    roots.set([Root::new("file:///b")]);
    let told = wire.next().await.unwrap();
    assert_eq!(told["method"], "notifications/roots/list_changed");
    let asked = json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"});
    let answer = wire.ask(asked).await;
    assert_eq!(answer["result"]["roots"], json!([{"uri": "file:///b"}]));
    drop(client);
}
