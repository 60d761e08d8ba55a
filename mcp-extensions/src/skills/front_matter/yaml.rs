//! From events of YAML to JSON.

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, StructureStyle};
use mcp_runtime::types::JsonObject;
use serde_json::Value;

use super::{FrontMatter, Remark, hosts, plain};
use crate::skills::limits::MAX_FRONT_MATTER_DEPTH as MAX_DEPTH;

const NODE: &str = "tags, anchors and aliases are not allowed: write the value itself";
const NUMBER: &str = "JSON readers would change this number: write it in double quotes";
const KEY: &str = "a key must be a string: write it in double quotes";
const REPEATED: &str = "this key is repeated: remove one of them";
const NO_FIELDS: &str = "the front matter has no fields: write `name: …` and `description: …`";
const DOCUMENT: &str = "front matter has neither directives nor documents: remove this line";
const DEPTH: &str = "lists and mappings are nested in more than 32 levels: use fewer levels";
const QUOTES: &str = "write values with `: ` or ` #`, or special characters first, in quotes";
const LINES: &str = "TypeScript's SDK wants brackets and braces on one line: close them there, or \
                     write each item on a line without them";
const RESERVED: &str = "`io.modelcontextprotocol/` is reserved: use a prefix of your own";

/// Reads `text`, which begins with `---`.
pub(super) fn read(text: &str) -> Result<FrontMatter, Vec<Remark>> {
    let mut options = granit_parser::options! { disallow_directives: true };
    options.strict_indentation = true;
    options.emit_unresolved_aliases = true;
    (options.block_nesting_limit, options.flow_nesting_limit) = (MAX_DEPTH, MAX_DEPTH);
    let mut reader = Reader::default();
    for event in Parser::new_from_str_with_options(text, options) {
        match event {
            Ok((event, span)) => reader.event(text, event, &span),
            Err(error) => {
                let text = match error.kind() {
                    ErrorKind::RecursionLimitExceeded => DEPTH,
                    ErrorKind::DirectiveDisallowed => DOCUMENT,
                    kind => &format!("this is not YAML ({kind}): {QUOTES}"),
                };
                reader.fault(error.marker().line(), text);
                break;
            }
        }
    }
    let is_read = reader.faults.is_empty();
    is_read.then_some(reader.result).ok_or(reader.faults)
}

#[derive(Default)]
struct Reader {
    result: FrontMatter,
    faults: Vec<Remark>,
    /// The collections whose end has not been read, each with the key whose value is next, and
    /// with the line on which it should end.
    open: Vec<(Value, Option<String>, usize)>,
}

impl Reader {
    fn event(&mut self, text: &str, event: Event<'_>, span: &Span) {
        let line = span.start.line();
        if event.tag().is_some() || event.anchor_id().is_some() || event.is_alias() {
            self.fault(line, NODE);
        }
        match event {
            Event::Scalar(value, style, ..) => {
                let value = match style {
                    ScalarStyle::Plain => plain::resolve(&value),
                    _ => Some(value.into()),
                };
                let value = value.unwrap_or_else(|| {
                    self.fault(line, NUMBER);
                    Value::Null
                });
                let warning = hosts::remark(text, span, style, &value);
                self.result.warnings.extend(warning);
                self.add(value, line);
            }
            Event::SequenceStart(style, ..) => self.open(Value::Array(Vec::new()), style, line),
            Event::MappingStart(style, ..) => self.open(JsonObject::new().into(), style, line),
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.add(Value::Null, line),
            Event::SequenceEnd | Event::MappingEnd => self.close(line),
            Event::DocumentStart(..) if line > 1 => self.fault(line, DOCUMENT),
            Event::DocumentEnd if span.slice(text) == Some("...") => self.fault(line, DOCUMENT),
            _ => {}
        }
    }

    fn open(&mut self, value: Value, style: StructureStyle, line: usize) {
        if self.open.len() == MAX_DEPTH {
            self.fault(line, DEPTH);
        }
        let is_flow = style == StructureStyle::Flow;
        let last = if is_flow { line } else { usize::MAX };
        self.open.push((value, None, last));
    }

    fn close(&mut self, line: usize) {
        if let Some((value, _, last)) = self.open.pop() {
            if line > last {
                self.warn(last, LINES);
            }
            self.add(value, line);
        }
    }

    /// Adds a complete value: the next item, key or value of the collection around it.
    fn add(&mut self, value: Value, line: usize) {
        match (self.open.last_mut(), value) {
            (None, Value::Object(fields)) => self.result.fields = fields,
            (Some((Value::Array(items), ..)), value) => items.push(value),
            (Some((Value::Object(fields), key, _)), value) => {
                if let Some(key) = key.take() {
                    fields.insert(key, value);
                    return;
                }
                let name = value.as_str().unwrap_or_default();
                let is_repeated = fields.contains_key(name);
                *key = Some(name.to_owned());
                match value {
                    Value::String(_) if is_repeated => self.fault(line, REPEATED),
                    Value::String(_) => self.place(line),
                    _ => self.fault(line, KEY),
                }
            }
            _ => self.fault(2, NO_FIELDS),
        }
    }

    /// Keeps the line of a key that was read.
    fn place(&mut self, line: usize) {
        if self.open.len() > 2 {
            return;
        }
        let keys = self.open.iter().filter_map(|(_, key, _)| key.as_deref());
        let path = keys.collect::<Vec<_>>().join(".");
        if path.starts_with("metadata.io.modelcontextprotocol/") {
            self.warn(line, RESERVED);
        }
        self.result.lines.entry(path).or_insert(line);
    }

    fn warn(&mut self, line: usize, text: &str) {
        self.result.warnings.push(Remark::new(line, text));
    }

    fn fault(&mut self, line: usize, text: &str) {
        self.faults.push(Remark::new(line, text));
    }
}
