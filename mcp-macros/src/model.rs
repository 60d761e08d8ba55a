//! The model of the user's declarations, independent of their syntax.

use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Generics, LitStr, Path, Type, Visibility};

/// A server or a group of its functions, declared by an `impl` block or a module.
pub(crate) struct Server {
    /// Path of the runtime in the user's crate.
    pub(crate) runtime: Path,
    pub(crate) self_type: Type,
    pub(crate) generics: Generics,
    pub(crate) role: Role,
    pub(crate) functions: Vec<Function>,
    pub(crate) hooks: Vec<Hook>,
    /// The first function of the block, if no function has one of our attributes.
    pub(crate) unmarked: Option<Ident>,
}

pub(crate) enum Role {
    /// The block is the server, which includes these groups.
    Whole {
        info: Box<Info>,
        groups: Vec<Ident>,
    },
    Group(Ident),
}

/// How the server introduces itself. A missing name or version is taken from the Cargo package.
pub(crate) struct Info {
    pub(crate) name: Option<Expr>,
    pub(crate) version: Option<Expr>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) website: Option<Expr>,
    pub(crate) icons: Option<Expr>,
    pub(crate) instructions: Option<Expr>,
    pub(crate) revisions: Option<LitStr>,
    /// The capabilities that clients must have.
    pub(crate) requires: Vec<Ident>,
    pub(crate) list_changed: Vec<Ident>,
    /// Whether the server sends log messages to clients.
    pub(crate) logging: bool,
    /// The scopes that all operations need.
    pub(crate) scopes: Vec<LitStr>,
    /// Whether lists omit items that the caller lacks scopes for.
    pub(crate) filter_by_scopes: bool,
    pub(crate) page_size: Option<Expr>,
    pub(crate) cache: Option<Cache>,
}

/// How long clients may keep lists or contents.
pub(crate) struct Cache {
    /// The time in milliseconds.
    pub(crate) ttl: u64,
    /// Whether callers may share a cached answer.
    pub(crate) shared: bool,
}

/// A function with its parameters, independent of its kind.
pub(crate) struct Callable {
    pub(crate) ident: Ident,
    pub(crate) path: Path,
    /// The `#[cfg]` attributes of the function.
    pub(crate) conditions: Vec<Attribute>,
    pub(crate) has_self: bool,
    pub(crate) is_async: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Type,
    /// The span of the return type, or of the function's name if there is no return type.
    pub(crate) output_span: Span,
}

/// A function that clients can call, and its description.
pub(crate) struct Function {
    pub(crate) callable: Callable,
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) icons: Option<Expr>,
    pub(crate) meta: Option<Expr>,
    pub(crate) running: Running,
    /// Conditions on the caller, from the block and the function. All of them must hold.
    pub(crate) visible: Vec<Helper>,
    /// The scopes that callers need, from the group and the function.
    pub(crate) scopes: Vec<LitStr>,
    /// The path of the runtime, if the function's attribute sets it.
    pub(crate) runtime: Option<Path>,
    pub(crate) warns_undocumented: bool,
    /// Methods called for their effect before a question, which the compiler warns about.
    pub(crate) effects: Vec<Ident>,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    Tool(Tool),
    Prompt,
    Resource(Box<Resource>),
}

pub(crate) struct Tool {
    pub(crate) hints: Vec<(Ident, bool)>,
    pub(crate) strict: bool,
    /// Whether the arguments are lenient by default, if the attribute sets it.
    pub(crate) lenient: Option<bool>,
    pub(crate) output: Output,
    /// The extensions in `with(…)`, which are added to the tool.
    pub(crate) with: Vec<Expr>,
}

/// The schema of a tool's structured content.
pub(crate) enum Output {
    /// The schema of the return type, if it has one.
    Returned,
    /// The schema of this type. The function returns the whole result.
    Of(Box<Type>),
    /// The tool has no structured content.
    TextOnly,
}

pub(crate) struct Resource {
    pub(crate) uri: Uri,
    /// The visibility of the function that builds the URI, or `None` if the block already has a
    /// function of this name.
    pub(crate) builder: Option<Visibility>,
    pub(crate) mime: Option<Expr>,
    pub(crate) size: Option<Expr>,
    pub(crate) annotations: Option<Expr>,
    pub(crate) cache: Option<Cache>,
    pub(crate) list: Option<Helper>,
    pub(crate) subscribe: bool,
}

/// The URI of a resource, or a URI template.
pub(crate) enum Uri {
    Text(LitStr),
    /// A constant, which has no variables.
    Constant(Path),
}

