//! Model of the user's declarations, free of syntax.

use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Generics, LitStr, Path, Type, Visibility};

/// A server, or a part of one: an `impl` block or a module, and what it says about itself.
pub(crate) struct Server {
    /// Path of the runtime in the user's crate.
    pub(crate) runtime: Path,
    pub(crate) self_type: Type,
    pub(crate) generics: Generics,
    pub(crate) role: Role,
    pub(crate) functions: Vec<Function>,
    pub(crate) hooks: Vec<Hook>,
    /// The first function of a block in which none has an attribute.
    pub(crate) unmarked: Option<Ident>,
}

/// Kind of an `impl` block.
pub(crate) enum Role {
    /// It is the server, and takes in the groups of these names.
    Whole { info: Box<Info>, groups: Vec<Ident> },
    /// It is a part, which goes by this name.
    Group(Ident),
}

/// How the server introduces itself; what is absent comes from the user's Cargo package.
pub(crate) struct Info {
    pub(crate) name: Option<Expr>,
    pub(crate) version: Option<Expr>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) website: Option<Expr>,
    pub(crate) icons: Option<Expr>,
    pub(crate) instructions: Option<Expr>,
    pub(crate) revisions: Option<LitStr>,
    /// Required capabilities of clients.
    pub(crate) requires: Vec<Ident>,
    /// The lists that can change.
    pub(crate) list_changed: Vec<Ident>,
    /// Whether clients are sent log messages.
    pub(crate) logging: bool,
    /// The scopes that all operations need.
    pub(crate) scopes: Vec<LitStr>,
    /// Whether lists show only what the caller has the scopes for.
    pub(crate) filter_by_scopes: bool,
    pub(crate) page_size: Option<Expr>,
    pub(crate) cache: Option<Cache>,
}

/// How long lists, or contents, may be kept.
pub(crate) struct Cache {
    /// In milliseconds.
    pub(crate) ttl: u64,
    /// Whether for everybody, or for each caller by itself.
    pub(crate) shared: bool,
}

/// A function with its parameters, whatever it is used for.
pub(crate) struct Callable {
    pub(crate) ident: Ident,
    /// How the function is called from where it is registered.
    pub(crate) path: Path,
    /// Attributes that decide whether the function exists at all.
    pub(crate) conditions: Vec<Attribute>,
    pub(crate) has_self: bool,
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Type,
    /// Span of the return type, or of the function's name where it has none.
    pub(crate) output_span: Span,
}

/// A function that clients reach, and how it is described to them.
pub(crate) struct Function {
    pub(crate) callable: Callable,
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) icons: Option<Expr>,
    pub(crate) meta: Option<Expr>,
    pub(crate) running: Running,
    /// Conditions on the caller, all of which have to hold: of the block and of the function.
    pub(crate) visible: Vec<Helper>,
    /// The scopes that callers need: of a group and of the function.
    pub(crate) scopes: Vec<LitStr>,
    /// Path of the runtime, if the function names it.
    pub(crate) runtime: Option<Path>,
    /// Whether the compiler warns that nothing describes the function.
    pub(crate) warns_undocumented: bool,
    /// Functions that it calls for their effect before it asks, of which the compiler warns.
    pub(crate) effects: Vec<Ident>,
    pub(crate) kind: Kind,
}

/// Kind of a function.
pub(crate) enum Kind {
    Tool(Tool),
    Prompt,
    Resource(Box<Resource>),
}

/// Settings of a tool only.
pub(crate) struct Tool {
    pub(crate) hints: Vec<(Ident, bool)>,
    pub(crate) strict: bool,
    /// Whether its arguments are lenient, if the attribute says so.
    pub(crate) lenient: Option<bool>,
    pub(crate) output: Output,
    /// What the tool has of extensions.
    pub(crate) with: Vec<Expr>,
}

/// Schema of a tool's structured content.
pub(crate) enum Output {
    /// That of the return type, if it has one.
    Returned,
    /// That of this type; the function makes the whole result.
    Of(Box<Type>),
    /// There is no structured content.
    TextOnly,
}

/// Settings of a resource only.
pub(crate) struct Resource {
    pub(crate) uri: Uri,
    /// Visibility of the function that builds the URI; `None` if the block has one of its name.
    pub(crate) builder: Option<Visibility>,
    pub(crate) mime: Option<Expr>,
    pub(crate) size: Option<Expr>,
    pub(crate) annotations: Option<Expr>,
    pub(crate) cache: Option<Cache>,
    pub(crate) list: Option<Helper>,
    /// Whether clients may subscribe to it.
    pub(crate) subscribe: bool,
}

/// URI of a resource, or template of URIs.
pub(crate) enum Uri {
    Text(LitStr),
    /// A constant, which has no variables.
    Constant(Path),
}

