//! Formats generated code, and writes files that have changed.

use std::path::Path;
use std::{fs, io};

use proc_macro2::TokenStream;

/// Returns formatted code, with a blank line between items and between the members of an `impl`.
///
/// # Errors
///
/// Returns an error if the tokens are not items of Rust.
pub fn format(tokens: TokenStream) -> syn::Result<String> {
    let file: syn::File = syn::parse2(tokens)?;
    Ok(spaced(&prettyplease::unparse(&file)))
}

/// Adds a blank line between items, and between the members of an `impl`, to formatted code.
#[must_use]
pub fn spaced(code: &str) -> String {
    let mut out = String::with_capacity(code.len() + code.len() / 20);
    let mut previous = "";
    for line in code.lines() {
        let text = line.trim_start();
        let before = previous.trim_start();
        let depth = line.len() - text.len();
        let is_sibling = previous.len() - before.len() == depth && !text.starts_with([')', '}']);
        let is_use = |text: &str| text.starts_with("use ") || text.starts_with("pub use ");
        let after_item = before == "}" && (depth == 0 || starts_item(text));
        let after_uses = is_use(before) && !is_use(text);
        let is_statement = before.ends_with(';') && !before.starts_with("//");
        let after_statement = depth == 0 && is_statement && !is_use(text);
        if is_sibling && (after_item || after_uses || after_statement) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        previous = line;
    }
    out
}

/// Whether an item, or its documentation, begins with `line`.
fn starts_item(line: &str) -> bool {
    let words = [
        "//", "#[", "const ", "enum ", "fn ", "impl", "mod ", "pub", "struct ", "trait ", "type ",
        "use ",
    ];
    words.iter().any(|word| line.starts_with(word))
}

/// Writes `text` to the file at `path` if the file differs. With `check`, the file is not changed.
///
/// Returns whether the file differs.
///
/// # Errors
///
/// Returns an error if the file or a folder above it can't be written.
pub fn write(path: &Path, text: &str, check: bool) -> io::Result<bool> {
    if fs::read_to_string(path).is_ok_and(|current| current == text) {
        return Ok(false);
    }
    if !check {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, text)?;
    }
    Ok(true)
}
