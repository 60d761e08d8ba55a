//! Reads a function with one of our attributes into its model.

use syn::ext::IdentExt as _;
use syn::{Attribute, Block, Expr, LitStr, Path, Signature, Visibility, parse_quote};

use crate::argument::{Expected, Helpers};
use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::grammar::{Grammar, PROMPT, PROMPT_ARG, RESOURCE, RESOURCE_ARG, TOOL, TOOL_ARG};
use crate::model::{Function, Helper, Kind, Undocumented};
use crate::own_attribute::take_attribute;
use crate::{condition, docs, effect, expand, resource, scopes, signature, tool, validate};

/// The attributes that offer a function to clients. The first grammar is for the attribute, the
/// second for `#[arg]` on parameters.
const ATTRIBUTES: [(&str, &Grammar, &Grammar); 3] = [
    ("tool", &TOOL, &TOOL_ARG),
    ("prompt", &PROMPT, &PROMPT_ARG),
    ("resource", &RESOURCE, &RESOURCE_ARG),
];

pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.iter().map(|(name, ..)| *name)
}

/// A function with one of our attributes, either free or in a block.
pub(crate) struct Subject<'a> {
    pub(crate) attributes: &'a mut Vec<Attribute>,
    pub(crate) signature: &'a mut Signature,
    pub(crate) visibility: &'a Visibility,
    pub(crate) body: &'a Block,
}

/// The settings that functions inherit from their block or module.
pub(crate) struct Surroundings {
    /// Whether the functions are associated functions.
    pub(crate) of_type: bool,
    pub(crate) undocumented: Undocumented,
    pub(crate) helpers: Helpers,
    /// A condition that the caller of any function has to meet.
    pub(crate) visible: Option<Helper>,
    pub(crate) scopes: Vec<LitStr>,
    /// Whether the arguments of tools are lenient by default.
    pub(crate) lenient: bool,
    /// Whether functions that are not `async` run on blocking threads.
    pub(crate) blocking: bool,
}

/// Reads a function with one of our attributes, once for each combination of conditions on its
/// parameters.
///
/// Returns nothing for other functions, and for functions with mistakes.
pub(crate) fn read(
    mut subject: Subject<'_>,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Vec<Function> {
    let Some((which, attribute)) = attribute(&mut subject, diagnostics) else {
        return Vec::new();
    };
    subject.attributes.push(expand::quiet());
    let mut variants = condition::variants(subject.signature);
    let mut functions = Vec::new();
    for (signature, conditions) in &mut variants {
        let mut mistakes = Diagnostics::default();
        let read = read_variant(
            &subject,
            signature,
            which,
            &attribute,
            surroundings,
            &mut mistakes,
        );
        diagnostics.extend_under(conditions, mistakes);
        functions.extend(read.map(|mut function| {
            function.callable.conditions.append(conditions);
            function
        }));
    }
    match <[_; 1]>::try_from(variants) {
        Ok([(signature, _)]) => *subject.signature = signature,
        Err(_) => condition::strip(subject.signature),
    }
    functions
}

