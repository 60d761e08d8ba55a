//! One result out of the results of several servers.

use mcp_types::{OrderedMap, RawJson, RawJsonRef, methods};

use super::messages::with;
use super::names::Members;
use crate::server::join_instructions;

/// The extensions whose names and ids a proxy understands.
const EXTENSIONS: [&str; 2] = [
    "io.modelcontextprotocol/ui",
    "io.modelcontextprotocol/tasks",
];

/// Returns the member that has the items of a list, if `method` requests one.
pub(super) fn items(method: &str) -> Option<&'static str> {
    Some(match method {
        methods::TOOLS_LIST => "tools",
        methods::PROMPTS_LIST => "prompts",
        methods::RESOURCES_LIST => "resources",
        methods::RESOURCES_TEMPLATES_LIST => "resourceTemplates",
        methods::TASKS_LIST => "tasks",
        _ => return None,
    })
}

/// Joins the complete lists of several servers, as answers to `method`, into one list.
///
/// The list is fresh as long as all its parts are, and private if one part is. The first part
/// provides the other members. A part that can't be read is left out.
pub(super) fn list(method: &str, parts: &[RawJson]) -> RawJson {
    let parts: Vec<Members<'_>> = parts.iter().filter_map(|part| part.parse().ok()).collect();
    let mut merged = parts.first().cloned().unwrap_or_default();
    let member = items(method).unwrap_or(method);
    let lists = parts.iter().filter_map(|part| part.get(member));
    let items = lists.filter_map(|list| list.elements().ok()).flatten();
    let items = RawJson::encode(&items.collect::<Vec<_>>());
    merged.insert(member.to_owned(), items.as_raw());
    // Both are about one server: where its next page begins, and its name.
    merged.shift_remove("nextCursor");
    merged.shift_remove("_meta");
    let caching = caching(&parts);
    for (name, value) in &caching {
        merged.insert(name.clone(), value.as_raw());
    }
    RawJson::encode(&merged)
}

/// Joins results of `initialize` or `server/discover`. `parts` are pairs of a prefix and a result.
/// `own` has the other members, and instructions that come first.
///
/// The proxy has each capability that one of the servers has, except extensions that it does not
/// know. `left_out` gets the prefix of the server and the name of each of these.
pub(super) fn introduction(
    own: &RawJson,
    parts: &[(&str, RawJson)],
    mut left_out: impl FnMut(&str, &str),
) -> RawJson {
    let mut result: OrderedMap<RawJson> = own.parse().unwrap_or_default();
    let mut capabilities = RawJson::empty_object();
    let text_of = |part: &RawJson| part.as_raw().member("instructions")?.parse::<String>().ok();
    let own = text_of(own).map(|text| (String::new(), text));
    let theirs = parts.iter();
    let theirs = theirs.filter_map(|(prefix, it)| Some((format!("{prefix}_"), text_of(it)?)));
    let instructions: Vec<_> = own.into_iter().chain(theirs).collect();
    let mut read = Vec::new();
    for (prefix, part) in parts {
        let Ok(part) = part.parse::<Members<'_>>() else {
            continue;
        };
        if let Some(theirs) = part.get("capabilities") {
            let theirs = understood(*theirs, |name| left_out(prefix, name));
            capabilities = union(capabilities.as_raw(), theirs.as_raw());
        }
        read.push(part);
    }
    result.insert("capabilities".to_owned(), capabilities);
    let instructions = join_instructions(&instructions);
    let instructions = instructions.map(|text| RawJson::encode(&text));
    result.extend(instructions.map(|text| ("instructions".to_owned(), text)));
    result.extend(caching(&read));
    RawJson::encode(&result)
}

/// Returns `capabilities` without the extensions that a proxy of several servers does not know.
/// Their methods may name something, and nobody could tell whose name it is.
fn understood(capabilities: RawJsonRef<'_>, mut left_out: impl FnMut(&str)) -> RawJson {
    let Ok(mut members) = capabilities.parse::<OrderedMap<RawJson>>() else {
        return RawJson::empty_object();
    };
    for name in ["extensions", "experimental"] {
        let Some(Ok(mut extensions)) = members.get(name).map(RawJson::parse::<OrderedMap<RawJson>>)
        else {
            continue;
        };
        extensions.retain(|extension, _| {
            let is_known = name == "extensions" && EXTENSIONS.contains(&&**extension);
            if !is_known {
                left_out(extension);
            }
            is_known
        });
        if extensions.is_empty() {
            members.shift_remove(name);
        } else {
            members.insert(name.to_owned(), RawJson::encode(&extensions));
        }
    }
    RawJson::encode(&members)
}

