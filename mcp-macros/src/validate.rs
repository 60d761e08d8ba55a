//! Checks the rules of the specification, and the rules for functions of one server.

use proc_macro2::Span;
use quote::{ToTokens as _, quote_spanned};
use syn::LitStr;

use crate::diagnostics::Diagnostics;
use crate::grammar::is_of_name;
use crate::model::{Callable, Function, Kind, Parameter, Resource, Tool, Uri};
use crate::question;
use crate::template::{Variable, has_scheme, shape, variables};
use crate::types::optional;

pub(crate) fn function(function: &Function, diagnostics: &mut Diagnostics) {
    match &function.kind {
        Kind::Tool(tool) => {
            flatten(&function.callable, tool, diagnostics);
            if let Some(fault) = name_fault(&function.name) {
                at(
                    function.name_span,
                    diagnostics,
                    format!(
                        "`{}` is not a valid name for a tool: {fault}",
                        function.name
                    ),
                    "use 1 to 128 of A-Z, a-z, 0-9, `_`, `-` and `.`",
                );
            }
            headers(&function.callable, diagnostics);
        }
        Kind::Prompt => {
            if function.name.is_empty() {
                let what = "a prompt needs a name".to_owned();
                at(
                    function.name_span,
                    diagnostics,
                    what,
                    "remove `name`, or fill it in",
                );
            }
        }
        Kind::Resource(resource) => template(&function.callable, resource, diagnostics),
    }
    arguments(&function.callable, diagnostics);
    question::check(&function.callable, diagnostics);
}

/// Checks that a struct with `flatten` is the only parameter that takes arguments.
fn flatten(callable: &Callable, tool: &Tool, diagnostics: &mut Diagnostics) {
    let Some(flatten) = callable.flatten() else {
        return;
    };
    let arguments = callable.arguments().count();
    let flattened = callable
        .parameters
        .iter()
        .filter(|parameter| matches!(parameter, Parameter::Flatten(_)))
        .count();
    if arguments + flattened > 1 {
        diagnostics.mistake(
            &flatten.attribute,
            "`flatten` takes all arguments, so none are left for the other parameters",
            "move the other parameters into the struct, or remove `flatten`",
        );
    } else if tool.strict {
        diagnostics.mistake(
            &flatten.attribute,
            "`strict` does not look into a struct",
            "write `#[serde(deny_unknown_fields)]` on the struct instead",
        );
    } else if tool.lenient == Some(true) {
        diagnostics.mistake(
            &flatten.attribute,
            "`lenient` does not look into a struct",
            "take the arguments as parameters, or decode both forms in the struct",
        );
    }
}

/// Drops each function whose name or URI is already used by an earlier function of its kind.
pub(crate) fn unique(functions: &mut Vec<Function>, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<(&'static str, String, String)> = Vec::new();
    functions.retain(|function| {
        let (kind, key, span, mend) = identity(function);
        let shape = shape(&key);
        let known = seen.iter().find(|it| (it.0, &it.1) == (kind, &shape));
        let known = known.filter(|_| function.callable.conditions.is_empty());
        if let Some((_, _, earlier)) = known {
            let mut what = format!("a {kind} `{earlier}` exists already");
            if *earlier != key {
                what.push_str(", and matches all URIs of this one");
            }
            at(span, diagnostics, what, mend);
        }
        let fresh = known.is_none();
        seen.push((kind, shape, key));
        fresh
    });
}

/// The kind and the name or URI that identify a function, the span of the latter, and how to change
/// it.
fn identity(function: &Function) -> (&'static str, String, Span, &'static str) {
    let name = function.name.clone();
    let span = function.name_span;
    match &function.kind {
        Kind::Tool(_) => {
            let mend = "rename one of them: `#[tool(name = \"…\")]`";
            ("tool called", name, span, mend)
        }
        Kind::Prompt => {
            let mend = "rename one of them: `#[prompt(name = \"…\")]`";
            ("prompt called", name, span, mend)
        }
        Kind::Resource(resource) => {
            let uri = &resource.uri;
            let mend = "give each resource its own URI";
            ("resource under", uri.key(), uri.span(), mend)
        }
    }
}

/// Checks the URI of a resource, and that its parameters match the variables.
fn template(callable: &Callable, resource: &Resource, diagnostics: &mut Diagnostics) {
    let uri = match &resource.uri {
        Uri::Text(uri) => uri,
        Uri::Constant(_) => return constant(callable, resource, diagnostics),
    };
    let text = uri.value();
    if !has_scheme(&text) {
        let what = format!("`{text}` is not a URI: it has no scheme");
        let mend = if text.contains(' ') {
            format!(
                "write `#[resource(\"scheme://path/{{variable}}\")]`, and the text as the doc comment: `/// {text}`"
            )
        } else {
            "begin with a scheme, as in `book://…`".to_owned()
        };
        diagnostics.mistake(uri, what, mend);
        return;
    }
    if text.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        let what = format!("`{text}` is not a URI: it contains a space");
        diagnostics.mistake(uri, what, "write `%20` for a space, or remove it");
        return;
    }
    let variables = match variables(&text) {
        Ok(variables) => variables,
        Err(fault) => {
            let what = format!("`{text}` is not a URI template: {fault}");
            let mend = if text.contains('*') || text.contains("...") {
                "for a path with slashes write `{+path}`"
            } else {
                "see RFC 6570; modifiers, repeated variables and adjacent variables are not supported"
            };
            diagnostics.mistake(uri, what, mend);
            return;
        }
    };
    check_variables(callable, uri, &variables, diagnostics);
    if variables.is_empty() {
        lists_itself(resource, diagnostics);
    }
    if let Some(size) = resource.size.as_ref().filter(|_| !variables.is_empty()) {
        diagnostics.mistake(size, "a URI template has no size", "remove `size`");
    }
}

