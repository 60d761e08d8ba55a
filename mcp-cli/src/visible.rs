//! Makes text harmless before it is shown on a terminal.

use std::borrow::Cow;

/// Escapes characters that control a terminal or hide other text: control characters other than
/// line feeds and tabs, and characters that change the direction of writing.
pub(crate) fn visible(text: &str, is_terminal: bool) -> Cow<'_, str> {
    escaped(text, is_terminal, |it| it.escape_unicode().to_string())
}

/// Like [`visible`], with the escapes of JSON.
pub(crate) fn visible_json(text: &str, is_terminal: bool) -> Cow<'_, str> {
    escaped(text, is_terminal, |it| format!("\\u{:04x}", u32::from(it)))
}

fn escaped(text: &str, is_terminal: bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !is_terminal || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let letter = |letter| {
        if is_hidden(letter) {
            escape(letter)
        } else {
            letter.to_string()
        }
    };
    text.chars().map(letter).collect()
}

fn is_hidden(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        // Marks, embeddings and isolates that change the direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        _ => letter.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_not_control_a_terminal() {
        let text = "a\u{1b}]0;title\u{7}\r\u{9b}1m\u{202e}b\tc\n";
        let shown = visible(text, true);
        assert_eq!(
            shown,
            "a\\u{1b}]0;title\\u{7}\\u{d}\\u{9b}1m\\u{202e}b\tc\n"
        );
        assert_eq!(visible(text, false), text);
    }
}
