//! Parses the entries between the parentheses of our attributes.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Path, Token, Type, token};

use crate::diagnostics::Diagnostics;
use crate::grammar::{Grammar, OUTPUT, URI};
use crate::model::Output;
use crate::nearest::nearest;

/// One `name`, `name = value` or `name(list)`.
struct Entry {
    name: Ident,
    value: Value,
}

enum Value {
    Flag,
    Expr(Box<Expr>),
    /// Only the entry `output` has a type.
    Type(Box<Type>),
    List(TokenStream),
}

impl Value {
    fn text(&self) -> Option<String> {
        match self {
            Self::Expr(value) => Some(value.to_token_stream().to_string()),
            Self::Flag | Self::Type(_) | Self::List(_) => None,
        }
    }
}

/// The entries of one attribute, which are taken out one by one.
pub(crate) struct Entries {
    entries: Vec<Entry>,
}

impl Entries {
    /// Parses the entries, and reports unknown and repeated ones.
    pub(crate) fn parse(
        tokens: TokenStream,
        grammar: &Grammar,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let parsed = diagnostics
            .absorb((|input: ParseStream<'_>| parse_entries(input, grammar)).parse2(tokens));
        Self::checked(parsed.unwrap_or_default(), grammar, diagnostics)
    }

    /// Parses the entries of `attribute`. A parameter without an attribute has no entries.
    pub(crate) fn of(
        attribute: Option<&Attribute>,
        grammar: &Grammar,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let parsed = match attribute {
            Some(attribute) if matches!(attribute.meta, Meta::List(_)) => diagnostics.absorb(
                attribute.parse_args_with(|input: ParseStream<'_>| parse_entries(input, grammar)),
            ),
            _ => None,
        };
        Self::checked(parsed.unwrap_or_default(), grammar, diagnostics)
    }

    fn checked(parsed: Vec<Entry>, grammar: &Grammar, diagnostics: &mut Diagnostics) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut foreign: Vec<(Entry, String)> = Vec::new();
        for entry in parsed {
            let name = entry.name.unraw().to_string();
            if !grammar.knows(&name) {
                match grammar.translated(&name, entry.value.text().as_deref()) {
                    Some(ours) => translate(&mut foreign, entry, ours),
                    None => unknown(&entry, &name, grammar, diagnostics),
                }
            } else if entries.iter().any(|known| known.name == entry.name) {
                diagnostics.mistake(
                    &entry.name,
                    format!("`{name}` is given twice"),
                    "keep one of the two",
                );
            } else {
                entries.push(entry);
            }
        }
        for (entry, ours) in foreign {
            let what = format!("{} does not know `{}`", grammar.attribute, entry.name);
            diagnostics.mistake(entry.name, what, format!("write `{ours}`"));
        }
        Self { entries }
    }

    fn take(&mut self, name: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.name == name)?;
        Some(self.entries.swap_remove(at))
    }

    /// The number of entries that have not been taken out yet.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The name as the user wrote it, to report mistakes at its span.
    pub(crate) fn name_of(&self, name: &str) -> Option<Ident> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        Some(entry.name.clone())
    }

    /// Whether `name` is written without a value.
    pub(crate) fn is_flag(&self, name: &str) -> bool {
        let is_it = |entry: &Entry| entry.name == name && matches!(entry.value, Value::Flag);
        self.entries.iter().any(is_it)
    }

