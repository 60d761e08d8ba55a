#![allow(unused)]

use mcp_runtime::Client;
use mcp_runtime::client::{ElicitReply, Form};

struct Ui;

impl Ui {
    async fn ask(self, form: Form) -> ElicitReply {
        form.decline()
    }
}

fn client(ui: Ui) {
    let client = Client::builder("app", "1").on_form(move |form| async move { ui.ask(form).await });
}

fn main() {}
