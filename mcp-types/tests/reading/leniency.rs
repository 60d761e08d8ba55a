use mcp_types::{
    CallToolResult, ContentBlock, GetPromptResult, InitializeResult, InputRequiredResult,
    ListResourcesResult, ListToolsResult, Misfit, RawJsonRef, ReadResourceResult, Revision, read,
};
use serde::de::DeserializeOwned;

const OLDER: Revision = Revision::V2025_06_18;

fn parts<T: DeserializeOwned>(json: &str, revision: Revision) -> Result<(T, Vec<String>), Misfit> {
    let name = std::any::type_name::<T>().rsplit("::").next().unwrap();
    let (value, misfits) = read(RawJsonRef::from_text(json).unwrap(), name, revision)?;
    Ok((value, misfits.iter().map(ToString::to_string).collect()))
}

fn whole<T: DeserializeOwned>(json: &str, revision: Revision) -> T {
    let (value, misfits) = parts(json, revision).unwrap();
    assert_eq!(misfits, [""; 0], "{json}");
    value
}

fn refused<T: DeserializeOwned>(json: &str, revision: Revision) -> String {
    parts::<T>(json, revision)
        .map(drop)
        .unwrap_err()
        .to_string()
}

#[test]
fn a_member_of_another_revision_is_the_senders_own() {
    for own in [
        r#""resultType":"done""#,
        r#""resultType":5,"\u0074tlMs":"1h""#,
        r#""ttlMs":60000,"cacheScope":7"#,
    ] {
        let list = whole::<ListToolsResult>(&format!(r#"{{"tools":[],{own}}}"#), OLDER);
        assert_eq!(
            (list.result_type, list.ttl_ms, list.cache_scope),
            (None, None, None)
        );
    }
    let tool = r#"{"tools":[{"name":"a","inputSchema":{},"icons":5,"title":"t","execution":[]}]}"#;
    let tool = whole::<ListToolsResult>(tool, OLDER).tools.remove(0);
    assert_eq!((tool.icons, tool.title.as_deref()), (None, Some("t")));
    let call = r#"{"content":[],"structuredContent":{"a":1},"_meta":{"b":2}}"#;
    let call = whole::<CallToolResult>(call, Revision::V2024_11_05);
    assert_eq!(call.structured_content, None);
    assert_eq!(call.meta.unwrap().extra["b"], 2);
    // The newest revision has no `execution`.
    let tool =
        r#"{"tools":[{"name":"a","inputSchema":{},"execution":{"taskSupport":"required"}}]}"#;
    let tool = whole::<ListToolsResult>(tool, Revision::LATEST)
        .tools
        .remove(0);
    assert_eq!(tool.execution, None);
}

#[test]
fn an_empty_list_can_be_an_empty_object() {
    let json = r#"{"protocolVersion":"2025-06-18","serverInfo":{"name":"a","version":"1"},
        "capabilities":{"experimental":[],"logging":[ ],"tools":[],"completions":[]},"_meta":[]}"#;
    let capabilities = whole::<InitializeResult>(json, OLDER).capabilities;
    assert!(capabilities.logging.is_some() && capabilities.tools.is_some());
    assert!(capabilities.experimental.is_some_and(|it| it.is_empty()));
    let json = r#"{"tools":[{"name":"a","inputSchema":[],"annotations":[]}]}"#;
    let tool = whole::<ListToolsResult>(json, OLDER).tools.remove(0);
    assert_eq!(tool.input_schema.get(), "{}");
}

#[test]
fn an_optional_member_is_left_out_by_its_path() {
    let json = r#"{"protocolVersion":"2025-06-18","instructions":{},
        "serverInfo":{"name":"a","version":"1","title":7,"icons":"x"},
        "capabilities":{"logging":{},"resources":{"subscribe":"yes","listChanged":true}}}"#;
    let (read, misfits) = parts::<InitializeResult>(json, OLDER).unwrap();
    assert_eq!(
        read.capabilities.resources.unwrap().list_changed,
        Some(true)
    );
    let expected = [
        "instructions: must be a string, not an object",
        "serverInfo.title: must be a string, not a number",
        "capabilities.resources.subscribe: must be true or false, not a string",
    ];
    assert_eq!(misfits, expected);
    let json = r#"{"tools":[{"name":"a","inputSchema":{},
        "annotations":{"readOnlyHint":"true","title":"A"}}],"nextCursor":5}"#;
    let (list, misfits) = parts::<ListToolsResult>(json, OLDER).unwrap();
    assert_eq!(
        list.tools[0].annotations.as_ref().unwrap().title.as_deref(),
        Some("A")
    );
    let expected = [
        "tools[0].annotations.readOnlyHint: must be true or false, not a string (`a`)",
        "nextCursor: must be a string, not a number",
    ];
    assert_eq!(misfits, expected);
}

#[test]
fn an_entry_that_can_not_be_read_is_left_out() {
    let json = r#"{"tools":[{"name":"a"},7,{"name":"b","inputSchema":{}},
        {"name":"c","inputSchema":null},{"inputSchema":{}}]}"#;
    let (list, misfits) = parts::<ListToolsResult>(json, OLDER).unwrap();
    assert_eq!(list.tools.len(), 1);
    let expected = [
        "tools[0].inputSchema: missing (`a`)",
        "tools[1]: must be an object, not a number",
        "tools[3].inputSchema: missing (`c`)",
        "tools[4].name: missing",
    ];
    assert_eq!(misfits, expected);
    let json = r#"{"resources":[{"uri":"a:1"},{"uri":"a:2","name":"b"}]}"#;
    let (list, misfits) = parts::<ListResourcesResult>(json, OLDER).unwrap();
    assert_eq!(
        (list.resources.len(), &*misfits[0]),
        (1, "resources[0].name: missing (`a:1`)")
    );
    assert_eq!(refused::<ListToolsResult>("{}", OLDER), "tools: missing");
}

