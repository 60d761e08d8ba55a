//! From events of YAML to JSON.

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, StructureStyle};
use mcp_runtime::types::JsonObject;
use serde_json::Value;

use super::hosts::{BRACES, LINES, differences};
use super::{FrontMatter, Remark, plain};
use crate::skills::limits::MAX_FRONT_MATTER_DEPTH as MAX_DEPTH;

const TAG: &str = "tags such as `!!str` are not allowed: write a string in double quotes";
const ANCHOR: &str = "anchors and aliases are not allowed: repeat the value";
const NUMBER: &str = "JSON readers would change this number: write it in double quotes";
const KEY: &str = "a key must be a string: write it in double quotes";
const REPEATED: &str = "this key is repeated: remove one of them";
const NO_FIELDS: &str = "the front matter has no fields: write `name: …` and `description: …`";
const DOCUMENT: &str = "front matter has neither directives nor documents: remove this line";
const DEPTH: &str = "lists and mappings are nested in more than 32 levels: use fewer levels";
const QUOTES: &str = "write values with `: ` or ` #`, or special characters first, in quotes";
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
    /// The collections whose end has not been read, each with the key whose value is next.
    open: Vec<(Value, Option<String>)>,
    /// The first lines of those that are in brackets or braces.
    flow: Vec<usize>,
}

impl Reader {
    fn event(&mut self, text: &str, event: Event<'_>, span: &Span) {
        let line = span.start.line();
        if event.tag().is_some() {
            self.fault(line, TAG);
        }
        if event.anchor_id().is_some() || event.is_alias() {
            self.fault(line, ANCHOR);
        }
        if let Event::MappingStart(StructureStyle::Flow, ..) = event
            && (self.open.is_empty() || span.slice(text) == Some(""))
        {
            self.warn(line, BRACES);
        }
        match event {
            Event::Scalar(value, style, ..) => self.scalar(text, &value, style, span),
            Event::SequenceStart(style, ..) => self.open(Value::Array(Vec::new()), style, line),
            Event::MappingStart(style, ..) => self.open(JsonObject::new().into(), style, line),
            Event::Alias(_) | Event::UnresolvedAlias(_) => self.add(Value::Null, line),
            Event::SequenceEnd | Event::MappingEnd => self.close(line),
            Event::DocumentStart(..) if line > 1 => self.fault(line, DOCUMENT),
            Event::DocumentEnd if span.slice(text) == Some("...") => self.fault(line, DOCUMENT),
            _ => {}
        }
    }

    fn scalar(&mut self, text: &str, value: &str, style: ScalarStyle, span: &Span) {
        let line = span.start.line();
        let is_plain = style == ScalarStyle::Plain;
        let resolved = if is_plain {
            plain::resolve(value)
        } else {
            Some(value.into())
        };
        let Some(value) = resolved else {
            self.fault(line, NUMBER);
            return self.add(Value::Null, line);
        };
        for (line, text) in differences(text, span, style, &value, !self.flow.is_empty()) {
            self.warn(line, text);
        }
        self.add(value, line);
    }

    fn open(&mut self, value: Value, style: StructureStyle, line: usize) {
        if self.open.len() == MAX_DEPTH {
            self.fault(line, DEPTH);
        }
        if style == StructureStyle::Flow {
            self.flow.push(line);
        }
        self.open.push((value, None));
    }

    fn close(&mut self, line: usize) {
        let first = self.flow.pop().filter(|_| self.flow.is_empty());
        if let Some(first) = first.filter(|first| *first < line) {
            self.warn(first, LINES);
        }
        if let Some((value, _)) = self.open.pop() {
            self.add(value, line);
        }
    }

    /// Adds a complete value: the next item, key or value of the collection around it.
    fn add(&mut self, value: Value, line: usize) {
        match (self.open.last_mut(), value) {
            (None, Value::Object(fields)) => self.result.fields = fields,
            (None, _) => self.fault(2, NO_FIELDS),
            (Some((Value::Array(items), _)), value) => items.push(value),
            (Some((Value::Object(fields), key)), value) => match key.take() {
                Some(key) => drop(fields.insert(key, value)),
                None => {
                    let is_repeated = value.as_str().is_some_and(|it| fields.contains_key(it));
                    *key = Some(value.as_str().unwrap_or_default().to_owned());
                    self.key(line, value.is_string(), is_repeated);
                }
            },
            _ => {}
        }
    }

    fn key(&mut self, line: usize, is_string: bool, is_repeated: bool) {
        if !is_string {
            self.fault(line, KEY);
        }
        if is_repeated {
            self.fault(line, REPEATED);
        }
        let path = match &self.open[..] {
            [(_, Some(key))] => key.clone(),
            [(_, Some(parent)), (_, Some(key))] if parent == "metadata" => {
                format!("metadata.{key}")
            }
            _ => return,
        };
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
