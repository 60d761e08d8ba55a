//! Tools that ask under the keys that the suite expects.

use mcp_runtime::prelude::*;

pub(crate) struct Rounds;

#[derive(Deserialize, JsonSchema, Elicit)]
struct Named {
    name: String,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Confirmed {
    ok: bool,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Favourite {
    color: String,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Background {
    context: String,
}

/// Tools that ask under given keys.
#[mcp_server(name = "conformance-server")]
impl Rounds {
    /// Asks for a name.
    #[tool]
    async fn test_input_required_result_elicitation(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        let user: Named = cx.elicit("What is your name?").key("user_name").await?;
        Ok(format!("Hello, {}!", user.name))
    }

    /// Asks a model.
    #[tool]
    async fn test_input_required_result_sampling(&self, cx: &Context) -> Result<String, AskError> {
        let question = cx.sample("What is the capital of France?").max_tokens(100);
        Ok(question.key("capital_question").await?.text())
    }

    /// Asks for the roots.
    #[tool]
    async fn test_input_required_result_list_roots(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        let roots = cx.roots().key("client_roots").await?;
        Ok(format!("{} roots", roots.len()))
    }

    /// Asks, and recognizes its own question when the client answers.
    #[tool]
    async fn test_input_required_result_request_state(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        let sure = confirm(cx).await?;
        Ok(format!("state-ok: {sure}"))
    }

    /// Asks the user, the model and the client at the same time.
    #[tool]
    async fn test_input_required_result_multiple_inputs(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        let name = cx.elicit::<Named>("What is your name?").key("user_name");
        let greeting = cx.sample("Generate a greeting").key("greeting");
        let roots = cx.roots().key("client_roots");
        let (user, greeting, roots) = cx.ask_all((name, greeting, roots)).await?;
        let name = user.name;
        let text = greeting.text();
        Ok(format!("{text}, {name}, with {} roots", roots.len()))
    }

    /// Asks twice.
    #[tool]
    async fn test_input_required_result_multi_round(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        let user: Named = cx.elicit("What is your name?").key("step1").await?;
        let favourite = cx.elicit::<Favourite>("What is your favorite color?");
        let color = favourite.key("step2").await?.color;
        Ok(format!("{} likes {color}", user.name))
    }

    /// Asks, and rejects a request state that it did not issue.
    #[tool]
    async fn test_input_required_result_tampered_state(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        let sure = confirm(cx).await?;
        Ok(format!("confirmed: {sure}"))
    }

    /// Asks in a way that the client supports.
    #[tool]
    async fn test_input_required_result_capabilities(
        &self,
        cx: &Context,
    ) -> Result<String, AskError> {
        match cx.elicit::<Named>("What is your name?").await {
            Err(AskError::Unsupported { .. }) => Ok(cx.sample("Make up a name").await?.text()),
            user => Ok(user?.name),
        }
    }

    /// Asks for the context of the prompt.
    #[prompt]
    async fn test_input_required_result_prompt(&self, cx: &Context) -> Result<String, AskError> {
        let question = cx.elicit::<Background>("What is this about?");
        let about = question.key("user_context").await?.context;
        Ok(format!("Please consider: {about}"))
    }
}

async fn confirm(cx: &Context) -> Result<bool, AskError> {
    let question = cx.elicit::<Confirmed>("Please confirm").key("confirm");
    Ok(question.await?.ok)
}
