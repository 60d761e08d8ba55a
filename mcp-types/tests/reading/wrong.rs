use std::collections::BTreeSet;

use mcp_types::{Misfit, RawJsonRef, Revision, read};

use crate::wrong_values::{sample, wrong};

/// Reads a value of the type called `name`.
macro_rules! read_as {
    ($json:expr, $name:expr, $revision:expr; $($type:ident)*) => {
        match $name {
            $(stringify!($type) => {
                read::<mcp_types::$type>($json, $name, $revision).map(|(_, misfits)| misfits)
            })*
            name => panic!("{name} is not in the list"),
        }
    };
}

fn outcome(json: &str, name: &str, revision: Revision) -> Result<Vec<Misfit>, Misfit> {
    let json = RawJsonRef::from_text(json).unwrap();
    read_as! {
        json, name, revision;
        CallToolResult CancelTaskResult CompleteResult CreateMessageRequestParams
        CreateMessageResult DiscoverResult ElicitRequestParams ElicitResult EmptyResult
        GetPromptResult GetTaskPayloadResult GetTaskResult Implementation InitializeRequestParams
        InitializeResult InputRequiredResult ListPromptsResult ListResourceTemplatesResult
        ListResourcesResult ListRootsResult ListTasksResult ListToolsResult ReadResourceResult
        ServerNotification SubscriptionsListenResult
    }
}

/// Returns the names of the types that a peer reads in a revision.
fn names(revision: Revision) -> BTreeSet<&'static str> {
    let methods = Revision::methods().iter();
    let methods = methods.filter(|method| method.revisions.contains(revision));
    let results = methods.map(|method| method.types.1);
    let others = [
        "CreateMessageRequestParams",
        "ElicitRequestParams",
        "Implementation",
        "InitializeRequestParams",
        "InputRequiredResult",
        "ServerNotification",
    ];
    results
        .chain(others)
        .filter(|name| revision.has_type(name))
        .collect()
}

#[test]
fn a_value_of_the_revision_is_read_whole() {
    for revision in Revision::ALL {
        for name in names(revision) {
            let json = sample(name, revision).to_string();
            let read = outcome(&json, name, revision);
            assert_eq!(read, Ok(Vec::new()), "{revision} {name}: {json}");
        }
    }
}

#[test]
fn a_wrong_part_is_left_out_or_named() {
    let mut count = 0;
    let mut unnamed = Vec::new();
    for revision in Revision::ALL {
        for name in names(revision) {
            for wrong in wrong(name, revision) {
                count += 1;
                let misfits = match outcome(&wrong.json, name, revision) {
                    Ok(misfits) => misfits,
                    Err(misfit) => vec![misfit],
                };
                // The fault can be inside of the part, or in a value that contains the part.
                let is_named = |path: &str| {
                    let is_near = path.starts_with(&wrong.path) || wrong.path.starts_with(path);
                    is_near && !path.is_empty()
                };
                if let Some(misfit) = misfits.iter().find(|misfit| !is_named(&misfit.path)) {
                    let part = format!("{revision} {name}.{}, {}", wrong.path, wrong.fault);
                    unnamed.push(format!("{part}: {misfit:?}"));
                }
            }
        }
    }
    assert_eq!(unnamed, [""; 0], "{}", unnamed.len());
    assert!(count > 10_000, "{count}");
}
