//! Reads a snapshot into a model of its types.

use serde_json::Value;

use super::ir::{Defs, Feature, Id, Method, Model, Output, Shape, Struct, Type};
use super::lower::{Context, lower};
use super::unify::{resolve, separate, unify};
use crate::error::Note;
use crate::snapshot::{Entry, Snapshot};
use crate::texts;

/// Returns the model of a server, and notes about what is left out or untyped.
///
/// `is_bound` selects the tools, and `formats` are the types for formats of strings.
pub(crate) fn read(
    snapshot: &Snapshot,
    is_bound: &dyn Fn(&str) -> bool,
    formats: Vec<(&'static str, &'static str)>,
) -> (Model, Vec<Note>) {
    let context = &mut Context::default();
    context.formats = formats;
    let mut methods = Vec::new();
    for entry in &snapshot.tools {
        if is_bound(entry.text("name")) {
            methods.extend(tool(context, entry));
        }
    }
    methods.extend(snapshot.prompts.iter().map(|it| prompt(context, it)));
    for entry in &snapshot.resource_templates {
        methods.extend(template(context, entry));
    }
    let defs = std::mem::take(&mut context.defs);
    let mut model = Model { methods, defs };
    model.each_named(&mut |ty| resolve(ty, &context.aliases));
    separate(&mut model.defs, context);
    // Each tool has its own types for arguments and untitled outputs, even if they equal others.
    let roots = model.arguments().chain(model.outputs());
    let roots = roots.filter_map(Type::id);
    let is_titled = |id: &Id| model.defs.get(id).is_some_and(|def| def.title.is_some());
    let apart = roots.filter(|id| !is_titled(id)).collect();
    unify(&mut model, &apart);
    for method in &mut model.methods {
        let output = method.output.take();
        method.output = output.map(|output| unwrapped(output, &model.defs));
        let arguments = method.arguments.id().map(|id| &model.defs[&id].shape);
        if arguments == Some(&Shape::Struct(Struct::default())) {
            method.arguments = Type::NOTHING;
        }
    }
    let used = model.reached(model.arguments().chain(model.outputs()));
    model.defs.retain(|id, _| used.contains(id));
    (model, std::mem::take(&mut context.notes))
}

fn tool(context: &mut Context, entry: &Entry) -> Option<Method> {
    let name = entry.text("name").to_owned();
    let execution = entry.json("execution");
    let support = execution.and_then(|it| it.get("taskSupport"));
    if support.and_then(Value::as_str) == Some("required") {
        let what = "it runs as a task only";
        context.note(&name, "execution/taskSupport", what, false);
        return None;
    }
    let is_true = |json: Option<&Value>, member| {
        json.and_then(|it| it.get(member)) == Some(&Value::Bool(true))
    };
    let is_hinted = |hint| is_true(entry.json("annotations"), hint);
    let mut arguments = match entry.get("inputSchema") {
        Some(schema) => lower(context, &name, "inputSchema", schema),
        None => context.texts(format!("{name}/inputSchema"), Vec::new()),
    };
    if !matches!(arguments, Type::Named(_) | Type::Json) {
        let fault = "arguments are an object, but the schema describes something else";
        context.note(&name, "inputSchema", fault, true);
        arguments = Type::Json;
    }
    let schema = entry.get("outputSchema");
    let schema = schema.filter(|_| entry.json("outputSchema") != Some(&Value::Null));
    let is_wrapper = is_true(entry.json("outputSchema"), "x-fastmcp-wrap-result");
    let output = schema.map(|schema| Output {
        ty: lower(context, &name, "outputSchema", schema),
        wrapped: is_wrapper.then_some(true),
    });
    Some(Method {
        feature: Feature::Tool,
        key: name.clone(),
        name,
        doc: description(entry),
        repeatable: is_hinted("readOnlyHint") || is_hinted("idempotentHint"),
        arguments,
        output,
    })
}

/// The description of an entry, or else its title.
fn description(entry: &Entry) -> String {
    let texts = ["description", "title"].map(|member| entry.text(member));
    let text = texts.into_iter().find(|it| !it.trim().is_empty());
    texts::markdown(text.unwrap_or_default())
}

/// Removes the wrapper around an output that is not an object. Revisions before 2026-07-28 allow
/// only objects, so servers wrap other values. FastMCP marks its wrappers.
fn unwrapped(Output { ty, wrapped }: Output, defs: &Defs) -> Output {
    let shape = |ty: &Type| Some(&defs.get(&ty.id()?)?.shape);
    let is_object = |ty: &Type| {
        let shape = shape(ty);
        matches!(ty, Type::Map(_)) || matches!(shape, Some(Shape::Struct(_) | Shape::Tagged { .. }))
    };
    if let Some(Shape::Struct(it)) = shape(&ty)
        && let [(name, field)] = &it.fields[..]
        && name == "result"
        && field.required
        && (wrapped == Some(true) || !is_object(&field.ty))
    {
        let ty = field.ty.clone();
        let wrapped = Some(true);
        return Output { ty, wrapped };
    }
    let wrapped = (ty != Type::Json).then(|| !is_object(&ty));
    Output { ty, wrapped }
}

fn prompt(context: &mut Context, entry: &Entry) -> Method {
    let list = entry.json("arguments").and_then(Value::as_array);
    let mut arguments = Vec::new();
    for argument in list.into_iter().flatten() {
        if let Some(name) = argument.get("name").and_then(Value::as_str) {
            let required = argument.get("required") == Some(&Value::Bool(true));
            arguments.push((name.to_owned(), required, texts::of(argument)));
        }
    }
    let name = entry.text("name").to_owned();
    let arguments = context.texts(format!("prompts/{name}"), arguments);
    of_texts(Feature::Prompt, name, entry, arguments)
}

/// Reads a resource template (RFC 6570). Variables that are written with their names, as in `{?a}`,
/// are optional.
fn template(context: &mut Context, entry: &Entry) -> Option<Method> {
    let template = entry.text("uriTemplate");
    match variables(template) {
        Ok(arguments) => {
            let arguments = context.texts(format!("resourceTemplates/{template}"), arguments);
            let key = template.to_owned();
            Some(of_texts(Feature::Template, key, entry, arguments))
        }
        Err(fault) => {
            context.note(template, "uriTemplate", fault, false);
            None
        }
    }
}

/// The variables of a template, and whether they are required. They have no documentation.
fn variables(template: &str) -> Result<Vec<(String, bool, String)>, &'static str> {
    let mut variables = Vec::new();
    for part in template.split('{').skip(1) {
        let (expression, _) = part.split_once('}').ok_or("a brace is not closed")?;
        let names = expression.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']);
        let required = !expression.starts_with([';', '?', '&']);
        for name in names.split(',') {
            let name = name.split([':', '*']).next().unwrap_or_default();
            if name.is_empty() {
                return Err("a variable has no name");
            }
            variables.push((name.to_owned(), required, String::new()));
        }
    }
    Ok(variables)
}

fn of_texts(feature: Feature, key: String, entry: &Entry, arguments: Type) -> Method {
    Method {
        feature,
        key,
        name: entry.text("name").to_owned(),
        doc: description(entry),
        repeatable: false,
        arguments,
        output: None,
    }
}
