//! Types as they are written in Rust, without their names.

use indexmap::IndexMap;

/// Number of a definition.
pub(crate) type Id = usize;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// `null` and nothing else.
    Null,
    Bool,
    Integer,
    Number,
    Text,
    /// A type of another crate, written as text on the wire.
    External(&'static str),
    /// Any JSON.
    Json,
    List(Box<Type>),
    Map(Box<Type>),
    Tuple(Vec<Type>),
    Nullable(Box<Type>),
    Named(Id),
}

/// A type with a name.
#[derive(Clone, Debug)]
pub(crate) struct Def {
    pub(crate) shape: Shape,
    pub(crate) doc: String,
    /// The title that its schema gives, or the key in `$defs`.
    pub(crate) title: Option<String>,
    /// Where it is, as `tool/inputSchema/properties/city`; more than one for equal types.
    pub(crate) places: Vec<String>,
}

/// The kinds of named types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Struct(Struct),
    /// Strings, each with its documentation.
    Enum(Vec<(String, String)>),
    /// Objects by the value of the member `tag`: each has one of several.
    Tagged {
        tag: String,
        variants: Vec<(Vec<String>, Type)>,
    },
    /// Values by their kind of JSON; `Number` stands for integers too.
    Kinds(Vec<Type>),
    /// Another name of a type, while references to it are resolved.
    Alias(Type),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Struct {
    /// By name on the wire.
    pub(crate) fields: Vec<(String, Field)>,
    /// The type of members without a name.
    pub(crate) extra: Option<Type>,
    /// The member, and its value, that tells this struct from others of a union.
    pub(crate) tag: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    pub(crate) ty: Type,
    pub(crate) required: bool,
    pub(crate) doc: String,
}

/// Kinds of JSON, by which alternatives are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Bool,
    Integer,
    Number,
    Text,
    List,
    Object,
}

impl Type {
    /// `Option` of a type, once.
    pub(crate) fn nullable(self) -> Self {
        match self {
            Self::Null | Self::Json | Self::Nullable(_) => self,
            other => Self::Nullable(Box::new(other)),
        }
    }

    /// The types directly inside.
    pub(crate) fn inner(&self) -> &[Self] {
        match self {
            Self::List(item) | Self::Map(item) | Self::Nullable(item) => std::slice::from_ref(item),
            Self::Tuple(items) => items,
            _ => &[],
        }
    }

    /// The types directly inside.
    pub(crate) fn inner_mut(&mut self) -> &mut [Self] {
        match self {
            Self::List(item) | Self::Map(item) | Self::Nullable(item) => std::slice::from_mut(item),
            Self::Tuple(items) => items,
            _ => &mut [],
        }
    }

    /// Calls `visit` with each definition that is named here, at any depth.
    pub(crate) fn each_named(&self, visit: &mut impl FnMut(Id)) {
        if let Self::Named(id) = self {
            visit(*id);
        }
        for inner in self.inner() {
            inner.each_named(visit);
        }
    }

    /// Changes each definition that is named here, at any depth.
    pub(crate) fn rename(&mut self, to: &impl Fn(Id) -> Id) {
        if let Self::Named(id) = self {
            *id = to(*id);
        }
        for inner in self.inner_mut() {
            inner.rename(to);
        }
    }
}

impl Shape {
    /// The types of fields or alternatives.
    pub(crate) fn types(&self) -> Vec<&Type> {
        match self {
            Self::Struct(it) => {
                let fields = it.fields.iter().map(|(_, field)| &field.ty);
                fields.chain(&it.extra).collect()
            }
            Self::Enum(_) => Vec::new(),
            Self::Tagged { variants, .. } => variants.iter().map(|(_, ty)| ty).collect(),
            Self::Kinds(types) => types.iter().collect(),
            Self::Alias(ty) => vec![ty],
        }
    }

    /// The types of fields or alternatives.
    pub(crate) fn types_mut(&mut self) -> Vec<&mut Type> {
        match self {
            Self::Struct(it) => {
                let fields = it.fields.iter_mut().map(|(_, field)| &mut field.ty);
                fields.chain(&mut it.extra).collect()
            }
            Self::Enum(_) => Vec::new(),
            Self::Tagged { variants, .. } => variants.iter_mut().map(|(_, ty)| ty).collect(),
            Self::Kinds(types) => types.iter_mut().collect(),
            Self::Alias(ty) => vec![ty],
        }
    }
}

/// A tool with its types.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) doc: String,
    /// True if the tool changes nothing, or the same call changes nothing twice.
    pub(crate) repeatable: bool,
    pub(crate) arguments: Type,
    pub(crate) output: Option<Output>,
}

/// The structured content of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    pub(crate) ty: Type,
    /// Whether a member `result` is around the value; `None` if that can't be in question.
    pub(crate) wrapped: Option<bool>,
}

/// A prompt or resource template: its arguments are text.
#[derive(Clone, Debug)]
pub(crate) struct TextEntry {
    /// The name of a prompt, or the URI template.
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) doc: String,
    /// A struct of texts.
    pub(crate) arguments: Type,
}

/// What is bound of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) tools: Vec<Tool>,
    pub(crate) prompts: Vec<TextEntry>,
    pub(crate) templates: Vec<TextEntry>,
    pub(crate) defs: IndexMap<Id, Def>,
}

impl Model {
    /// The types that are sent.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Type> {
        let entries = self.prompts.iter().chain(&self.templates);
        let texts = entries.map(|entry| &entry.arguments);
        self.tools.iter().map(|tool| &tool.arguments).chain(texts)
    }

    /// The types that are received.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Type> {
        let outputs = self.tools.iter().filter_map(|tool| tool.output.as_ref());
        outputs.map(|output| &output.ty)
    }
}
