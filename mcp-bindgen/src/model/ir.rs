//! Types as they are written in Rust, without their names.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

/// Number of a definition.
pub(crate) type Id = usize;

/// Definitions by their numbers.
pub(crate) type Defs = IndexMap<Id, Def>;

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// `null` and nothing else.
    Null,
    Bool,
    Integer,
    /// An integer that is not negative.
    Unsigned,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Integer,
    Number,
    Text,
    List,
    Object,
}

impl Type {
    /// The arguments of a method without any.
    pub(crate) const NOTHING: Self = Self::Tuple(Vec::new());

    /// `Option` of a type, once.
    pub(crate) fn nullable(self) -> Self {
        match self {
            Self::Null | Self::Json | Self::Nullable(_) => self,
            other => Self::Nullable(Box::new(other)),
        }
    }

    /// The type if it is not null.
    pub(crate) fn not_null(&self) -> &Self {
        match self {
            Self::Nullable(inner) => inner,
            other => other,
        }
    }

    /// The definition that it names, if it is a name.
    pub(crate) fn id(&self) -> Option<Id> {
        match self {
            Self::Named(id) => Some(*id),
            _ => None,
        }
    }

    pub(crate) fn kind(&self, defs: &Defs) -> Kind {
        match self {
            Self::Bool => Kind::Bool,
            Self::Integer | Self::Unsigned => Kind::Integer,
            Self::Number => Kind::Number,
            Self::Text | Self::External(_) => Kind::Text,
            Self::List(_) | Self::Tuple(_) => Kind::List,
            Self::Named(id) => match defs.get(id).map(|def| &def.shape) {
                Some(Shape::Enum(_)) => Kind::Text,
                _ => Kind::Object,
            },
            Self::Null | Self::Json | Self::Map(_) | Self::Nullable(_) => Kind::Object,
        }
    }

    /// Calls `change` with each named type in this one, at any depth.
    pub(crate) fn each_named(&mut self, change: &mut dyn FnMut(&mut Self)) {
        match self {
            Self::Named(_) => change(self),
            Self::List(item) | Self::Map(item) => item.each_named(change),
            Self::Tuple(items) => items.iter_mut().for_each(|item| item.each_named(change)),
            Self::Nullable(inner) => {
                inner.each_named(change);
                *self = std::mem::replace(&mut **inner, Self::Null).nullable();
            }
            _ => {}
        }
    }
}

impl Struct {
    /// Adds a field, unless there is one of this name.
    pub(crate) fn add(&mut self, name: String, field: Field) {
        if self.fields.iter().all(|(known, _)| *known != name) {
            self.fields.push((name, field));
        }
    }
}

impl Shape {
    /// Calls `change` with each named type in this one, at any depth.
    pub(crate) fn each_named(&mut self, change: &mut dyn FnMut(&mut Type)) {
        let types: Vec<&mut Type> = match self {
            Self::Struct(it) => {
                let fields = it.fields.iter_mut().map(|(_, field)| &mut field.ty);
                fields.chain(&mut it.extra).collect()
            }
            Self::Enum(_) => Vec::new(),
            Self::Tagged { variants, .. } => variants.iter_mut().map(|(_, ty)| ty).collect(),
            Self::Kinds(types) => types.iter_mut().collect(),
        };
        types.into_iter().for_each(|ty| ty.each_named(change));
    }
}

/// A list of a server whose entries become methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Tool,
    Prompt,
    Template,
}

/// A method that calls a tool, gets a prompt, or reads what a resource template names.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) feature: Feature,
    /// The name of a tool or prompt, or the URI template.
    pub(crate) key: String,
    /// What it is called after.
    pub(crate) name: String,
    pub(crate) doc: String,
    /// True if the tool changes nothing, or the same call changes nothing twice.
    pub(crate) repeatable: bool,
    /// Of a prompt or template: a struct of texts.
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

/// What is bound of a server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) methods: Vec<Method>,
    pub(crate) defs: Defs,
}

impl Model {
    pub(crate) fn shape(&self, id: Id) -> Option<&Shape> {
        self.defs.get(&id).map(|def| &def.shape)
    }

    /// The methods of one list.
    pub(crate) fn of(&self, feature: Feature) -> impl Iterator<Item = &Method> {
        self.methods.iter().filter(move |it| it.feature == feature)
    }

    /// The types that are sent.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Type> {
        self.methods.iter().map(|method| &method.arguments)
    }

    /// The types that are received.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Type> {
        let outputs = self.methods.iter().filter_map(|it| it.output.as_ref());
        outputs.map(|output| &output.ty)
    }

    /// Calls `change` with each named type of arguments, outputs and definitions.
    pub(crate) fn each_named(&mut self, change: &mut dyn FnMut(&mut Type)) {
        for method in &mut self.methods {
            method.arguments.each_named(change);
            if let Some(output) = &mut method.output {
                output.ty.each_named(change);
            }
        }
        for def in self.defs.values_mut() {
            def.shape.each_named(change);
        }
    }

    /// The definitions that contain themselves, and those between two such definitions. Linear in the number of
    /// fields.
    pub(crate) fn recursive(&self) -> HashSet<Id> {
        let mut left: HashSet<_> = self.defs.keys().copied().collect();
        let mut edges: Vec<(Id, Id)> = Vec::new();
        for (from, def) in &self.defs {
            let mut shape = def.shape.clone();
            shape.each_named(&mut |ty| edges.extend(ty.id().map(|to| (*from, to))));
        }
        // First removes definitions that lead to no remaining definition, then, with all edges reversed, those that
        // no remaining definition leads to.
        for _ in 0..2 {
            let mut counts: HashMap<Id, usize> = HashMap::new();
            let mut sources: HashMap<Id, Vec<Id>> = HashMap::new();
            for (from, to) in &edges {
                *counts.entry(*from).or_default() += 1;
                sources.entry(*to).or_default().push(*from);
            }
            let mut open: Vec<_> = left.iter().copied().collect();
            open.retain(|id| !counts.contains_key(id));
            while let Some(id) = open.pop() {
                left.remove(&id);
                for from in sources.remove(&id).into_iter().flatten() {
                    let count = counts.entry(from).or_default();
                    *count -= 1;
                    open.extend((*count == 0).then_some(from));
                }
            }
            edges.retain(|(from, to)| left.contains(from) && left.contains(to));
            edges.iter_mut().for_each(|it| *it = (it.1, it.0));
        }
        left
    }

    /// The definitions that can be reached from some types.
    pub(crate) fn reached<'a>(&self, from: impl Iterator<Item = &'a Type>) -> HashSet<Id> {
        let mut open = Vec::new();
        for ty in from {
            ty.clone().each_named(&mut |ty| open.extend(ty.id()));
        }
        let mut reached = HashSet::new();
        while let Some(id) = open.pop() {
            if reached.insert(id)
                && let Some(def) = self.defs.get(&id)
            {
                def.shape.clone().each_named(&mut |ty| open.extend(ty.id()));
            }
        }
        reached
    }
}