/// Returns the capabilities that either side has, or the filter with the items of both. The recursion
/// is limited by the depth of JSON that connections accept.
pub(super) fn union(ours: RawJsonRef<'_>, theirs: RawJsonRef<'_>) -> RawJson {
    if ours == theirs {
        return ours.into();
    }
    if let (Ok(mut items), Ok(theirs)) = (ours.elements(), theirs.elements()) {
        items.extend(theirs);
        return RawJson::encode(&items);
    }
    let members = |json: RawJsonRef<'_>| json.parse::<OrderedMap<RawJson>>().ok();
    match (members(ours), members(theirs)) {
        (Some(mut ours), Some(theirs)) => {
            for (name, theirs) in theirs {
                let both = match ours.get(&name) {
                    Some(ours) => union(ours.as_raw(), theirs.as_raw()),
                    None => theirs,
                };
                ours.insert(name, both);
            }
            RawJson::encode(&ours)
        }
        (None, Some(_)) => theirs.into(),
        (None, None) if theirs.get() == "true" => theirs.into(),
        _ => ours.into(),
    }
}

/// Returns how long clients may keep a result that has `parts`, and whether they may share it
/// (2026-07-28, "Caching"). Nothing is returned if no part says it, as after a handshake.
fn caching(parts: &[Members<'_>]) -> OrderedMap<RawJson> {
    let all = |name: &str| -> Vec<_> { parts.iter().map(|part| part.get(name)).collect() };
    let mut caching = OrderedMap::new();
    let times = all("ttlMs");
    if times.iter().any(Option::is_some) {
        let times = times.into_iter().map(|time| time?.parse::<f64>().ok());
        let times = times.map(|time| time.unwrap_or(0.0).max(0.0));
        let smallest = times.fold(f64::MAX, f64::min);
        caching.insert("ttlMs".to_owned(), RawJson::encode(&(smallest as u64)));
    }
    let scopes = all("cacheScope");
    if scopes.iter().any(Option::is_some) {
        let mut scopes = scopes.into_iter();
        let is_public = scopes.all(|it| it.is_some_and(|it| it.get() == "\"public\""));
        let scope = if is_public { "public" } else { "private" };
        caching.insert("cacheScope".to_owned(), RawJson::encode(scope));
    }
    caching
}

/// Removes the tools for which `offers` returns false from a result of `tools/list`.
pub(super) fn without_hidden(result: RawJson, offers: &dyn Fn(&str) -> bool) -> RawJson {
    let tools = result.as_raw().member("tools");
    let Some(Ok(mut tools)) = tools.map(RawJsonRef::elements) else {
        return result;
    };
    tools.retain(|tool| {
        let members = tool.parse::<Members<'_>>().unwrap_or_default();
        let name = members.get("name").and_then(|name| name.parse().ok());
        name.is_none_or(|name: String| offers(&name))
    });
    with(&result, &["tools"], tools)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merged(method: &str, parts: &[Value]) -> Value {
        let parts: Vec<RawJson> = parts.iter().cloned().map(RawJson::from).collect();
        list(method, &parts).parse().unwrap()
    }

    fn introduced(parts: &[(&str, Value)]) -> (Value, Vec<(String, String)>) {
        let parts = parts.iter();
        let parts: Vec<_> = parts
            .map(|(prefix, it)| (*prefix, it.clone().into()))
            .collect();
        let own = RawJson::from(json!({"protocolVersion": "v"}));
        let mut left_out = Vec::new();
        let result = introduction(&own, &parts, |server, extension| {
            left_out.push((server.to_owned(), extension.to_owned()));
        });
        (result.parse().unwrap(), left_out)
    }

    #[test]
    fn lists_are_joined_in_order() {
        for (method, member) in [
            ("tools/list", "tools"),
            ("prompts/list", "prompts"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
            ("tasks/list", "tasks"),
        ] {
            let parts = [
                json!({ member: [1, 2], "x": 1, "_meta": {}, "nextCursor": "a" }),
                json!({ member: [], "y": 2 }),
                json!({ member: [3], "nextCursor": "b" }),
            ];
            assert_eq!(merged(method, &parts), json!({ member: [1, 2, 3], "x": 1 }));
        }
    }

    #[test]
    fn items_keep_their_text() {
        let part = r#"{"z":1.0e400,"tools":[{"b":1,"a":123456789012345678901234567890}]}"#;
        let part = RawJson::from_text(part).unwrap();
        assert_eq!(list("tools/list", std::slice::from_ref(&part)), part);
    }

    #[test]
    fn parts_that_can_not_be_read_are_left_out() {
        let parts = [json!([]), json!({ "tools": {} }), json!({ "tools": [1] })];
        assert_eq!(merged("tools/list", &parts), json!({ "tools": [1] }));
        assert_eq!(merged("tools/list", &[]), json!({ "tools": [] }));
        let (result, _) = introduced(&[("a", json!(1)), ("b", json!({ "capabilities": [] }))]);
        assert_eq!(
            result,
            json!({ "protocolVersion": "v", "capabilities": {} })
        );
    }

    #[test]
    fn a_list_is_as_fresh_and_as_public_as_all_its_parts() {
        let part =
            |ttl: Value, scope: &str| json!({ "tools": [], "ttlMs": ttl, "cacheScope": scope });
        let public = part(json!(300), "public");
        for (other, ttl, scope) in [
            (part(json!(200.0), "public"), 200, "public"),
            (part(json!(400), "private"), 300, "private"),
            (part(json!(-1), "secret"), 0, "private"),
            (part(json!("9"), "public"), 0, "public"),
            (json!({ "tools": [] }), 0, "private"),
        ] {
            let expected = json!({ "tools": [], "ttlMs": ttl, "cacheScope": scope });
            for parts in [[public.clone(), other.clone()], [other, public.clone()]] {
                assert_eq!(merged("tools/list", &parts), expected);
            }
        }
    }

    #[test]
    fn capabilities_are_those_of_any_server() {
        let (result, left_out) = introduced(&[
            (
                "a",
                json!({ "capabilities": {
                    "tools": {},
                    "resources": { "subscribe": true, "listChanged": false },
                    "tasks": { "list": {}, "requests": { "tools": { "call": {} } } },
                    "prompts": true,
                } }),
            ),
            (
                "b",
                json!({ "capabilities": {
                    "tools": { "listChanged": true },
                    "resources": { "subscribe": false, "listChanged": true },
                    "tasks": { "cancel": {} },
                    "prompts": {},
                    "logging": {},
                } }),
            ),
        ]);
        let expected = json!({
            "tools": { "listChanged": true },
            "resources": { "subscribe": true, "listChanged": true },
            "tasks": { "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } },
            "prompts": {},
            "logging": {},
        });
        assert_eq!(result["capabilities"], expected);
        assert!(left_out.is_empty());
    }

    #[test]
    fn extensions_that_a_proxy_does_not_know_are_left_out() {
        let extensions = json!({
            "io.modelcontextprotocol/ui": { "x": 1 },
            "com.example/clock": {},
            "io.modelcontextprotocol/tasks": {},
        });
        let (result, left_out) = introduced(&[
            ("a", json!({ "capabilities": { "extensions": extensions } })),
            (
                "b",
                json!({ "capabilities": {
                    "extensions": { "com.example/clock": {} },
                    "experimental": { "io.modelcontextprotocol/ui": {} },
                } }),
            ),
        ]);
        let known = json!({
            "io.modelcontextprotocol/ui": { "x": 1 },
            "io.modelcontextprotocol/tasks": {},
        });
        assert_eq!(result["capabilities"], json!({ "extensions": known }));
        let left_out: Vec<_> = left_out.iter().map(|(a, b)| (&**a, &**b)).collect();
        let expected = [
            ("a", "com.example/clock"),
            ("b", "com.example/clock"),
            ("b", "io.modelcontextprotocol/ui"),
        ];
        assert_eq!(left_out, expected);
    }

    #[test]
    fn instructions_are_joined_under_the_names() {
        let (result, _) = introduced(&[
            (
                "a",
                json!({ "instructions": "Be kind.", "serverInfo": { "name": "a" } }),
            ),
            ("b", json!({ "ttlMs": 5, "_meta": {} })),
            ("c", json!({ "instructions": "Be brief.", "ttlMs": 4 })),
        ]);
        let text = "About everything that begins with `a_`:\nBe kind.\n\n\
                    About everything that begins with `c_`:\nBe brief.";
        let expected = json!({
            "protocolVersion": "v",
            "capabilities": {},
            "instructions": text,
            "ttlMs": 0,
        });
        assert_eq!(result, expected);
    }

    #[test]
    fn hidden_tools_are_removed() {
        let tools = r#"{"x":1e400,"tools":[{"name":"a"},{"name":"b"},{"name":1},{"name":"c","name":"b"}],"y":2}"#;
        let shown = r#"{"x":1e400,"tools":[{"name":"a"},{"name":1}],"y":2}"#;
        let tools = RawJson::from_text(tools).unwrap();
        assert_eq!(without_hidden(tools, &|name| name != "b").get(), shown);
        let other = RawJson::from_text(r#"{"tools":{"name":"b"}}"#).unwrap();
        assert_eq!(without_hidden(other.clone(), &|_| false), other);
    }
}
