//! Converts one schema into a type.

use std::collections::HashMap;

use serde_json::Value;

use super::ir::{Def, Defs, Field, Id, Shape, Struct, Type};
use super::limits;
use crate::error::Note;
use crate::json::{Member, Object};
use crate::texts;

/// The reason why a schema can't be converted into a type.
pub(super) type Fault = String;

#[derive(Default)]
pub(crate) struct Context {
    pub(super) defs: Defs,
    /// Types that were referred to by number before they were known.
    pub(super) aliases: HashMap<Id, Type>,
    /// The constant member of each struct that is part of a union.
    pub(super) tags: HashMap<Id, (String, String)>,
    pub(super) notes: Vec<Note>,
    /// The types for formats of strings.
    pub(super) formats: Vec<(&'static str, &'static str)>,
    next: Id,
}

impl Context {
    fn add(&mut self, def: Def) -> Type {
        let id = self.reserve();
        self.defs.insert(id, def);
        Type::Named(id)
    }

    fn reserve(&mut self) -> Id {
        self.next += 1;
        self.next
    }

    /// Adds a struct of strings. Each member has a name, a flag whether it is required, and its
    /// documentation.
    pub(super) fn texts(&mut self, place: String, members: Vec<(String, bool, String)>) -> Type {
        let mut shape = Struct::default();
        for (name, required, doc) in members {
            let ty = Type::Text;
            shape.add(name, Field { ty, required, doc });
        }
        self.add(Def {
            shape: Shape::Struct(shape),
            doc: String::new(),
            title: None,
            places: vec![place],
        })
    }

    /// Notes that a place is not typed, or that an entry is left out.
    pub(super) fn note(&mut self, entry: &str, path: &str, fault: &str, untyped: bool) {
        let effect = if untyped { "stays JSON" } else { "is left out" };
        self.notes.push(Note {
            entry: entry.to_owned(),
            path: path.to_owned(),
            text: format!("{fault}; it {effect}"),
            untyped,
        });
    }
}

/// A schema that is being read.
pub(crate) struct Lowering<'a> {
    pub(super) context: &'a mut Context,
    entry: &'a str,
    /// The member of the entry that contains the schema.
    member: &'a str,
    pub(super) root: &'a Value,
    /// Types by JSON pointer. A type that is still being read has only a number.
    known: HashMap<String, State>,
    /// Schemas with their references and `allOf` combined, by JSON pointer.
    pub(super) flats: HashMap<String, Result<Object, Fault>>,
    depth: usize,
    pub(super) nodes: usize,
    pub(super) merged: usize,
    exceeded: Option<Fault>,
}

/// A schema that is an object, and its JSON pointer.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) pointer: &'a str,
    pub(super) schema: &'a Object,
}

impl<'a> Place<'a> {
    pub(super) fn text(self, keyword: &str) -> Option<&'a str> {
        self.schema.get(keyword)?.as_str()
    }

    pub(super) fn list(self, keyword: &str) -> Option<&'a Vec<Value>> {
        self.schema.get(keyword)?.as_array()
    }
}

enum State {
    Open { id: Id, used: bool },
    Done(Type),
}

/// Converts the schema in `member` of the tool `entry`. If that fails, the type is JSON.
pub(super) fn lower(context: &mut Context, entry: &str, member: &str, schema: &Member) -> Type {
    let notes = context.notes.len();
    let whole = schema.json().and_then(|root| {
        let mut lowering = Lowering {
            context,
            entry,
            member,
            root: &root,
            known: HashMap::new(),
            flats: HashMap::new(),
            depth: 0,
            nodes: 0,
            merged: 0,
            exceeded: None,
        };
        let ty = lowering.whole();
        lowering.exceeded.map_or(Ok(ty), Err)
    });
    whole.unwrap_or_else(|fault| {
        context.notes.truncate(notes);
        context.note(entry, member, &fault, true);
        Type::Json
    })
}

