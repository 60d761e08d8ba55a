//! The model of generated types, before they have names.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

/// The number of a definition.
pub(crate) type Id = usize;

pub(crate) type Defs = IndexMap<Id, Def>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Null,
    Bool,
    Integer,
    Unsigned,
    Number,
    Text,
    /// A type of another crate, which is a string on the wire.
    External(&'static str),
    /// Any JSON.
    Json,
    List(Box<Type>),
    Map(Box<Type>),
    Tuple(Vec<Type>),
    Nullable(Box<Type>),
    Named(Id),
}

#[derive(Clone, Debug)]
pub(crate) struct Def {
    pub(crate) shape: Shape,
    pub(crate) doc: String,
    /// The title of the schema, or its key in `$defs`.
    pub(crate) title: Option<String>,
    /// The places that use the type, such as `tool/inputSchema/properties/city`. Equal types share
    /// their
    /// places.
    pub(crate) places: Vec<String>,
}

/// The kinds of named types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    Struct(Struct),
    /// Strings, each with its documentation.
    Enum(Vec<(String, String)>),
    /// Objects that are distinguished by the member `tag`. A variant may have several tag values.
    Tagged {
        tag: String,
        variants: Vec<(Vec<String>, Type)>,
    },
    /// Values that differ in their kind of JSON. `Number` includes integers.
    Kinds(Vec<Type>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Struct {
    /// The fields with their names on the wire.
    pub(crate) fields: Vec<(String, Field)>,
    /// The type of members that the schema does not name, if it allows any.
    pub(crate) extra: Option<Type>,
    /// The constant member that distinguishes this struct in a union, and its value.
    pub(crate) tag: Option<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Field {
    pub(crate) ty: Type,
    pub(crate) required: bool,
    pub(crate) doc: String,
}

/// The kinds of JSON values, which distinguish alternatives.
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
    /// The arguments of a method without arguments.
    pub(crate) const NOTHING: Self = Self::Tuple(Vec::new());

    /// The type as an `Option`, unless it can already be null.
    pub(crate) fn nullable(self) -> Self {
        match self {
            Self::Null | Self::Json | Self::Nullable(_) => self,
            other => Self::Nullable(Box::new(other)),
        }
    }

    pub(crate) fn not_null(&self) -> &Self {
        match self {
            Self::Nullable(inner) => inner,
            other => other,
        }
    }

    /// The definition that the type refers to, if any.
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

    /// Calls `change` with each named type inside this type, at any depth.
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
    /// Adds a field, unless there is already one with this name.
    pub(crate) fn add(&mut self, name: String, field: Field) {
        if self.fields.iter().all(|(known, _)| *known != name) {
            self.fields.push((name, field));
        }
    }
}

impl Shape {
    /// Calls `change` with each named type inside this shape, at any depth.
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

/// A method that calls a tool, gets a prompt, or reads a resource by its template.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) feature: Feature,
    /// The name of a tool or prompt, or the URI template.
    pub(crate) key: String,
    /// The name on the server, from which the method's name is made.
    pub(crate) name: String,
    pub(crate) doc: String,
    /// Whether the tool is read-only or idempotent, so that a call may be repeated.
    pub(crate) repeatable: bool,
    /// For a prompt or template, a struct of strings.
    pub(crate) arguments: Type,
    pub(crate) output: Option<Output>,
}

/// The structured content of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    pub(crate) ty: Type,
    /// Whether an object with the member `result` wraps the value. With `None`, the client has to
    /// find out at run time.
    pub(crate) wrapped: Option<bool>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) methods: Vec<Method>,
    pub(crate) defs: Defs,
}

impl Model {
    pub(crate) fn shape(&self, id: Id) -> Option<&Shape> {
        self.defs.get(&id).map(|def| &def.shape)
    }

    pub(crate) fn of(&self, feature: Feature) -> impl Iterator<Item = &Method> {
        self.methods.iter().filter(move |it| it.feature == feature)
    }

    /// The types that clients send.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Type> {
        self.methods.iter().map(|method| &method.arguments)
    }

    /// The types that clients receive.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = &Type> {
        let outputs = self.methods.iter().filter_map(|it| it.output.as_ref());
        outputs.map(|output| &output.ty)
    }

    /// Calls `change` with each named type in arguments, outputs and definitions.
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

    /// The definitions that contain themselves, and those between two such definitions. Takes time
    /// linear in the number of fields.
    pub(crate) fn recursive(&self) -> HashSet<Id> {
        let mut left: HashSet<_> = self.defs.keys().copied().collect();
        let mut edges: Vec<(Id, Id)> = Vec::new();
        for (from, def) in &self.defs {
            let mut shape = def.shape.clone();
            shape.each_named(&mut |ty| edges.extend(ty.id().map(|to| (*from, to))));
        }
        // The first pass removes definitions that lead to no remaining definition. The second pass,
        // with all edges reversed, removes definitions that no remaining definition leads to.
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
