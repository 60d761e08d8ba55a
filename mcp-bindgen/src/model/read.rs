//! A snapshot in, a model of its types out.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::ir::{Def, Field, Id, Model, Output, Shape, Struct, TextEntry, Tool, Type};
use super::lower::{Context, lower};
use super::unify::{reached, unify};
use crate::error::Note;
use crate::json::Json;
use crate::snapshot::{Entry, Snapshot};
use crate::texts;

/// Types of a server, and what is left out or untyped. `is_bound` chooses tools; `formats` are the types
/// of formats of strings.
pub(crate) fn read(
    snapshot: &Snapshot,
    is_bound: &dyn Fn(&str) -> bool,
    formats: Vec<(&'static str, &'static str)>,
) -> (Model, Vec<Note>) {
    let mut context = Context::default();
    context.formats = formats;
    let mut model = Model::default();
    for entry in &snapshot.tools {
        let name = entry.text("name").unwrap_or_default();
        if is_bound(&name) {
            model.tools.extend(tool(&mut context, entry, name));
        }
    }
    let context = &mut context;
    model.prompts = snapshot
        .prompts
        .iter()
        .map(|it| prompt(context, it))
        .collect();
    for entry in &snapshot.resource_templates {
        match template(context, entry) {
            Ok(template) => model.templates.push(template),
            Err(note) => context.notes.push(note),
        }
    }
    // Arguments, and outputs without a title, are types of one tool, even if others are equal.
    let mut apart = HashSet::new();
    for ty in model.arguments().chain(model.outputs()) {
        apart.extend(match ty {
            Type::Named(id) if context.defs.get(id).is_some_and(|def| def.title.is_none()) => {
                Some(*id)
            }
            _ => None,
        });
    }
    let roots = model.tools.iter_mut().flat_map(|tool| {
        let output = tool.output.as_mut().map(|output| &mut output.ty);
        output.into_iter().chain([&mut tool.arguments])
    });
    let texts = model.prompts.iter_mut().chain(&mut model.templates);
    let roots = roots.chain(texts.map(|entry| &mut entry.arguments));
    unify(context, &mut roots.collect::<Vec<_>>(), &apart);
    model.defs = std::mem::take(&mut context.defs);
    for tool in &mut model.tools {
        let output = tool.output.take();
        tool.output = output.map(|output| unwrapped(output, &model.defs));
    }
    let used = reached(&model.defs, model.arguments().chain(model.outputs()));
    model.defs.retain(|id, _| used.contains(id));
    (model, std::mem::take(&mut context.notes))
}

fn tool(context: &mut Context, entry: &Entry, name: String) -> Option<Tool> {
    let execution = entry.json("execution");
    let support = execution.as_ref().and_then(|it| it.get("taskSupport"));
    if support.and_then(Json::as_text) == Some("required") {
        context.notes.push(Note {
            entry: name,
            path: "execution/taskSupport".to_owned(),
            text: "it runs as a task only; it is left out".to_owned(),
            untyped: false,
        });
        return None;
    }
    let annotations = entry.json("annotations");
    let is_hinted = |hint| {
        let hint = annotations.as_ref().and_then(|it| it.get(hint));
        hint == Some(&Json::Bool(true))
    };
    let schema = entry.raw("inputSchema").unwrap_or("{\"type\":\"object\"}");
    let mut arguments = lower(context, &name, "inputSchema", schema);
    if !matches!(arguments, Type::Named(_) | Type::Json) {
        context.notes.push(Note {
            entry: name.clone(),
            path: "inputSchema".to_owned(),
            text: "arguments are an object, and the schema is of something else; it stays JSON"
                .to_owned(),
            untyped: true,
        });
        arguments = Type::Json;
    }
    let output = entry.raw("outputSchema").filter(|it| *it != "null");
    let is_wrapper = entry
        .json("outputSchema")
        .is_some_and(|schema| schema.get("x-fastmcp-wrap-result") == Some(&Json::Bool(true)));
    let output = output.map(|schema| Output {
        ty: lower(context, &name, "outputSchema", schema),
        wrapped: is_wrapper.then_some(true),
    });
    Some(Tool {
        doc: description(entry),
        repeatable: is_hinted("readOnlyHint") || is_hinted("idempotentHint"),
        name,
        arguments,
        output,
    })
}

