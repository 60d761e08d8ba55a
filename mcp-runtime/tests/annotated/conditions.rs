//! Questions that are asked only if a condition holds.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use mcp_runtime::client::Form;
use mcp_runtime::prelude::*;
use mcp_runtime::{Client, Era, testing};
use serde_json::{Value, json};

struct Files {
    names: Mutex<Vec<String>>,
}

#[mcp_server(undocumented = "allow")]
impl Files {
    /// Writes a file, and asks first if the file exists.
    #[tool]
    fn write(
        &self,
        #[arg(rename = "text")] contents: String,
        name: String,
        #[elicit("Overwrite {name}?", when = Self::exists)] overwrite: Option<bool>,
    ) -> String {
        self.names.lock().unwrap().push(name);
        format!("{contents}: {overwrite:?}")
    }

    /// Removes a file. The function can tell a refusal from a question that was not asked.
    #[tool(blocking)]
    fn remove(
        &self,
        name: String,
        folders: bool,
        #[elicit("Why {name}?", when = Self::exists)] reason: Option<Option<String>>,
        #[elicit("All of it?", when = Self::is_large)] all: Option<bool>,
    ) -> String {
        format!("{reason:?} {all:?} {folders} {}", name.len())
    }

    fn exists(&self, name: &str) -> bool {
        self.names.lock().unwrap().iter().any(|known| known == name)
    }

    /// A condition that is async, takes no `self`, and has its parameters in a different order.
    async fn is_large(folders: &bool, name: &str) -> bool {
        tokio::task::yield_now().await;
        *folders && name.len() > 1
    }
}

async fn connect(era: Era, is_accepting: bool) -> (Client, Arc<AtomicU32>) {
    let files = Files {
        names: Mutex::new(vec!["a".to_owned()]),
    };
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let answering = Client::builder("answering", "1").on_form(move |form: Form| {
        count.fetch_add(1, Ordering::Relaxed);
        let name = form.schema().properties.keys().next().unwrap().clone();
        let value = match name.as_str() {
            "reason" => json!("old"),
            _ => json!(true),
        };
        let reply = if is_accepting {
            form.accept(json!({name: value}))
        } else {
            form.decline()
        };
        async move { reply }
    });
    let client = testing::connect(files).client(answering).era(era);
    (client.await.unwrap(), asked)
}

async fn text(client: &Client, tool: &str, arguments: Value) -> String {
    let result = client.call_tool(tool, arguments).await.unwrap();
    result.content[0].as_text().unwrap().to_owned()
}

#[tokio::test]
async fn a_question_is_asked_where_its_condition_holds() {
    for era in [Era::Handshake, Era::Stateless] {
        let (client, asked) = connect(era, true).await;
        for (name, said, questions) in [("b", "x: None", 0), ("a", "x: Some(true)", 1)] {
            let arguments = json!({"text": "x", "name": name});
            assert_eq!(text(&client, "write", arguments).await, said, "{era:?}");
            assert_eq!(asked.swap(0, Ordering::Relaxed), questions, "{era:?}");
        }
        for (name, folders, said, questions) in [
            ("a", true, "Some(Some(\"old\")) None true 1", 1),
            ("cd", true, "None Some(true) true 2", 1),
            ("cd", false, "None None false 2", 0),
        ] {
            let arguments = json!({"name": name, "folders": folders});
            assert_eq!(text(&client, "remove", arguments).await, said, "{era:?}");
            assert_eq!(asked.swap(0, Ordering::Relaxed), questions, "{era:?}");
        }
    }
}

#[tokio::test]
async fn a_declined_question_differs_from_one_that_was_not_asked() {
    for era in [Era::Handshake, Era::Stateless] {
        let (client, _) = connect(era, false).await;
        let refused = text(&client, "write", json!({"text": "x", "name": "a"})).await;
        assert_eq!(refused, "the user declined to answer");
        let removed = text(&client, "remove", json!({"name": "a", "folders": false})).await;
        assert_eq!(removed, "Some(None) None false 1");
    }
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_is_served_where_nothing_is_asked() {
    for era in [Era::Handshake, Era::Stateless] {
        let files = Files {
            names: Mutex::default(),
        };
        let client = testing::connect(files).era(era).await.unwrap();
        let written = text(&client, "write", json!({"text": "x", "name": "a"})).await;
        assert_eq!(written, "x: None");
    }
}
