//! `mcp read`: reads a resource.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateStr;
use iri_string::template::simple_context::{SimpleContext, Value};
use mcp_runtime::client::escape_template;
use mcp_runtime::types::ResourceContents;

use crate::arguments::{At, pair};
use crate::content::Contents;
use crate::failure::Failure;
use crate::session::Context;

#[derive(Args)]
pub(crate) struct Read {
    /// The URI of a resource, or a template (RFC 6570)
    uri: String,
    /// Values for the variables of the template; repeat a key for lists
    #[arg(value_name = "KEY=VALUE", value_parser = pair)]
    variables: Vec<(String, String)>,
    /// Writes the contents to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Writes binary contents into this folder, each under its own name
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    save: Option<PathBuf>,
}

/// Reads the resource, and writes its contents.
///
/// # Errors
///
/// Fails if the resource can't be read, or if its contents can't be written.
pub(crate) async fn run(read: At<Read>, context: &Context) -> Result<(), Failure> {
    let command = &read.command;
    let output = &context.output;
    let uri = expand(&command.uri, &command.variables)?;
    let session = context.open(&read.connection).await?;
    let read = session.result(session.client.read_resource(uri)).await?;
    if let Some(path) = &command.output {
        let bytes: Vec<_> = read.contents.iter().flat_map(raw).collect();
        fs::write(path, bytes).map_err(|error| Failure::of_file(path, &error))?;
    }
    if output.json {
        return output.document(&read);
    }
    if command.output.is_some() {
        return Ok(());
    }
    for contents in &read.contents {
        match contents {
            ResourceContents::Blob(_) if output.is_terminal || command.save.is_some() => {
                let save = command.save.as_deref();
                output.line(&Contents::new(save).resource(contents)?)?;
            }
            ResourceContents::Text(text) if output.is_terminal => output.line(&text.text)?,
            _ => output.bytes(&raw(contents))?,
        }
    }
    Ok(())
}

fn raw(contents: &ResourceContents) -> Vec<u8> {
    let text = contents.as_text().map(|it| it.as_bytes().to_vec());
    text.or_else(|| contents.bytes()).unwrap_or_default()
}

/// Expands a template (RFC 6570) with values. A URI without variables stays as it is.
///
/// # Errors
///
/// Fails if the template is invalid, or if the values do not match its variables.
fn expand(template: &str, variables: &[(String, String)]) -> Result<String, Failure> {
    if variables.is_empty() && !template.contains('{') {
        return Ok(template.to_owned());
    }
    let escaped = escape_template(template);
    let parsed = UriTemplateStr::new(&escaped);
    let fault = |error| Failure::usage(format!("`{template}` is not a template: {error}"));
    let parsed = parsed.map_err(fault)?;
    let names: Vec<_> = parsed.variables().map(|it| it.as_str()).collect();
    let mut values: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (name, value) in variables {
        if !names.contains(&&**name) {
            let names = names.join("`, `");
            let message =
                format!("`{name}` is not a variable of the template, which has `{names}`");
            return Err(Failure::usage(message));
        }
        values.entry(&**name).or_default().push(value.clone());
    }
    if let Some(name) = names.iter().find(|it| !values.contains_key(*it)) {
        let message = format!("the variable `{name}` has no value: {name}=…");
        return Err(Failure::usage(message));
    }
    let mut context = SimpleContext::new();
    for (name, mut values) in values {
        match values.len() {
            1 => context.insert(name, values.remove(0)),
            _ => context.insert(name, Value::List(values)),
        };
    }
    let expanded = parsed.expand::<UriSpec, _>(&context);
    Ok(expanded.map_err(fault)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_gets_its_values() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let values = [pair("path", "a b/c"), pair("q", "1"), pair("q", "2")];
        let expanded = expand("file:///{+path}{?q*}", &values).unwrap();
        assert_eq!(expanded, "file:///a%20b/c?q=1&q=2");
        let expanded = expand("file:///café/{q}", &values[1..2]).unwrap();
        assert_eq!(expanded, "file:///caf%C3%A9/1");
        assert_eq!(expand("file:///x", &[]).unwrap(), "file:///x");
        let missing = expand("a://{x}", &[]).unwrap_err().message;
        assert!(missing.contains("`x` has no value"), "{missing}");
        let unknown = expand("a://{x}", &[pair("y", "1")]).unwrap_err().message;
        assert!(unknown.contains("`y` is not a variable"), "{unknown}");
        assert!(expand("a://{x", &[pair("x", "1")]).is_err());
    }
}
