//! `#[arg(…)]`: what a parameter says about its values.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::{Expr, ExprLit, ImplItem, Lit, LitStr, Path, Signature, Type, parse_quote_spanned};

use crate::attribute::Entries;
use crate::bounds;
use crate::diagnostics::Diagnostics;
use crate::grammar::Grammar;
use crate::model::{Argument, Helper, Made, Rules};
use crate::pattern;

/// The attributes that parameters of the function may have, and the functions that these may name.
pub(crate) struct Expected<'a> {
    /// Whether the function belongs to a type.
    pub(crate) of_type: bool,
    pub(crate) grammar: &'a Grammar,
    pub(crate) helpers: &'a Helpers,
    /// Whether arguments are lenient unless they say otherwise.
    pub(crate) lenient: bool,
}

/// The functions of the block.
#[derive(Default)]
pub(crate) struct Helpers(Vec<Signature>);

impl Helpers {
    /// Looks at all functions of `items`.
    pub(crate) fn of(items: &[ImplItem]) -> Self {
        let functions = items.iter().filter_map(|item| match item {
            ImplItem::Fn(function) => Some(function.sig.clone()),
            _ => None,
        });
        Self(functions.collect())
    }

    /// Whether there is a function of this name.
    pub(crate) fn contains(&self, name: &Ident) -> bool {
        self.0.iter().any(|known| known.ident == *name)
    }

    /// Looks up the function at `path`.
    ///
    /// `Self::function` takes the server, unless the block shows that it does not; a function that
    /// stands elsewhere does not take it.
    pub(crate) fn find(&self, path: Path) -> Helper {
        let of_self = path
            .segments
            .first()
            .is_some_and(|first| first.ident == "Self");
        let known = path.segments.last().and_then(|last| {
            let mut functions = self.0.iter();
            functions.find(|known| of_self && known.ident == last.ident)
        });
        Helper {
            has_self: of_self && known.is_none_or(|known| known.receiver().is_some()),
            is_plain: known.is_some_and(|known| known.asyncness.is_none()),
            path,
        }
    }
}

/// Reads the settings of the parameter `ident`.
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
        complete: complete.map(|path| expected.helpers.find(path)),
        name: rename
            .as_ref()
            .map_or_else(|| ident.unraw().to_string(), LitStr::value),
        name_span: rename.map_or_else(|| ident.span(), |name| name.span()),
        ident,
        kind: Box::new(kind.clone()),
        description: description.or(doc),
        rules,
    }
}

/// `default` alone is the type's own default.
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

/// A string literal fits each type that is made of one.
fn value(expr: Expr) -> Made {
    Made::Is(match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => parse_quote_spanned!(text.span()=> __mcp::from_text(#text)),
        other => other,
    })
}

/// A regular expression, where the feature that knows them is on.
fn pattern(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<LitStr> {
    let pattern = entries.literal("pattern", diagnostics)?;
    if let Some(fault) = pattern::fault(&pattern.value()) {
        diagnostics.mistake(
            &pattern,
            format!("`{}` is no regular expression: {fault}", pattern.value()),
            "mend it; look-around and back-references are not known",
        );
        return None;
    }
    Some(pattern)
}

/// The name of a header: a token of HTTP (RFC 9110, section 5.1).
fn header(entries: &mut Entries, diagnostics: &mut Diagnostics) -> Option<LitStr> {
    let name = entries.literal("header", diagnostics)?;
    let text = name.value();
    let is_token =
        |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    if text.is_empty() || !text.chars().all(is_token) {
        diagnostics.mistake(
            &name,
            format!("`{text}` is no name for a header"),
            "use letters, digits and `-`, as in `header = \"Region\"`",
        );
        return None;
    }
    Some(name)
}
