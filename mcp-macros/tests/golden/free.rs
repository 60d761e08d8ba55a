use mcp_runtime::prelude::*;

/// Adds two whole numbers.
#[tool(crate = framework)]
pub async fn add(cx: &Context, a: i64, b: i64) -> i64 {
    a + b
}

/// Greets.
#[mcp_server(name = "greeter", revisions = "2025-06-18..", cache(ttl = "5m", scope = public))]
mod greeter {
    /// Repeats a word.
    #[tool(blocking, lenient)]
    fn repeat(times: u32, #[arg(lenient = false)] word: Word) -> String {
        word.repeat(times)
    }

    /// Greets one person.
    #[tool(blocking)]
    fn greet(#[arg(flatten)] person: Person) -> String {
        person.greeting()
    }
}

#[mcp_server(group = admin, blocking)]
impl Library {
    /// A shelf.
    #[resource("shelf://{id}", list = Self::shelves)]
    fn shelf(&self, #[arg(complete = Self::ids)] id: String) -> String {
        id
    }

    fn shelves() -> Vec<Resource> {
        Vec::new()
    }

    async fn ids(&self, request: &CompletionRequest) -> Vec<String> {
        vec![request.value().to_owned()]
    }

    #[tool]
    fn close(&self, user: &User, witness: Option<&Principal>) {}
}

#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User;
