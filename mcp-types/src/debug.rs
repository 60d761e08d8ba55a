//! Values of the model shown as what they are on the wire.
//!
//! Fields that are absent are not shown, and what shows a value is what writes it anyway: derived,
//! it would be a tenth of the code of a small server.

use std::fmt;

use serde_json::Value;

use crate::json::{Encode, decode, encode};

/// Shows the name of the type, and the value as JSON.
pub(crate) fn show(f: &mut fmt::Formatter<'_>, name: &str, value: &dyn Encode) -> fmt::Result {
    let json = encode(value);
    let value: Option<Value> = decode(&json).ok().filter(|_| f.alternate());
    match value {
        Some(value) => write!(f, "{name} {value:#}"),
        None => write!(f, "{name} {json}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{ContentBlock, Implementation};

    #[test]
    fn a_value_is_shown_as_on_the_wire() {
        let both = (Implementation::new("a", "1"), [ContentBlock::text("hi")]);
        let expected = r#"(Implementation {"name":"a","version":"1"}, [ContentBlock {"type":"text","text":"hi"}])"#;
        assert_eq!(format!("{both:?}"), expected);
        let expected = "Implementation {\n  \"name\": \"a\",\n  \"version\": \"1\"\n}";
        assert_eq!(format!("{:#?}", both.0), expected);
    }
}