/// The description of an entry, or its title.
fn description(entry: &Entry) -> String {
    let text = entry.text("description").filter(|it| !it.trim().is_empty());
    texts::markdown(&text.or(entry.text("title")).unwrap_or_default())
}

/// The output of a tool without the wrapper around a value that is no object: revisions before 2026-07-28
/// have objects only. FastMCP marks its wrappers.
fn unwrapped(Output { ty, wrapped }: Output, defs: &IndexMap<Id, Def>) -> Output {
    let shape = |ty: &Type| match ty {
        Type::Named(id) => defs.get(id).map(|def| &def.shape),
        _ => None,
    };
    let is_object = |ty: &Type| {
        let shape = shape(ty);
        matches!(ty, Type::Map(_)) || matches!(shape, Some(Shape::Struct(_) | Shape::Tagged { .. }))
    };
    let Some(Shape::Struct(it)) = shape(&ty) else {
        let wrapped = (ty != Type::Json).then(|| !is_object(&ty));
        return Output { ty, wrapped };
    };
    match &it.fields[..] {
        [(name, field)]
            if name == "result"
                && field.required
                && (wrapped == Some(true) || !is_object(&field.ty)) =>
        {
            let ty = field.ty.clone();
            Output {
                ty,
                wrapped: Some(true),
            }
        }
        _ => Output {
            ty,
            wrapped: Some(false),
        },
    }
}

fn prompt(context: &mut Context, entry: &Entry) -> TextEntry {
    let name = entry.text("name").unwrap_or_default();
    let list = entry.json("arguments");
    let list = list.as_ref().and_then(Json::as_list).unwrap_or_default();
    let mut arguments: Vec<(String, Field)> = Vec::new();
    for argument in list {
        if let Some(name) = argument.get("name").and_then(Json::as_text)
            && arguments.iter().all(|(known, _)| known != name)
        {
            let field = Field {
                ty: Type::Text,
                required: argument.get("required") == Some(&Json::Bool(true)),
                doc: texts::of(argument),
            };
            arguments.push((name.to_owned(), field));
        }
    }
    TextEntry {
        doc: description(entry),
        arguments: texts_of(context, format!("prompts/{name}"), arguments),
        key: name.clone(),
        name,
    }
}

/// The type of arguments that are text.
fn texts_of(context: &mut Context, place: String, fields: Vec<(String, Field)>) -> Type {
    let shape = Shape::Struct(Struct {
        fields,
        ..Struct::default()
    });
    context.add(Def {
        shape,
        doc: String::new(),
        title: None,
        places: vec![place],
    })
}

/// A resource template (RFC 6570). Variables behind their names may be left out.
fn template(context: &mut Context, entry: &Entry) -> Result<TextEntry, Note> {
    let key = entry.text("uriTemplate").unwrap_or_default();
    let mut arguments: Vec<(String, Field)> = Vec::new();
    let mut rest = key.as_str();
    let fault = |text: &str| Note {
        entry: key.clone(),
        path: "uriTemplate".to_owned(),
        text: format!("{text}; it is left out"),
        untyped: false,
    };
    while let Some((_, after)) = rest.split_once('{') {
        let (expression, after) = after
            .split_once('}')
            .ok_or_else(|| fault("a brace is open"))?;
        rest = after;
        let names = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
        let required = !expression.starts_with([';', '?', '&']);
        for name in names.split(',') {
            let name = name.split([':', '*']).next().unwrap_or_default();
            if name.is_empty() {
                return Err(fault("a variable has no name"));
            }
            if arguments.iter().all(|(known, _)| known != name) {
                let field = Field {
                    ty: Type::Text,
                    required,
                    doc: String::new(),
                };
                arguments.push((name.to_owned(), field));
            }
        }
    }
    Ok(TextEntry {
        name: entry.text("name").unwrap_or_default(),
        doc: description(entry),
        arguments: texts_of(context, format!("resourceTemplates/{key}"), arguments),
        key,
    })
}