/// Reads a function whose parameters have no conditions. `attribute` is no longer among the
/// function's attributes.
fn read_variant(
    subject: &Subject<'_>,
    signature: &mut Signature,
    which: usize,
    attribute: &Attribute,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Option<Function> {
    let before = diagnostics.count();
    let (_, grammar, parameters) = ATTRIBUTES[which];
    let mut entries = Entries::of(Some(attribute), grammar, diagnostics);
    let name = entries.literal("name", diagnostics);
    let title = entries.expr("title", diagnostics);
    let description = description(&mut entries, subject, surroundings, diagnostics);
    let icons = entries.expr("icons", diagnostics);
    let meta = entries.expr("meta", diagnostics);
    let visible = visible(&mut entries, surroundings, diagnostics);
    let runtime = runtime(&mut entries, surroundings, diagnostics);
    let blocking = surroundings.blocking;
    let running = tool::running(&mut entries, signature, blocking, diagnostics);
    let kind = match which {
        0 => Some(Kind::Tool(tool::read(&mut entries, diagnostics))),
        1 => Some(Kind::Prompt),
        _ => {
            let helpers = &surroundings.helpers;
            resource::read(&mut entries, attribute, subject, helpers, diagnostics)
                .map(|read| Kind::Resource(Box::new(read)))
        }
    };
    let expected = Expected {
        of_type: surroundings.of_type,
        grammar: parameters,
        helpers: &surroundings.helpers,
        lenient: is_lenient(kind.as_ref(), surroundings),
    };
    let callable = signature::read(signature, subject.attributes, &expected, diagnostics)?;
    let warns = surroundings.undocumented == Undocumented::Warn && which == 0;
    let function = Function {
        name: name
            .as_ref()
            .map_or_else(|| callable.ident.unraw().to_string(), LitStr::value),
        name_span: name.map_or_else(|| callable.ident.span(), |name| name.span()),
        callable,
        title,
        warns_undocumented: warns && description.is_none(),
        effects: effect::before_questions(subject.body),
        description,
        icons,
        meta,
        running,
        visible,
        scopes: scopes::read_with(&surroundings.scopes, &mut entries, diagnostics),
        runtime,
        kind: kind?,
    };
    validate::function(&function, diagnostics);
    (diagnostics.count() == before).then_some(function)
}

fn is_lenient(kind: Option<&Kind>, surroundings: &Surroundings) -> bool {
    match kind {
        Some(Kind::Tool(tool)) => tool.lenient.unwrap_or(surroundings.lenient),
        _ => false,
    }
}

/// The conditions on callers, from the surroundings and from the function itself.
fn visible(
    entries: &mut Entries,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Vec<Helper> {
    let own = entries.path("visible", diagnostics);
    let helpers = &surroundings.helpers;
    let own = own.map(|path| helpers.find_taking(path, "`visible`", &["&Context"], diagnostics));
    surroundings.visible.iter().cloned().chain(own).collect()
}

/// The path of the runtime, which only a free function may set.
fn runtime(
    entries: &mut Entries,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Option<Path> {
    let runtime = entries.path("crate", diagnostics)?;
    if surroundings.of_type {
        let mend = "write it there, or remove it";
        diagnostics.mistake(&runtime, "`crate` belongs to `#[mcp_server]`", mend);
    }
    Some(runtime)
}

/// Removes our attribute from the function. Reports a second one, and `#[arg]` or `#[elicit]` on
/// the function instead of a parameter.
fn attribute(
    subject: &mut Subject<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<(usize, Attribute)> {
    let mut found: Option<(usize, Attribute)> = None;
    for (which, (name, ..)) in ATTRIBUTES.iter().enumerate() {
        while let Some(attribute) = take_attribute(subject.attributes, name) {
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
    if found.is_none() {
        signature::refuse_settings(subject.signature, diagnostics);
    } else if let Some(elicit) = take_attribute(subject.attributes, "elicit") {
        diagnostics.mistake(
            elicit.path(),
            "`#[elicit]` belongs on a parameter, which gets the answer",
            "write `#[elicit(\"…\")] answer: bool` among the parameters, or ask in the function with `cx.elicit`",
        );
    } else if let Some(arg) = take_attribute(subject.attributes, "arg") {
        let what = "`#[arg]` belongs on a parameter";
        let mend = "move it in front of the parameter that it describes";
        diagnostics.mistake(arg.path(), what, mend);
    }
    found
}

/// The description in the attribute, or else the doc comment.
fn description(
    entries: &mut Entries,
    subject: &Subject<'_>,
    surroundings: &Surroundings,
    diagnostics: &mut Diagnostics,
) -> Option<Expr> {
    let given = entries.expr("description", diagnostics);
    let description = given.or_else(|| docs::text(subject.attributes));
    let description = description.filter(|it| !docs::is_empty(it));
    if description.is_none() && surroundings.undocumented == Undocumented::Deny {
        diagnostics.mistake(
            &subject.signature.ident,
            format!("`{}` has no description", subject.signature.ident),
            "say in a doc comment what it does: models choose by its description",
        );
        return Some(parse_quote!(""));
    }
    description
}
