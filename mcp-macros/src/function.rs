//! From a function under one of our attributes to its model.

use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, ImplItemFn, LitStr, parse_quote};

use crate::attribute::{
    Entries, Grammar, PROMPT, PROMPT_ARG, RESOURCE, RESOURCE_ARG, TOOL, TOOL_ARG,
};
use crate::diagnostics::Diagnostics;
use crate::model::{Function, Kind, Running, Undocumented};
use crate::signature::{Expected, Helpers, string, take_attribute};
use crate::{docs, expand, resource, signature, tool, validate};

/// The attributes that make a function reachable, with what they and their parameters may say.
const ATTRIBUTES: [(&str, &Grammar, &Grammar); 3] = [
    ("tool", &TOOL, &TOOL_ARG),
    ("prompt", &PROMPT, &PROMPT_ARG),
    ("resource", &RESOURCE, &RESOURCE_ARG),
];

/// What surrounds a function.
pub(crate) struct Surroundings {
    pub(crate) undocumented: Undocumented,
    pub(crate) helpers: Helpers,
}

/// Reads a function that has one of our attributes; `None` for others and for unsound ones.
pub(crate) fn read(
    function: &mut ImplItemFn,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Option<Function> {
    let (which, attribute) = attribute(function, diagnostics)?;
    function.attrs.push(expand::quiet());
    let before = diagnostics.count();
    let (_, grammar, parameters) = ATTRIBUTES[which];
    let mut entries = Entries::of(Some(&attribute), grammar, diagnostics);
    let name = entries.literal("name", diagnostics);
    let title = entries.expr("title", diagnostics);
    let description = description(&mut entries, function, surroundings, diagnostics);
    let icons = entries.expr("icons", diagnostics);
    let meta = entries.expr("meta", diagnostics);
    let (kind, running) = match which {
        0 => {
            let running = tool::running(&mut entries, function, diagnostics);
            (
                Some(Kind::Tool(tool::read(&mut entries, diagnostics))),
                running,
            )
        }
        1 => (Some(Kind::Prompt), Running::default()),
        _ => {
            let read = resource::read(&mut entries, &attribute, &surroundings.helpers, diagnostics);
            (
                read.map(|read| Kind::Resource(Box::new(read))),
                Running::default(),
            )
        }
    };
    let expected = Expected {
        grammar: parameters,
        helpers: &surroundings.helpers,
    };
    let callable = signature::read(&mut function.sig, &function.attrs, &expected, diagnostics)?;
    let undocumented = surroundings.undocumented == Undocumented::Warn;
    let function = Function {
        name: name
            .as_ref()
            .map_or_else(|| callable.ident.unraw().to_string(), LitStr::value),
        name_span: name.map_or_else(|| callable.ident.span(), |name| name.span()),
        callable,
        title,
        warns_undocumented: undocumented && which == 0 && description.is_none(),
        description,
        icons,
        meta,
        running,
        kind: kind?,
    };
    validate::function(&function, diagnostics);
    (diagnostics.count() == before).then_some(function)
}

/// Takes our attribute off the function; a second one is a mistake.
fn attribute(
    function: &mut ImplItemFn,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, Attribute)> {
    let mut found: Option<(usize, Attribute)> = None;
    for (which, (name, ..)) in ATTRIBUTES.iter().enumerate() {
        while let Some(attribute) = take_attribute(&mut function.attrs, name) {
            if found.is_some() {
                diagnostics.mistake(
                    attribute.path(),
                    "a function is one thing: a tool, a prompt or a resource",
                    "write a second function that calls this one",
                );
                continue;
            }
            found = Some((which, attribute));
        }
    }
    found
}

/// What the attribute says, else the doc comment.
fn description(
    entries: &mut Entries,
    function: &ImplItemFn,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Option<Expr> {
    let given = entries.expr("description", diagnostics);
    let description = given.or_else(|| docs::text(&function.attrs).map(|text| string(&text)));
    if description.is_none() && surroundings.undocumented == Undocumented::Deny {
        diagnostics.mistake(
            &function.sig.ident,
            format!("`{}` has no description", function.sig.ident),
            "say in a doc comment what it does: models choose by that",
        );
        return Some(parse_quote!(""));
    }
    description
}
