//! `mcp read`: reads a resource.

use std::collections::BTreeMap;
use std::fs;

use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateStr;
use iri_string::template::context::{Context, ListVisitor, VarName, Visitor};
use mcp_runtime::types::ResourceContents;

use crate::arguments::{Global, Read};
use crate::content::Contents;
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::questions::Questions;
use crate::session::{Opened, Session};

/// Reads the resource, and writes its contents.
///
/// # Errors
///
/// Why there are none, or why they can't be written.
pub(crate) async fn run(command: Read, global: &Global, opened: &Opened) -> Result<(), Failure> {
    let uri = expand(&command.uri, &command.variables)?;
    let questions = Questions::new(Vec::new());
    let session = Session::open(&command.connection, global, &questions, opened).await?;
    let read = questions
        .during(&session, session.client.read_resource(uri))
        .await?;
    let output = Output::new(global.json);
    if output.json {
        return output.document(&read);
    }
    if let Some(path) = &command.output {
        let mut bytes = Vec::new();
        read.contents.iter().for_each(|it| bytes.extend(raw(it)));
        return fs::write(path, bytes).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            Failure::new(Kind::Unexpected, message)
        });
    }
    for contents in &read.contents {
        match contents {
            ResourceContents::Blob(_) if output.is_terminal => {
                let line = Contents::new(None).resource(contents)?;
                output.line(&format!("{line}: write it by `-o FILE`, or into a pipe"))?;
            }
            ResourceContents::Text(text) if output.is_terminal => output.line(&text.text)?,
            _ => output.bytes(&raw(contents))?,
        }
    }
    Ok(())
}

/// The bytes of a text or a blob.
fn raw(contents: &ResourceContents) -> Vec<u8> {
    match contents.as_text() {
        Some(text) => text.as_bytes().to_vec(),
        None => contents.bytes().unwrap_or_default(),
    }
}

/// Puts values into a template (RFC 6570). A URI without variables stays as it is.
fn expand(template: &str, variables: &[(String, String)]) -> Result<String, Failure> {
    if variables.is_empty() && !template.contains('{') {
        return Ok(template.to_owned());
    }
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, value) in variables {
        values.entry(name).or_default().push(value);
    }
    let template = UriTemplateStr::new(template)
        .map_err(|error| Failure::usage(format!("`{template}` is no template: {error}")))?;
    let names: Vec<_> = template
        .variables()
        .map(|it| it.as_str().to_owned())
        .collect();
    let wrong = |name: &&&str| !names.iter().any(|it| it == **name);
    if let Some(name) = values.keys().find(wrong) {
        let names = names.join("`, `");
        return Err(Failure::usage(format!(
            "`{name}` is no variable of the template, which has `{names}`"
        )));
    }
    if let Some(name) = names.iter().find(|it| !values.contains_key(it.as_str())) {
        return Err(Failure::usage(format!(
            "the variable `{name}` has no value: {name}=…"
        )));
    }
    let values = Values(values);
    let expanded = template.expand::<UriSpec, _>(&values);
    let expanded = expanded.map_err(|error| Failure::usage(error.to_string()))?;
    Ok(expanded.to_string())
}

/// Values of variables; several are a list.
struct Values<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl Context for Values<'_> {
    fn visit<V: Visitor>(&self, visitor: V) -> V::Result {
        let name: VarName<'_> = visitor.var_name();
        match self.0.get(name.as_str()).map(Vec::as_slice) {
            None => visitor.visit_undefined(),
            Some([value]) => visitor.visit_string(value),
            Some(values) => visitor.visit_list().visit_items_and_finish(values),
        }
    }
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
        assert_eq!(expand("file:///x", &[]).unwrap(), "file:///x");
        let missing = expand("a://{x}", &[]).unwrap_err().message;
        assert!(missing.contains("`x` has no value"), "{missing}");
        let unknown = expand("a://{x}", &[pair("y", "1")]).unwrap_err().message;
        assert!(unknown.contains("`y` is no variable"), "{unknown}");
        assert!(expand("a://{x", &[pair("x", "1")]).is_err());
    }
}