impl Lowering<'_> {
    fn whole(&mut self) -> Type {
        let root = self.root;
        match (self.member, self.at("", root), root.as_object()) {
            // Arguments may be added later, which is compatible for a struct, but not for a map.
            ("inputSchema", Type::Map(item), Some(schema)) => {
                let open = schema.get("additionalProperties");
                let open = open.filter(|it| **it != Value::Bool(false));
                let open = open.or_else(|| patterns(schema));
                let shape = Shape::Struct(Struct {
                    extra: open.map(|_| *item),
                    ..Struct::default()
                });
                let pointer = "";
                self.define(Place { pointer, schema }, shape)
            }
            (_, ty, _) => ty,
        }
    }

    /// The type of the schema at a pointer. If the schema can't be converted, adds a note and
    /// returns JSON.
    pub(super) fn at(&mut self, pointer: &str, schema: &Value) -> Type {
        match self.known.get_mut(pointer) {
            Some(State::Done(ty)) => return ty.clone(),
            Some(State::Open { id, used }) => {
                *used = true;
                return Type::Named(*id);
            }
            None => {}
        }
        let id = self.context.reserve();
        let open = State::Open { id, used: false };
        self.known.insert(pointer.to_owned(), open);
        self.depth += 1;
        self.nodes += 1;
        let read = self
            .within_limits()
            .and_then(|()| self.read(pointer, schema));
        self.depth -= 1;
        let read = read.and_then(|ty| not_of_itself(id, ty));
        let ty = read.unwrap_or_else(|fault| {
            self.note(pointer, &fault);
            Type::Json
        });
        let done = State::Done(ty.clone());
        let open = self.known.insert(pointer.to_owned(), done);
        if let Some(State::Open { used: true, .. }) = open {
            self.context.aliases.insert(id, ty.clone());
        }
        ty
    }

    pub(super) fn within_limits(&mut self) -> Result<(), Fault> {
        let depth = limits::DEPTH;
        let nodes = limits::NODES;
        let merged = limits::MERGED;
        if self.depth > depth {
            self.exceeded = Some(format!("the schema is nested deeper than {depth} levels"));
        } else if self.nodes > nodes {
            self.exceeded = Some(format!("the schema has more than {nodes} parts"));
        } else if self.merged > merged {
            let limit = merged >> 20;
            let fault = format!("combined, the parts of the schema have more than {limit} MiB");
            self.exceeded = Some(fault);
        }
        self.exceeded.clone().map_or(Ok(()), Err)
    }

    pub(super) fn note(&mut self, pointer: &str, fault: &str) {
        let path = format!("{}{pointer}", self.member);
        if self.exceeded.is_none() {
            self.context.note(self.entry, &path, fault, true);
        }
    }

    fn read(&mut self, pointer: &str, schema: &Value) -> Result<Type, Fault> {
        match schema {
            Value::Bool(true) => Ok(Type::Json),
            Value::Bool(false) => Err("the schema `false` allows no value".to_owned()),
            Value::Object(schema) => self.members(Place { pointer, schema }),
            _ => Err("the schema is not an object".to_owned()),
        }
    }

    /// The type of a schema without `$ref` and `allOf`.
    pub(super) fn plain(&mut self, place: Place<'_>) -> Result<Type, Fault> {
        let is_nullable = place.schema.get("nullable") == Some(&Value::Bool(true));
        let ty = match values(place.schema)? {
            Some(values) => self.values(place, values)?,
            None => match self.alternatives(place)? {
                Some(ty) => ty,
                None => self.typed(place)?,
            },
        };
        Ok(if is_nullable { ty.nullable() } else { ty })
    }

    /// The type of a schema without alternatives.
    fn typed(&mut self, place: Place<'_>) -> Result<Type, Fault> {
        let has = |names: &[&str]| names.iter().any(|name| place.schema.contains_key(*name));
        let names = match place.schema.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) => return Err("its `type` is neither a string nor a list".to_owned()),
            None if has(&["properties", "required", "additionalProperties"]) => vec!["object"],
            None if has(&["items", "prefixItems"]) => vec!["array"],
            None => return Ok(Type::Json),
        };
        let mut types = Vec::new();
        for name in names {
            types.push(self.kind(place, name)?.into());
        }
        self.join(place, types)
    }

    /// The type of a schema whose `type` is `name`.
    fn kind(&mut self, place: Place<'_>, name: &str) -> Result<Type, Fault> {
        match name {
            "null" => Ok(Type::Null),
            "boolean" => Ok(Type::Bool),
            "integer" => Ok(integer(place.schema)),
            "number" => Ok(Type::Number),
            "string" => {
                let format = place.text("format");
                let mut formats = self.context.formats.iter();
                let known = formats.find(|(name, _)| Some(*name) == format);
                Ok(known.map_or(Type::Text, |(_, path)| Type::External(path)))
            }
            "array" => self.array(place),
            "object" => self.object(place),
            _ => Err(format!("there is no `type` called {name:?}")),
        }
    }

    fn array(&mut self, place: Place<'_>) -> Result<Type, Fault> {
        let Place { pointer, schema } = place;
        let (name, rest) = match schema.get("items") {
            Some(Value::Array(_)) => ("items", schema.get("additionalItems")),
            items => ("prefixItems", items),
        };
        let Some(first) = place.list(name) else {
            let item = rest.map(|items| self.at(&format!("{pointer}/items"), items));
            return Ok(Type::List(Box::new(item.unwrap_or(Type::Json))));
        };
        within(first.len(), "items")?;
        let count = Some(first.len().to_string());
        let is_count = |name| schema.get(name).map(Value::to_string) == count;
        let is_closed = rest == Some(&Value::Bool(false)) || is_count("maxItems");
        if first.is_empty() || !is_closed || !is_count("minItems") {
            let fault = "its items have different types, and there may be more or fewer";
            self.note(pointer, fault);
            return Ok(Type::List(Box::new(Type::Json)));
        }
        let items = first.iter().enumerate();
        let items = items.map(|(index, item)| self.at(&format!("{pointer}/{name}/{index}"), item));
        Ok(Type::Tuple(items.collect()))
    }

    fn object(&mut self, place: Place<'_>) -> Result<Type, Fault> {
        let Place { pointer, schema } = place;
        let none = Object::new();
        let properties = match schema.get("properties") {
            Some(Value::Object(properties)) => properties,
            Some(_) => return Err("its `properties` are not an object".to_owned()),
            None => &none,
        };
        let required = place.list("required").into_iter().flatten();
        let required: Vec<_> = required.filter_map(Value::as_str).collect();
        within(properties.len().max(required.len()), "members")?;
        let extra = match schema.get("additionalProperties") {
            _ if patterns(schema).is_some() => {
                let place = format!("{pointer}/patternProperties");
                self.note(&place, "members are not typed by patterns of their names");
                Some(Type::Json)
            }
            Some(other @ Value::Object(members)) if !members.is_empty() => {
                Some(self.at(&format!("{pointer}/additionalProperties"), other))
            }
            _ => None,
        };
        if properties.is_empty() && required.is_empty() {
            return Ok(Type::Map(Box::new(extra.unwrap_or(Type::Json))));
        }
        let mut shape = Struct {
            extra,
            ..Struct::default()
        };
        for (name, property) in properties {
            let required = required.contains(&name.as_str());
            if property == &Value::Bool(false) && !required {
                continue;
            }
            let step = name.replace('~', "~0").replace('/', "~1");
            let ty = self.at(&format!("{pointer}/properties/{step}"), property);
            let doc = texts::of(property);
            shape.add(name.clone(), Field { ty, required, doc });
        }
        for name in &required {
            let ty = Type::Json;
            let required = true;
            let doc = String::new();
            shape.add((*name).to_owned(), Field { ty, required, doc });
        }
        // If a generator sorted the members, only `required` still has the order of the author.
        if properties.keys().is_sorted() {
            shape.fields.sort_by_cached_key(|(name, _)| {
                let index = required.iter().position(|it| it == name);
                index.unwrap_or(required.len())
            });
        }
        Ok(self.define(place, Shape::Struct(shape)))
    }

    pub(super) fn define(&mut self, place: Place<'_>, shape: Shape) -> Type {
        let pointer = place.pointer;
        let is_input = pointer.is_empty() && self.member == "inputSchema";
        let is_short = |title: &&str| {
            let words = title.split_whitespace().count();
            !is_input && title.len() <= 40 && (1..=4).contains(&words)
        };
        let key = pointer
            .rsplit_once('/')
            .filter(|(folder, _)| folder.ends_with("/$defs") || folder.ends_with("/definitions"));
        let title = place.text("title").filter(is_short);
        let def = Def {
            shape,
            doc: texts::markdown(place.text("description").unwrap_or_default()),
            title: title.or(key.map(|(_, key)| key)).map(str::to_owned),
            places: vec![format!("{}/{}{pointer}", self.entry, self.member)],
        };
        self.context.add(def)
    }
}

