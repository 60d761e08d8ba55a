//! Reads `#[arg(…)]`, the settings of one parameter.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::{
    Expr, ExprLit, FnArg, ImplItem, Lit, LitStr, Path, Signature, Type, parse_quote_spanned,
};

use crate::attribute::Entries;
use crate::diagnostics::Diagnostics;
use crate::grammar::Grammar;
use crate::model::{Argument, Helper, Made, Rules};
use crate::own_attribute::is_setting;
use crate::{bounds, pattern};

/// The rules for the attributes of a function's parameters.
pub(crate) struct Expected<'a> {
    /// Whether the function is an associated function.
    pub(crate) of_type: bool,
    pub(crate) grammar: &'a Grammar,
    pub(crate) helpers: &'a Helpers,
    /// Whether arguments are lenient by default.
    pub(crate) lenient: bool,
}

/// The signatures of all functions in an `impl` block, to look up helpers in.
#[derive(Default)]
pub(crate) struct Helpers(Vec<Signature>);

impl Helpers {
    pub(crate) fn of(items: &[ImplItem]) -> Self {
        let functions = items.iter().filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function.sig.clone()),
            _ => None,
        });
        Self(functions.collect())
    }

    pub(crate) fn first(&self) -> Option<Ident> {
        self.0.first().map(|first| first.ident.clone())
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|known| known.ident.to_string()).collect()
    }

    pub(crate) fn contains(&self, name: &Ident) -> bool {
        self.0.iter().any(|known| known.ident == *name)
    }

    /// Looks up the function at `path`.
    ///
    /// A `Self::` function is assumed to take `&self` unless the block shows otherwise. A function
    /// outside the block never takes the server.
    pub(crate) fn find(&self, path: Path) -> Helper {
        let known = self.signature(&path);
        Helper {
            has_self: is_of_self(&path) && known.is_none_or(|known| known.receiver().is_some()),
            is_plain: known.is_some_and(|known| known.asyncness.is_none()),
            path,
        }
    }

    /// Looks up the function at `path`. Reports a mistake if it takes anything but `&self` and the
    /// types in `takes`.
    pub(crate) fn find_taking(
        &self,
        path: Path,
        role: &str,
        takes: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Helper {
        let known = self.signature(&path);
        let parameters = known.into_iter().flat_map(|known| &known.inputs);
        let parameters: Vec<_> = parameters
            .filter_map(|input| match input {
                FnArg::Typed(typed) => Some(typed),
                FnArg::Receiver(_) => None,
            })
            .collect();
        let mut attributes = parameters.iter().flat_map(|parameter| &parameter.attrs);
        if attributes.any(is_setting) {
            diagnostics.count_known();
        } else if let Some(own) = path.get_ident().filter(|name| self.contains(name)) {
            let what = format!("{role} of this block is named by its type");
            diagnostics.mistake(own, what, format!("write `Self::{own}`"));
        } else if known.is_some() && parameters.len() != takes.len() {
            let takes = match takes {
                [] => "`&self`, or nothing".to_owned(),
                takes => format!("`&self` and `{}`", takes.join("`, `")),
            };
            let name = path.segments.last().map(|last| last.ident.to_string());
            let mend = format!("give `{}` no other parameters", name.unwrap_or_default());
            diagnostics.mistake(&path, format!("{role} takes {takes}"), mend);
        } else if let Some(owned) = parameters.iter().find(|it| !is_reference(&it.ty)) {
            let what = format!("{role} borrows what it takes");
            diagnostics.mistake(&owned.ty, what, format!("write `{}`", takes.join("`, `")));
        }
        self.find(path)
    }

    pub(crate) fn signature(&self, path: &Path) -> Option<&Signature> {
        let last = path.segments.last().filter(|_| is_of_self(path))?;
        self.0.iter().find(|known| known.ident == last.ident)
    }
}

fn is_reference(kind: &Type) -> bool {
    matches!(kind, Type::Reference(_))
}

fn is_of_self(path: &Path) -> bool {
    let first = path.segments.first();
    first.is_some_and(|first| first.ident == "Self")
}

pub(crate) fn read(
    ident: Ident,
    kind: &Type,
    doc: Option<Expr>,
    mut entries: Entries,
    expected: &Expected<'_>,
    diagnostics: &mut Diagnostics,
) -> Argument {
    let rename = entries.literal("rename", diagnostics);
    let description = entries.expr("description", diagnostics);
    let rules = Rules {
        default: default(&mut entries, diagnostics),
        example: entries.expr("example", diagnostics).map(value),
        range: bounds::read(&mut entries, "range", diagnostics),
        length: bounds::read(&mut entries, "length", diagnostics),
        pattern: pattern(&mut entries, diagnostics),
        header: header(&mut entries, diagnostics),
        lenient: entries
            .flag("lenient", diagnostics)
            .unwrap_or(expected.lenient),
    };
    bounds::check(&rules, diagnostics);
    let complete = entries.path("complete", diagnostics);
    Argument {
        is_nested: entries.flag("nested", diagnostics).unwrap_or(false),
        complete: complete.map(|path| {
            let takes = ["&CompletionRequest"];
            let helpers = expected.helpers;
            helpers.find_taking(path, "a completer", &takes, diagnostics)
        }),
        name: rename.as_ref().map_or_else(|| name(&ident), LitStr::value),
        name_span: rename.map_or_else(|| ident.span(), |name| name.span()),
        ident,
        kind: Box::new(kind.clone()),
        description: description.or(doc),
        rules,
    }
}

/// The argument's name: the parameter's name without the leading `_` that marks it as unused.
fn name(ident: &Ident) -> String {
    let name = ident.unraw().to_string();
    let used = name.trim_start_matches('_');
    let is_name = used.starts_with(|letter: char| !letter.is_ascii_digit());
    if is_name { used.to_owned() } else { name }
}

/// Reads `default`. Without a value, it means `Default::default`.
fn default(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<Made> {
    if let Some(flag) = entries
        .name_of("default")
        .filter(|_| entries.is_flag("default"))
    {
        entries.flag("default", diagnostics);
        return Some(Made::By(
            parse_quote_spanned!(flag.span()=> ::core::default::Default::default),
        ));
    }
    entries.expr("default", diagnostics).map(value)
}

/// A string literal works for every type that implements `FromLiteral`.
fn value(expr: Expr) -> Made {
    Made::Is(match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => parse_quote_spanned!(text.span()=> __mcp::from_text(#text)),
        other => other,
    })
}

/// Reads `pattern`. The regular expression is checked only if the feature `pattern` is on.
fn pattern(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<LitStr> {
    let pattern = entries.literal("pattern", diagnostics)?;
    if let Some(fault) = pattern::fault(&pattern.value()) {
        diagnostics.mistake(
            &pattern,
            format!("`{}` is not a regular expression: {fault}", pattern.value()),
            "correct it; look-around and back-references are not supported",
        );
        return None;
    }
    Some(pattern)
}

/// Reads `header`, which must be a token of HTTP (RFC 9110, section 5.1).
fn header(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<LitStr> {
    let name = entries.literal("header", diagnostics)?;
    let text = name.value();
    let is_token =
        |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    if text.is_empty() || !text.chars().all(is_token) {
        diagnostics.mistake(
            &name,
            format!("`{text}` is not a valid header name"),
            "use letters, digits and `-`, as in `header = \"Region\"`",
        );
        return None;
    }
    Some(name)
}