/// Checks a resource whose URI is a constant, which cannot have variables.
fn constant(callable: &Callable, resource: &Resource, diagnostics: &mut Diagnostics) {
    if let Some(argument) = callable.arguments().next() {
        at(
            argument.name_span,
            diagnostics,
            format!(
                "`{}` has no variables: it is a constant",
                resource.uri.key()
            ),
            "write the template in the attribute, or remove the parameter",
        );
    }
    lists_itself(resource, diagnostics);
}

/// Refuses `list` on a resource without variables.
fn lists_itself(resource: &Resource, diagnostics: &mut Diagnostics) {
    if let Some(list) = &resource.list {
        diagnostics.mistake(
            &list.path,
            "a resource without variables lists itself",
            "remove `list`, or put a variable into the URI",
        );
    }
}

/// Checks that each variable has a parameter and each parameter a variable, and that only optional
/// variables use `Option`.
fn check_variables(
    callable: &Callable,
    uri: &LitStr,
    variables: &[Variable],
    diagnostics: &mut Diagnostics,
) {
    for Variable { name, .. } in variables {
        if !callable.arguments().any(|argument| argument.name == *name) {
            diagnostics.mistake(
                uri,
                format!("the variable `{name}` has no parameter"),
                format!("add `{name}: String` to the function"),
            );
        }
    }
    for argument in callable.arguments() {
        let mut variables = variables.iter();
        let Some(variable) = variables.find(|variable| variable.name == argument.name) else {
            at(
                argument.name_span,
                diagnostics,
                format!("`{}` has no variable `{}`", uri.value(), argument.name),
                &format!("write `{{{}}}` at its place in the URI", argument.name),
            );
            continue;
        };
        if let Some(inside) = optional(&argument.kind).filter(|_| !variable.is_optional) {
            let name = &argument.name;
            let inside = inside.to_token_stream();
            let what = format!("a URI without `{name}` does not match, so it is never `None`");
            let mend = format!("take a `{inside}`, or write `{{?{name}}}` at the end of the URI");
            diagnostics.mistake(&argument.kind, what, mend);
        }
    }
}

fn arguments(callable: &Callable, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<&str> = Vec::new();
    for argument in callable.arguments() {
        if seen.contains(&argument.name.as_str()) {
            at(
                argument.name_span,
                diagnostics,
                format!("an argument called `{}` exists already", argument.name),
                "rename one of them: `#[arg(rename = \"…\")]`",
            );
        }
        seen.push(&argument.name);
    }
}

/// Checks that no two arguments use the same header. Header names are case-insensitive.
fn headers(callable: &Callable, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<String> = Vec::new();
    for header in callable
        .arguments()
        .filter_map(|argument| argument.rules.header.as_ref())
    {
        let name = header.value().to_lowercase();
        if seen.contains(&name) {
            let what = format!(
                "another argument is sent in the header `{}`",
                header.value()
            );
            diagnostics.mistake(header, what, "give each argument its own header");
        }
        seen.push(name);
    }
}

fn name_fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if name.len() > 128 {
        return Some(format!("it has {} characters", name.len()));
    }
    let foreign = name.chars().find(|letter| !is_of_name(*letter))?;
    Some(format!("it contains {foreign:?}"))
}

fn at(span: Span, diagnostics: &mut Diagnostics, what: String, mend: &str) {
    diagnostics.mistake(quote_spanned!(span=> name), what, mend);
}