#[test]
fn a_required_member_is_refused_by_its_path() {
    for (json, expected) in [
        (
            r#"{"content":[{"type":"text"}]}"#,
            "content[0].text: missing",
        ),
        (r#"{"content":[{"text":"a"}]}"#, "content[0].type: missing"),
        (
            r#"{"content":[{"type":5}]}"#,
            "content[0].type: must be a string, not a number",
        ),
        (
            r#"{"content":"a"}"#,
            "content: must be a list, not a string",
        ),
        (
            r#"{"content":[],"isError":"no"}"#,
            "isError: must be true or false, not a string",
        ),
        (r#"{}"#, "content: missing"),
        ("[7]", "must be an object, not a list"),
    ] {
        assert_eq!(refused::<CallToolResult>(json, OLDER), expected);
    }
    let prompt =
        r#"{"messages":[{"role":"user","content":{"type":"image","data":"","mimeType":5}}]}"#;
    let expected = "messages[0].content.mimeType: must be a string, not a number";
    assert_eq!(refused::<GetPromptResult>(prompt, OLDER), expected);
    let contents = r#"{"contents":[{"uri":5,"text":"a"}]}"#;
    let expected = "contents[0].uri: must be a string, not a number";
    assert_eq!(refused::<ReadResourceResult>(contents, OLDER), expected);
}

#[test]
fn a_question_is_refused_by_its_path() {
    let json = r#"{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create",
        "params":{"message":"?","requestedSchema":{"type":"object"}}}}}"#;
    let expected = "inputRequests.q.params.requestedSchema.properties: missing";
    assert_eq!(
        refused::<InputRequiredResult>(json, Revision::LATEST),
        expected
    );
    let json = r#"{"resultType":"input_required","requestState":5}"#;
    let expected = "requestState: must be a string, not a number";
    assert_eq!(
        refused::<InputRequiredResult>(json, Revision::LATEST),
        expected
    );
}

#[test]
fn content_may_be_missing_beside_a_structured_result() {
    for content in ["", r#""content":null,"#] {
        let json = format!(r#"{{{content}"structuredContent":{{"a":1}}}}"#);
        let result = whole::<CallToolResult>(&json, OLDER);
        assert!(result.content.is_empty() && result.structured_content.is_some());
        let older = refused::<CallToolResult>(&json, Revision::V2024_11_05);
        assert_eq!(older, "content: missing");
    }
}

#[test]
fn half_of_a_surrogate_pair_is_replaced_unless_the_string_is_repeated() {
    let json = r#"{"content":[{"type":"text","text":"a\ud800b\\ud800\ud83d\ude00"}],
        "structuredContent":{"\ud800":"\udfff"}}"#;
    let result = whole::<CallToolResult>(json, OLDER);
    let ContentBlock::Text(text) = &result.content[0] else {
        panic!()
    };
    assert_eq!(text.text, "a\u{fffd}b\\ud800😀");
    assert_eq!(
        result.structured_content.unwrap().get(),
        r#"{"\ufffd":"\ufffd"}"#
    );
    let json = r#"{"resources":[{"uri":"a:\ud800","name":"a"},
        {"uri":"a:b","name":"b","title":"\ud800"}],"nextCursor":"\udc00"}"#;
    let (list, misfits) = parts::<ListResourcesResult>(json, OLDER).unwrap();
    assert_eq!(list.resources[0].title.as_deref(), Some("\u{fffd}"));
    let expected = [
        "resources[0].uri: has a half of a surrogate pair (`a`)",
        "nextCursor: has a half of a surrogate pair",
    ];
    assert_eq!(misfits, expected);
    // The name of a server is only displayed.
    let json = r#"{"protocolVersion":"2025-06-18","capabilities":{},
        "serverInfo":{"name":"\ud800","version":"1"}}"#;
    assert_eq!(
        whole::<InitializeResult>(json, OLDER).server_info.name,
        "\u{fffd}"
    );
}

#[test]
fn numbers_are_read_by_their_value() {
    let json = r#"{"tools":[],"ttlMs":60000.0,"resultType":"complete"}"#;
    assert_eq!(
        whole::<ListToolsResult>(json, Revision::LATEST).ttl_ms,
        Some(60_000)
    );
    let json = r#"{"tools":[],"ttlMs":-5,"nextCursor":[]}"#;
    let (list, misfits) = parts::<ListToolsResult>(json, Revision::LATEST).unwrap();
    assert_eq!(list.ttl_ms, Some(0));
    assert_eq!(misfits, ["nextCursor: must be a string, not a list"]);
}

#[test]
fn a_member_that_occurs_twice_counts_once() {
    let json =
        r#"{"content":[],"content":[{"type":"text","text":"a"}],"isError":true,"isError":false}"#;
    let (result, misfits) = parts::<CallToolResult>(json, OLDER).unwrap();
    assert_eq!((result.content.len(), result.is_error), (0, Some(true)));
    let expected = [
        "content: the member occurs twice",
        "isError: the member occurs twice",
    ];
    assert_eq!(misfits, expected);
}
