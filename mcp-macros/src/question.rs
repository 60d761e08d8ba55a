//! Reads `#[elicit("…")]`, a parameter that the user answers before the function runs.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, FnArg, LitStr, PatType, Path, Token};

use crate::argument::Helpers;
use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::grammar::ELICIT;
use crate::model::{Callable, Condition, Question};
use crate::nearest::nearest;
use crate::signature::name_of;
use crate::types::optional;

/// The maximum number of questions in one round.
const MAX_QUESTIONS: usize = 6;

/// Reads the question of the parameter `ident`. `attribute` is no longer among the parameter's
/// attributes.
pub(crate) fn read(
    ident: Ident,
    parameter: &PatType,
    attribute: &Attribute,
    helpers: &Helpers,
    diagnostics: &mut Diagnostics,
) -> Option<Question> {
    let mut others = parameter.attrs.iter();
    if let Some(doc) = others.find(|attribute| docs::is_doc(attribute)) {
        let mend = "put it into the message of `#[elicit(\"…\")]`";
        diagnostics.mistake(doc, "the doc comment of a question is never shown", mend);
    }
    let parsed = attribute.parse_args_with(message_and_rest).ok();
    let parsed = parsed.filter(|(message, _)| !message.value().trim().is_empty());
    let Some((message, rest)) = parsed else {
        diagnostics.mistake(
            attribute,
            "`#[elicit]` needs the question to the user, as a string",
            "write `#[elicit(\"Delete {name}?\")]`, where `{name}` is an argument",
        );
        return None;
    };
    let mut entries = Entries::parse(rest, &ELICIT, diagnostics);
    let mut kind = &*parameter.ty;
    let mut when = None;
    if let Some(path) = entries.path("when", diagnostics) {
        when = Some(condition(path, helpers, diagnostics)?);
        let Some(inside) = optional(kind) else {
            let text = kind.to_token_stream();
            let what = "a question under `when` may have no answer: `None` if it is not asked";
            diagnostics.mistake(kind, what, format!("take an `Option<{text}>`"));
            return None;
        };
        kind = inside;
    }
    Some(Question {
        ident,
        kind: Box::new(kind.clone()),
        message,
        when,
    })
}

/// Parses the question, and returns it with the tokens after the comma.
fn message_and_rest(input: ParseStream<'_>) -> syn::Result<(LitStr, TokenStream)> {
    let message = input.parse()?;
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok((message, input.parse()?))
}

/// Looks up the function under `when`, whose parameters have the names of arguments.
fn condition(path: Path, helpers: &Helpers, diagnostics: &mut Diagnostics) -> Option<Condition> {
    let Some(signature) = helpers.signature(&path) else {
        missing(&path, helpers, diagnostics);
        return None;
    };
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        match input {
            FnArg::Receiver(_) => {}
            FnArg::Typed(typed) => parameters.push(name_of(&typed.pat, diagnostics)?),
        }
    }
    Some(Condition {
        has_self: signature.receiver().is_some(),
        path,
        parameters,
    })
}

fn missing(path: &Path, helpers: &Helpers, diagnostics: &mut Diagnostics) {
    let name = path.segments.last().map(|last| last.ident.to_string());
    let name = name.unwrap_or_default();
    let names = helpers.names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let what = "`when` names a function of the `impl` block, which gets arguments by their names";
    if names.is_empty() {
        let mend = "move the tool into an `impl` block, or ask in the function with `cx.elicit`";
        diagnostics.mistake(path, what, mend);
    } else if names.contains(&&*name) {
        diagnostics.mistake(path, what, format!("write `when = Self::{name}`"));
    } else {
        let mend = match nearest(&name, &names) {
            Some(near) => format!("did you mean `Self::{near}`?"),
            None => format!(
                "add `fn {name}(&self) -> bool`, with arguments of the tool as its other parameters"
            ),
        };
        let what = format!("this `impl` block has no function `{name}`");
        diagnostics.mistake(path, what, mend);
    }
}

/// The names in the braces of a format string. The compiler reports errors in the string.
pub(crate) fn names(message: &LitStr) -> Vec<String> {
    let text = message.value().replace("{{", "");
    let holes = text.split('{').skip(1);
    let names = holes.filter_map(|hole| hole.split(['}', ':']).next());
    let mut names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// Checks that messages and conditions use only arguments, and that there are not too many
/// questions.
pub(crate) fn check(callable: &Callable, diagnostics: &mut Diagnostics) {
    let known: Vec<String> = callable
        .arguments()
        .map(|argument| argument.ident.unraw().to_string())
        .collect();
    let answers: Vec<String> = callable
        .questions()
        .map(|question| question.ident.unraw().to_string())
        .collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let mend = |name: &str| match nearest(name, &known) {
        _ if answers.iter().any(|answer| answer == name) => format!(
            "all questions are asked in one round: if a question depends on the answer `{name}`, ask it in the function with `cx.elicit`"
        ),
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "the function takes no arguments".to_owned(),
        None => format!("its arguments are: `{}`", known.join("`, `")),
    };
    for question in callable.questions() {
        let names = names(&question.message);
        for name in names.iter().filter(|name| !known.contains(&&***name)) {
            let what = format!("`{{{name}}}` is not an argument of the function");
            diagnostics.mistake(&question.message, what, mend(name));
        }
        let when = question.when.iter().flat_map(|when| &when.parameters);
        for parameter in when {
            let name = parameter.unraw().to_string();
            if !known.contains(&&*name) {
                let what = format!(
                    "`when` gets arguments of `{}` by their names, and `{name}` is not an argument",
                    callable.ident
                );
                diagnostics.mistake(parameter, what, mend(&name));
            }
        }
    }
    if let Some(question) = callable.questions().nth(MAX_QUESTIONS) {
        diagnostics.mistake(
            &question.ident,
            format!("no more than {MAX_QUESTIONS} questions can be asked in one round"),
            "ask for a struct with `#[derive(Elicit)]`: its fields make one form",
        );
    }
}
