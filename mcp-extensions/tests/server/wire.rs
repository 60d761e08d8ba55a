//! A client of the stateless era that sends exactly the messages of a test.

use mcp_runtime::Server;
use mcp_runtime::serde_json::{Value, json};
use mcp_runtime::transport::memory;

use crate::lines::Lines;

pub const ID: &str = "io.modelcontextprotocol/tasks";

pub struct Wire {
    lines: Lines,
    last: u32,
    serving: tokio::task::JoinHandle<Result<(), mcp_runtime::ServeError>>,
    /// The capabilities and extensions that requests declare.
    pub capabilities: Value,
}

impl Wire {
    /// Connects a client that declares tasks and elicitation.
    pub async fn to(server: &Server) -> Self {
        let (ours, theirs) = memory::pair();
        let serving = tokio::spawn(server.serve(theirs).signals(false).into_future());
        Self {
            lines: Lines::open(ours).await,
            last: 0,
            serving,
            capabilities: json!({"elicitation": {}, "extensions": {ID: {}}}),
        }
    }

    pub async fn send(&mut self, method: &str, mut params: Value) -> u32 {
        self.last += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        let message =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.send_raw(&message).await;
        self.last
    }

    pub async fn send_raw(&mut self, message: &Value) {
        self.lines.send(message.clone()).await;
    }

    /// Receives the next message.
    pub async fn next(&mut self) -> Value {
        self.lines.next().await
    }

    /// Sends a request, and returns its result or error.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let answer = self.next().await;
        assert_eq!(answer["id"], id, "{answer}");
        match answer.get("result") {
            Some(result) => result.clone(),
            None => answer["error"].clone(),
        }
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// Calls a tool that answers with a task, and returns the id of the task.
    pub async fn start(&mut self, tool: &str, arguments: Value) -> String {
        let created = self.call(tool, arguments).await;
        assert_eq!(created["resultType"], "task", "{created}");
        created["taskId"].as_str().unwrap().to_owned()
    }

    pub async fn get(&mut self, id: &str) -> Value {
        self.ask("tasks/get", json!({"taskId": id})).await
    }

    pub async fn update(&mut self, id: &str, answers: Value) -> Value {
        self.ask(
            "tasks/update",
            json!({"taskId": id, "inputResponses": answers}),
        )
        .await
    }

    pub async fn cancel(&mut self, id: &str) -> Value {
        self.ask("tasks/cancel", json!({"taskId": id})).await
    }

    /// Ends the connection, and waits until the server has shut down.
    pub async fn close(self) {
        self.shut_down().await.unwrap();
    }

    /// Ends the connection, and returns the outcome of the server.
    pub async fn shut_down(self) -> Result<(), mcp_runtime::ServeError> {
        drop(self.lines);
        self.serving.await.unwrap()
    }

    /// Waits until a task has ended.
    pub async fn until_final(&mut self, id: &str) -> Value {
        loop {
            let status = self.get(id).await;
            if status["status"] != "working" && status["status"] != "input_required" {
                return status;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    /// Waits until a task has this state.
    pub async fn until(&mut self, id: &str, state: &str) -> Value {
        loop {
            let status = self.get(id).await;
            if status["status"] == state {
                return status;
            }
            assert!(
                status["status"] == "working" || status["status"] == "input_required",
                "{status}"
            );
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
}
