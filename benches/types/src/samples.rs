//! The messages that the benchmarks decode and encode.

use std::fmt::Write as _;

/// A call of 201 bytes, as a client in the handshake era sends it.
pub const CALL: &str = r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"search_books","arguments":{"title":"The Art of Computer Programming, Volumes ","limit":10,"language":"en","available":true},"_meta":{}}}"#;

/// Returns a list of fifty tools with schemas of typical size, 27 KB in total.
pub fn list() -> String {
    let mut tools = String::new();
    for index in 0..50 {
        let comma = if index == 0 { "" } else { "," };
        write!(
            tools,
            r#"{comma}{{"name":"tool_{index}","title":"Tool number {index}","description":"Looks into the catalogue of the library and returns what fits the question, the newest first.","inputSchema":{{"type":"object","properties":{{"query":{{"type":"string","description":"Words that occur in the title"}},"limit":{{"type":"integer","minimum":1,"maximum":100,"default":10}},"language":{{"type":"string","enum":["en","de","fr"]}}}},"required":["query"]}},"annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        )
        .expect("writing to a string");
    }
    format!(r#"{{"tools":[{tools}]}}"#)
}

/// Returns twenty content blocks of all kinds.
pub fn blocks() -> String {
    twenty(&[
        r#"{"type":"text","text":"A paragraph of an answer, as long as most of them are."}"#,
        r#"{"type":"text","text":"Another paragraph of it.","annotations":{"priority":0.5}}"#,
        r#"{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB","mimeType":"image/png"}"#,
        r#"{"type":"resource_link","uri":"file:///notes/today.md","name":"today","mimeType":"text/markdown"}"#,
        r#"{"type":"resource","resource":{"uri":"file:///notes/a.md","mimeType":"text/markdown","text":"Note"}}"#,
    ])
}

fn twenty(kinds: &[&str]) -> String {
    let blocks: Vec<_> = (0..20).map(|index| kinds[index % kinds.len()]).collect();
    format!("[{}]", blocks.join(","))
}