impl Uri {
    /// The text, or the path of the constant.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Text(text) => text.value(),
            Self::Constant(path) => path.to_token_stream().to_string().replace(' ', ""),
        }
    }

    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Text(text) => text.span(),
            Self::Constant(path) => path.span(),
        }
    }
}

/// A function that is named in an attribute.
#[derive(Clone)]
pub(crate) struct Helper {
    pub(crate) path: Path,
    /// Whether it is called with the server.
    pub(crate) has_self: bool,
    /// Whether the block shows that it is no `async fn`.
    pub(crate) is_plain: bool,
}

/// Source of a parameter's value.
pub(crate) enum Parameter {
    /// Taken by value: sent by the caller.
    Argument(Box<Argument>),
    /// Taken by value under `#[arg(flatten)]`: all arguments together.
    Flatten(Box<Flatten>),
    /// Taken by value under `#[elicit("…")]`: answered by the user.
    Question(Box<Question>),
    /// Taken by reference: this type, made from the call's context.
    Context(Box<Type>),
    /// Taken as an `Option` of a reference: this type, which some calls lack.
    OptionalContext(Box<Type>),
}

/// A parameter that the user answers before the function is entered.
pub(crate) struct Question {
    /// Its name in Rust.
    pub(crate) ident: Ident,
    /// What is asked for; with a condition, the parameter is an `Option` of it.
    pub(crate) kind: Box<Type>,
    /// A format string, which names arguments of the function.
    pub(crate) message: LitStr,
    /// Decides whether it is asked.
    pub(crate) when: Option<Condition>,
}

/// A function of the block that decides by arguments.
pub(crate) struct Condition {
    pub(crate) path: Path,
    pub(crate) has_self: bool,
    /// The names of its parameters, each of which is an argument of the function that asks.
    pub(crate) parameters: Vec<Ident>,
}

/// A parameter that takes all arguments.
pub(crate) struct Flatten {
    pub(crate) kind: Box<Type>,
    /// The attribute that says so.
    pub(crate) attribute: Attribute,
}

/// A parameter that the caller sends.
pub(crate) struct Argument {
    /// Its name in Rust.
    pub(crate) ident: Ident,
    /// Its name on the wire.
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) kind: Box<Type>,
    pub(crate) description: Option<Expr>,
    pub(crate) rules: Rules,
    pub(crate) complete: Option<Helper>,
    /// Whether it is meant as an object in the arguments.
    pub(crate) is_nested: bool,
}

/// Rules for an argument's values, and their annotations.
pub(crate) struct Rules {
    pub(crate) default: Option<Made>,
    pub(crate) example: Option<Made>,
    pub(crate) range: Option<Bounds>,
    pub(crate) length: Option<Bounds>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) header: Option<LitStr>,
    /// Whether JSON inside of a string is taken as well.
    pub(crate) lenient: bool,
}

/// A value that is made when it is wanted.
pub(crate) enum Made {
    /// It is this.
    Is(Expr),
    /// This function makes it.
    By(Expr),
}

/// A range as it was written.
pub(crate) struct Bounds {
    pub(crate) span: Span,
    pub(crate) from: Limit,
    pub(crate) to: Limit,
}

/// One end of a range.
pub(crate) enum Limit {
    Included(Box<Expr>),
    Excluded(Box<Expr>),
    Unbounded,
}

/// How a function is run.
#[derive(Default)]
pub(crate) struct Running {
    /// On a thread of its own, away from the async ones.
    pub(crate) blocking: bool,
    /// Whether its plain lister and completers are, too.
    pub(crate) blocking_helpers: bool,
    /// In milliseconds.
    pub(crate) timeout: Option<u64>,
}

impl Callable {
    /// The parameters that the caller sends, in order.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Argument(argument) => Some(argument.as_ref()),
                _ => None,
            })
    }

    /// The parameters that the user answers, in order.
    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Question(question) => Some(question.as_ref()),
                _ => None,
            })
    }

    /// The parameter that takes all arguments, where there is one.
    pub(crate) fn flatten(&self) -> Option<&Flatten> {
        self.parameters
            .iter()
            .find_map(|parameter| match parameter {
                Parameter::Flatten(flatten) => Some(flatten.as_ref()),
                _ => None,
            })
    }
}

/// Rule for functions without an attribute.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Undocumented {
    Allow,
    #[default]
    Warn,
    Deny,
}

/// A function that the server runs by itself.
pub(crate) struct Hook {
    pub(crate) moment: Moment,
    pub(crate) path: Path,
    pub(crate) has_self: bool,
    pub(crate) output: Type,
    /// The span of the parameter that takes what it is about: the server, or the client that is there.
    pub(crate) subject_span: Option<Span>,
    /// Attributes that decide whether the function exists at all.
    pub(crate) conditions: Vec<Attribute>,
}

/// When a function runs that no client calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Start,
    Initialized,
    Shutdown,
}
