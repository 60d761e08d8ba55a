//! Generates doc attributes.

use proc_macro2::TokenStream;
use quote::quote;

/// Returns a doc attribute for each line of `text`. Lines of more than 90 characters are wrapped.
#[must_use]
pub fn lines(text: &str) -> TokenStream {
    let lines = wrapped(text);
    quote!(#(#[doc = #lines])*)
}

/// The lines of documentation, each with a leading space.
pub(crate) fn wrapped(text: &str) -> impl Iterator<Item = String> {
    let lines = text.trim().lines().flat_map(|line| wrap(line.trim_end()));
    lines.map(|line| match &line[..] {
        "" => line,
        text => format!(" {text}"),
    })
}

/// The maximum length of a line of documentation, in characters.
const WIDTH: usize = 90;

fn wrap(text: &str) -> Vec<String> {
    if text.chars().count() <= WIDTH {
        return vec![text.to_owned()];
    }
    let mut words = text.split(' ');
    let mut lines: Vec<_> = words.next().map(str::to_owned).into_iter().collect();
    for word in words {
        // At the start of a line, such a word would mean something else in Markdown.
        let bound = word.starts_with(|c: char| "-+*#>|".contains(c) || c.is_ascii_digit());
        match lines.last_mut() {
            Some(line) if bound || line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_keep_their_words() {
        let text = "word ".repeat(40) + "- 1 end";
        let lines = wrap(&text);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= WIDTH + 8));
        assert_eq!(lines.join(" "), text);
        assert_eq!(wrap("    indented code"), ["    indented code"]);
        assert_eq!(wrap(""), [""]);
    }
}
