//! What the type of an argument says of its values.

use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::parameters::Parameter;
use super::rules::Rules;
use super::spec::expected;
use crate::schema::{self, Describe, Plain};
use crate::server::handler::fault::{Fault, Faults};

/// What is known of the type of an argument.
///
/// Whether a type is plain is known when it is compiled. What others take is linked only where
/// there is one: it is behind this trait and [`Shape::Described`].
pub(super) trait Kind: Send + Sync {
    /// What is expected, in a word for a person.
    fn expected(&self) -> String;

    /// Adds to `faults` what the schema forbids of `text`, the value of the argument `name`, that
    /// its decoder does not know.
    fn check(&self, name: &str, text: &str, faults: &mut Faults);

    /// What the schema finds wrong with `text`, the value of the argument `name`, which its decoder
    /// refused.
    fn explain(&self, name: &str, text: &str) -> Vec<Fault>;

    /// What its schema is.
    fn shape(&self) -> Shape;
}

/// Where the schema of an argument comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Plain(Plain),
    /// From schemars, which is asked about all arguments of a tool together.
    Described(Describe, Together),
}

/// Makes the schemas of a tool's arguments, and the definitions that they refer to.
pub(super) type Together = fn(&[Parameter]) -> (Vec<Value>, Map<String, Value>);

impl Kind for Plain {
    fn expected(&self) -> String {
        self.name().to_owned()
    }

    fn check(&self, _: &str, _: &str, _: &mut Faults) {}

    fn explain(&self, _: &str, _: &str) -> Vec<Fault> {
        Vec::new()
    }

    fn shape(&self) -> Shape {
        Shape::Plain(*self)
    }
}

/// A type that schemars describes.
pub(super) struct Described {
    describe: Describe,
    /// What the schema says of values; made for the first call.
    rules: OnceLock<Rules>,
}

impl Described {
    pub(super) fn new(describe: Describe) -> Self {
        Self {
            describe,
            rules: OnceLock::new(),
        }
    }

    fn rules(&self) -> &Rules {
        let make = || Rules::of(self.describe, &mut schema::for_input());
        self.rules.get_or_init(make)
    }
}

impl Kind for Described {
    fn expected(&self) -> String {
        expected(&(self.describe)(&mut schema::for_input()).to_value())
    }

    fn check(&self, name: &str, text: &str, faults: &mut Faults) {
        self.rules().check(name, text, faults);
    }

    fn explain(&self, name: &str, text: &str) -> Vec<Fault> {
        self.rules().explain(name, text)
    }

    fn shape(&self) -> Shape {
        Shape::Described(self.describe, together)
    }
}

fn together(parameters: &[Parameter]) -> (Vec<Value>, Map<String, Value>) {
    let mut generator = schema::for_input();
    let schemas = parameters.iter().map(|parameter| match parameter.shape {
        Shape::Plain(plain) => parameter.completed(plain.schema()),
        Shape::Described(describe, _) => match describe(&mut generator).to_value() {
            Value::Object(schema) => parameter.completed(schema),
            _ => parameter.completed(Map::new()),
        },
    });
    let mut schemas: Vec<_> = schemas.collect();
    let definitions = schema::finish(&mut generator, &mut schemas);
    (schemas, definitions)
}