/// The type is `u64` if the minimum is not negative, or if the maximum is greater than `i64::MAX`.
fn integer(schema: &Object) -> Type {
    let limit = |name, other| schema.get(name).or(schema.get(other))?.as_f64();
    let most = limit("maximum", "exclusiveMaximum");
    let needs_unsigned = most.is_some_and(|most| most > 9_223_372_036_854_775_808.0);
    if limit("minimum", "exclusiveMinimum").map_or(needs_unsigned, |least| least >= 0.0) {
        Type::Unsigned
    } else {
        Type::Integer
    }
}

/// The value of `patternProperties`, if it has any patterns.
fn patterns(schema: &Object) -> Option<&Value> {
    let patterns = schema.get("patternProperties");
    patterns.filter(|it| it.as_object().is_some_and(|it| !it.is_empty()))
}

/// Refuses a type that contains itself without a named type in between.
fn not_of_itself(id: Id, mut ty: Type) -> Result<Type, Fault> {
    let mut is_inside = false;
    ty.each_named(&mut |named| is_inside |= named.id() == Some(id));
    match (is_inside, ty) {
        (false, ty) => Ok(ty),
        (true, Type::Named(_)) => Err("it refers to itself alone".to_owned()),
        (true, _) => Err("it is a list or map of itself".to_owned()),
    }
}

/// The values that `const` or `enum` allows, if the schema has one of them.
fn values(schema: &Object) -> Result<Option<&[Value]>, Fault> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Ok(Some(std::slice::from_ref(value))),
        (None, Some(Value::Array(values))) if values.is_empty() => {
            Err("its `enum` allows no value".to_owned())
        }
        (None, Some(Value::Array(values))) => Ok(Some(values)),
        (None, Some(_)) => Err("its `enum` is not a list".to_owned()),
        (None, None) => Ok(None),
    }
}

pub(super) fn within(count: usize, what: &str) -> Result<(), Fault> {
    if count > limits::MEMBERS {
        Err(format!("it has more than {} {what}", limits::MEMBERS))
    } else {
        Ok(())
    }
}
