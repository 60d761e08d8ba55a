//! `#[elicit("…")]`: a parameter that the user is asked for before the function is entered.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::{Attribute, LitStr, Type};

use crate::attribute::nearest;
use crate::diagnostics::Diagnostics;
use crate::docs;
use crate::model::{Callable, Question};

/// The number of questions that can be asked in one round.
const MAX_QUESTIONS: usize = 6;

/// Reads the question of the parameter `ident`; the attributes that are left are `others`.
pub(crate) fn read(
    ident: Ident,
    kind: &Type,
    attribute: &Attribute,
    others: &[Attribute],
    diagnostics: &mut Diagnostics,
) -> Option<Question> {
    if let Some(doc) = others.iter().find(|attribute| docs::is_doc(attribute)) {
        let mend = "put it into the message of `#[elicit(\"…\")]`";
        diagnostics.mistake(doc, "nobody is shown the doc comment of a question", mend);
    }
    let message = attribute.parse_args::<LitStr>().ok();
    let Some(message) = message.filter(|message| !message.value().trim().is_empty()) else {
        diagnostics.mistake(
            attribute,
            "`#[elicit]` needs the question to the user, as text",
            "write `#[elicit(\"Delete {name}?\")]`, where `{name}` is an argument",
        );
        return None;
    };
    Some(Question {
        ident,
        kind: Box::new(kind.clone()),
        message,
    })
}

/// The names in the braces of a format string; errors in it are left to the compiler.
pub(crate) fn names(message: &LitStr) -> Vec<String> {
    let text = message.value().replace("{{", "");
    let holes = text.split('{').skip(1);
    let names = holes.filter_map(|hole| hole.split(['}', ':']).next());
    let mut names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
    names.sort();
    names.dedup();
    names
}

/// Checks that the messages name arguments only, and that there are not too many.
pub(crate) fn check(callable: &Callable, diagnostics: &mut Diagnostics) {
    let known: Vec<String> = callable
        .arguments()
        .map(|argument| argument.ident.unraw().to_string())
        .collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for question in callable.questions() {
        let names = names(&question.message);
        for name in names.iter().filter(|name| !known.contains(&&***name)) {
            let mend = match nearest(name, &known) {
                Some(near) => format!("did you mean `{{{near}}}`?"),
                None if known.is_empty() => "the function takes no arguments".to_owned(),
                None => format!("its arguments are: `{}`", known.join("`, `")),
            };
            let what = format!("`{{{name}}}` is no argument of the function");
            diagnostics.mistake(&question.message, what, mend);
        }
    }
    if let Some(question) = callable.questions().nth(MAX_QUESTIONS) {
        diagnostics.mistake(
            &question.ident,
            format!("no more than {MAX_QUESTIONS} questions are asked at once"),
            "ask for a struct under `#[derive(Elicit)]`, whose fields make one form",
        );
    }
}