    /// Takes a flag: `name`, `name = true` or `name = false`.
    pub(crate) fn flag(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<bool> {
        let entry = self.take(name)?;
        match &entry.value {
            Value::Flag => Some(true),
            Value::Expr(expr) => match expr.as_ref() {
                Expr::Lit(ExprLit {
                    lit: Lit::Bool(value),
                    ..
                }) => Some(value.value),
                other => {
                    flag_expected(other, name, diagnostics);
                    None
                }
            },
            Value::Type(kind) => {
                flag_expected(kind, name, diagnostics);
                None
            }
            Value::List(list) => {
                flag_expected(list, name, diagnostics);
                None
            }
        }
    }

    /// Takes `output`, which decides on the schema of a tool's results.
    pub(crate) fn output(&mut self, diagnostics: &mut Diagnostics) -> Output {
        let Some(entry) = self.take(OUTPUT) else {
            return Output::Returned;
        };
        let at = match entry.value {
            Value::Flag => return Output::Returned,
            Value::Type(kind) => return Output::Of(kind),
            Value::Expr(expr) => match *expr {
                Expr::Lit(ExprLit {
                    lit: Lit::Bool(value),
                    ..
                }) if value.value => return Output::Returned,
                Expr::Lit(ExprLit {
                    lit: Lit::Bool(_), ..
                }) => return Output::TextOnly,
                other => other.into_token_stream(),
            },
            Value::List(list) => list,
        };
        diagnostics.mistake(
            at,
            "`output` is a type or `false`",
            "write `output = Graph` for the schema of `Graph`, or `output = false` for text only",
        );
        Output::Returned
    }

    /// Takes a string literal, for values that the macro itself has to read.
    pub(crate) fn literal(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<LitStr> {
        match self.expr(name, diagnostics)? {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text),
            other => {
                diagnostics.mistake(
                    other,
                    format!("`{name}` must be a string literal, because it is checked here"),
                    format!("write `{name} = \"…\"`"),
                );
                None
            }
        }
    }

    /// Takes a duration: a string literal with a unit.
    pub(crate) fn time(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<LitStr> {
        let entry = self.entries.iter().find(|entry| entry.name == name)?;
        if let Value::Expr(value) = &entry.value
            && let Expr::Lit(literal) = value.as_ref()
            && let Lit::Int(number) = &literal.lit
        {
            let what = format!("`{name}` must be a string: a number with its unit");
            let unit = Some(number.suffix()).filter(|unit| !unit.is_empty());
            let digits = number.base10_digits();
            let unit = unit.unwrap_or("s");
            diagnostics.mistake(number, what, format!("write `{name} = \"{digits}{unit}\"`"));
            return None;
        }
        self.literal(name, diagnostics)
    }

    pub(crate) fn ident(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<Ident> {
        let path = self.path(name, diagnostics)?;
        path.get_ident().cloned().or_else(|| {
            let what = format!("`{name}` is a plain name");
            diagnostics.mistake(path, what, format!("write `{name} = name`"));
            None
        })
    }

    /// Takes a list of entries in parentheses.
    pub(crate) fn list(
        &mut self,
        name: &str,
        grammar: &Grammar,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let entry = self.take(name)?;
        if let Value::List(list) = entry.value {
            return Some(Self::parse(list, grammar, diagnostics));
        }
        let what = format!("`{name}` needs entries in parentheses");
        let example = grammar.known.join(" = …, ");
        diagnostics.mistake(entry.name, what, format!("write `{name}({example} = …)`"));
        None
    }

    /// Takes a list of words in parentheses. `grammar` has to know each word.
    pub(crate) fn words(
        &mut self,
        name: &str,
        grammar: &Grammar,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Ident> {
        let Some(entry) = self.take(name) else {
            return Vec::new();
        };
        let Value::List(list) = entry.value else {
            let what = format!("`{name}` needs words in parentheses");
            let mend = format!(
                "write `{name}({})`, or some of these",
                grammar.known.join(", ")
            );
            diagnostics.mistake(entry.name, what, mend);
            return Vec::new();
        };
        let words = Self::parse(list, grammar, diagnostics).entries;
        for word in words
            .iter()
            .filter(|word| !matches!(word.value, Value::Flag))
        {
            let what = format!("`{}` takes no value in `{name}`", word.name);
            diagnostics.mistake(&word.name, what, "remove the value");
        }
        words.into_iter().map(|word| word.name).collect()
    }

    pub(crate) fn idents(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Vec<Ident> {
        let Some(entry) = self.take(name) else {
            return Vec::new();
        };
        if let Value::List(list) = entry.value {
            let parser = Punctuated::<Ident, Token![,]>::parse_terminated;
            if let Ok(names) = parser.parse2(list.clone()) {
                return names.into_iter().collect();
            }
            let plain = list.to_string().replace('"', "");
            let what = format!("`{name}` takes names without quotation marks");
            diagnostics.mistake(list, what, format!("write `{name}({plain})`"));
            return Vec::new();
        }
        let what = format!("`{name}` needs names in parentheses");
        diagnostics.mistake(entry.name, what, format!("write `{name}(one, two)`"));
        Vec::new()
    }

    /// Takes a list of at least one string literal. Messages show `example` as the correct form.
    pub(crate) fn texts(
        &mut self,
        name: &str,
        example: &str,
        diagnostics: &mut Diagnostics,
    ) -> Vec<LitStr> {
        let Some(entry) = self.take(name) else {
            return Vec::new();
        };
        let mut example = format!("\"{example}\"");
        if let Value::Expr(expr) = &entry.value
            && let Some(text) = text_of(expr).filter(|text| !text.is_empty())
        {
            let words = text.split_whitespace().map(|word| format!("\"{word}\""));
            example = words.collect::<Vec<_>>().join(", ");
        }
        if let Value::List(list) = entry.value
            && !list.is_empty()
        {
            let parser = Punctuated::<LitStr, Token![,]>::parse_terminated;
            if let Ok(texts) = parser.parse2(list.clone()) {
                return texts.into_iter().collect();
            }
            let what = format!("`{name}` takes strings in quotation marks");
            diagnostics.mistake(list, what, format!("write `{name}({example})`"));
            return Vec::new();
        }
        let what = format!("`{name}` needs string literals in parentheses");
        diagnostics.mistake(entry.name, what, format!("write `{name}({example})`"));
        Vec::new()
    }

    /// Takes a list of at least one expression in parentheses.
    pub(crate) fn exprs(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Vec<Expr> {
        let Some(entry) = self.take(name) else {
            return Vec::new();
        };
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let example = match entry.value {
            Value::List(list) if !list.is_empty() => {
                let exprs = diagnostics.absorb(parser.parse2(list));
                return exprs.into_iter().flatten().collect();
            }
            value => value.text().unwrap_or_else(|| "…".to_owned()),
        };
        let what = format!("`{name}` needs expressions in parentheses");
        diagnostics.mistake(entry.name, what, format!("write `{name}({example})`"));
        Vec::new()
    }

    /// Takes the path of a function.
    pub(crate) fn path(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<Path> {
        match self.expr(name, diagnostics)? {
            Expr::Path(path) => Some(path.path),
            other => {
                let text = text_of(&other).filter(|text| syn::parse_str::<Ident>(text).is_ok());
                let text = text.unwrap_or_else(|| "function".to_owned());
                let what = format!("`{name}` is the path of a function");
                diagnostics.mistake(other, what, format!("write `{name} = Self::{text}`"));
                None
            }
        }
    }

    pub(crate) fn expr(&mut self, name: &str, diagnostics: &mut Diagnostics) -> Option<Expr> {
        let entry = self.take(name)?;
        if let Value::Expr(expr) = entry.value {
            return Some(*expr);
        }
        let example = if ["range", "length"].contains(&name) {
            "1..=100"
        } else {
            "…"
        };
        diagnostics.mistake(
            entry.name,
            format!("`{name}` needs a value"),
            format!("write `{name} = {example}`"),
        );
        None
    }
}

fn text_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

fn flag_expected(tokens: impl ToTokens, name: &str, diagnostics: &mut Diagnostics) {
    diagnostics.mistake(
        tokens,
        format!("`{name}` is either on or off"),
        format!("write `{name}` or `{name} = false`"),
    );
}

fn parse_entries(input: ParseStream<'_>, grammar: &Grammar) -> syn::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        if entries.is_empty() && (input.peek(LitStr) || is_constant(input, grammar)) {
            entries.push(unnamed(input)?);
            continue;
        }
        let name = input.call(Ident::parse_any)?;
        if input.peek(Token![:]) {
            let what = format!("a value is written after `=`\n  help: write `{name} = …`");
            return Err(syn::Error::new(name.span(), what));
        }
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            if input.is_empty() || input.peek(Token![,]) {
                let message = format!("`{name}` needs a value\n  help: write `{name} = …`");
                return Err(syn::Error::new(name.span(), message));
            }
            if name == OUTPUT && !input.peek(Lit) {
                Value::Type(input.parse()?)
            } else {
                Value::Expr(input.parse()?)
            }
        } else if input.peek(token::Paren) {
            let list;
            syn::parenthesized!(list in input);
            Value::List(list.parse()?)
        } else {
            Value::Flag
        };
        entries.push(Entry { name, value });
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(entries)
}

/// Whether the path of a constant comes next, to be used as the URI.
fn is_constant(input: ParseStream<'_>, grammar: &Grammar) -> bool {
    let ahead = input.fork();
    let Ok(path) = Path::parse_mod_style(&ahead) else {
        return false;
    };
    let is_whole = ahead.is_empty() || ahead.peek(Token![,]);
    let is_constant = path.get_ident().is_none_or(|name| {
        let name = name.to_string();
        name.starts_with(|letter: char| letter.is_uppercase())
    });
    grammar.knows(URI) && is_whole && is_constant
}

/// Parses a string literal or constant without a name, which is the URI.
fn unnamed(input: ParseStream<'_>) -> syn::Result<Entry> {
    let value: Expr = input.parse()?;
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(Entry {
        name: Ident::new(URI, value.span()),
        value: Value::Expr(Box::new(value)),
    })
}

/// Records a word of another library with its replacement. A minimum and a maximum are merged into
/// one range.
fn translate(foreign: &mut Vec<(Entry, String)>, entry: Entry, ours: String) {
    let (word, end) = ours.split_once(" = ").unwrap_or_default();
    let mut ranges = foreign.iter_mut().filter(|_| end.contains(".."));
    let other = ranges.find_map(|(_, known)| {
        let (_, other) = known.split_once(" = ").filter(|(it, _)| *it == word)?;
        let (low, high) = if end.starts_with("..") {
            (other, end)
        } else {
            (end, other)
        };
        let range = low
            .strip_suffix("..")
            .map(|low| format!("{word} = {low}{high}"));
        range.map(|range| *known = range)
    });
    if other.is_none() {
        foreign.push((entry, ours));
    }
}

fn unknown(entry: &Entry, name: &str, grammar: &Grammar, diagnostics: &mut Diagnostics) {
    let at = &entry.name;
    if name == URI {
        let what = format!("{} takes no string without a name", grammar.attribute);
        let text = match &entry.value {
            Value::Expr(expr) => text_of(expr).unwrap_or_default(),
            _ => String::new(),
        };
        diagnostics.mistake(at, what, grammar.named(&text));
        return;
    }
    let known = grammar.known.join(", ");
    let elsewhere = Grammar::elsewhere(name);
    let mend = if let Some(reason) = Grammar::needless(name) {
        reason.to_owned()
    } else if let Some(near) = nearest(name, grammar.known) {
        format!("did you mean `{near}`?")
    } else if elsewhere.is_empty() {
        format!("known are: {known}")
    } else {
        let elsewhere = elsewhere.join(" and ");
        format!("it belongs to {elsewhere}; known here are: {known}")
    };
    let what = format!("{} does not know `{name}`", grammar.attribute);
    diagnostics.mistake(at, what, mend);
}