impl Uri {
    /// The URI as a string, or the path of the constant.
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

/// A function named in an attribute.
#[derive(Clone)]
pub(crate) struct Helper {
    pub(crate) path: Path,
    pub(crate) has_self: bool,
    /// Whether the block shows that the function is not `async`.
    pub(crate) is_plain: bool,
}

pub(crate) enum Parameter {
    /// A parameter by value, which the caller sends.
    Argument(Box<Argument>),
    /// A parameter by value with `#[arg(flatten)]`, which is decoded from all arguments together.
    Flatten(Box<Flatten>),
    /// A parameter by value with `#[elicit("…")]`, which the user answers.
    Question(Box<Question>),
    /// A parameter by reference, whose value is made from the context of the call.
    Context(Box<Type>),
    /// A parameter `Option<&T>`, whose value is made from the context of calls that have it.
    OptionalContext(Box<Type>),
}

/// A parameter that the user answers before the function runs.
pub(crate) struct Question {
    pub(crate) ident: Ident,
    /// The type of the answer. With a condition, the parameter is an `Option` of this type.
    pub(crate) kind: Box<Type>,
    /// A format string that may use arguments of the function.
    pub(crate) message: LitStr,
    pub(crate) when: Option<Condition>,
}

/// A function of the block that decides, by some arguments, whether a question is asked.
pub(crate) struct Condition {
    pub(crate) path: Path,
    pub(crate) has_self: bool,
    /// The names of the parameters. Each of them is an argument of the asking function.
    pub(crate) parameters: Vec<Ident>,
}

/// A parameter that is decoded from all arguments together.
pub(crate) struct Flatten {
    pub(crate) kind: Box<Type>,
    /// The attribute `#[arg(flatten)]`, to report mistakes at its span.
    pub(crate) attribute: Attribute,
}

/// A parameter whose value the caller sends.
pub(crate) struct Argument {
    pub(crate) ident: Ident,
    /// The name on the wire.
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) kind: Box<Type>,
    pub(crate) description: Option<Expr>,
    pub(crate) rules: Rules,
    pub(crate) complete: Option<Helper>,
    /// Whether `#[arg(nested)]` says that the argument is meant to be an object.
    pub(crate) is_nested: bool,
}

/// Rules and annotations for the values of an argument.
pub(crate) struct Rules {
    pub(crate) default: Option<Made>,
    pub(crate) example: Option<Made>,
    pub(crate) range: Option<Bounds>,
    pub(crate) length: Option<Bounds>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) header: Option<LitStr>,
    /// Whether a string that contains JSON is also accepted.
    pub(crate) lenient: bool,
}

/// A value that is created when it is needed.
pub(crate) enum Made {
    Is(Expr),
    /// A function that creates the value.
    By(Expr),
}

/// A range as the user wrote it.
pub(crate) struct Bounds {
    pub(crate) span: Span,
    pub(crate) from: Limit,
    pub(crate) to: Limit,
}

pub(crate) enum Limit {
    Included(Box<Expr>),
    Excluded(Box<Expr>),
    Unbounded,
}

#[derive(Default)]
pub(crate) struct Running {
    /// Whether the function runs on a blocking thread, apart from the async tasks.
    pub(crate) blocking: bool,
    /// Whether the function's lister and completers also run there, unless they are `async`.
    pub(crate) blocking_helpers: bool,
    /// The time limit in milliseconds.
    pub(crate) timeout: Option<u64>,
}

impl Callable {
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Argument(argument) => Some(argument.as_ref()),
                _ => None,
            })
    }

    pub(crate) fn questions(&self) -> impl Iterator<Item = &Question> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Question(question) => Some(question.as_ref()),
                _ => None,
            })
    }

    pub(crate) fn flatten(&self) -> Option<&Flatten> {
        self.parameters
            .iter()
            .find_map(|parameter| match parameter {
                Parameter::Flatten(flatten) => Some(flatten.as_ref()),
                _ => None,
            })
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Undocumented {
    Allow,
    #[default]
    Warn,
    Deny,
}

/// A function that the server calls when it starts or stops, or when a client is ready.
pub(crate) struct Hook {
    pub(crate) moment: Moment,
    pub(crate) path: Path,
    pub(crate) has_self: bool,
    pub(crate) output: Type,
    /// The span of the parameter for the server or the new client, if the function takes it.
    pub(crate) subject_span: Option<Span>,
    /// The `#[cfg]` attributes of the function.
    pub(crate) conditions: Vec<Attribute>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Start,
    Initialized,
    Shutdown,
}
