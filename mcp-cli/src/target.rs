//! The server that a command is about.

use std::convert::Infallible;
use std::path::MAIN_SEPARATOR;
use std::str::FromStr;

/// A server, as it was named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A URL: `http`, `https`, `ws` or `wss`.
    Url(String),
    /// A program and its arguments.
    Program(Vec<String>),
    /// The name of a configured server, after its source and a colon where several have it.
    Name(String),
}

/// First character of words that were several arguments of the process, which no argument has.
const SEVERAL: char = '\0';

impl Target {
    /// The one argument in which a program and its arguments are passed on.
    pub(crate) fn program(words: impl Iterator<Item = String>) -> String {
        words.fold(String::new(), |text, word| format!("{text}{SEVERAL}{word}"))
    }

    /// The words of a program that stands on the command line, or none if its quotes do not match.
    fn words(text: &str) -> Option<Vec<String>> {
        if text.starts_with(SEVERAL) {
            return Some(text.split(SEVERAL).skip(1).map(str::to_owned).collect());
        }
        let is_path = text.starts_with(['.', '/', '~']) || text.contains(['/', '\\']);
        if !text.contains(char::is_whitespace) {
            return is_path.then(|| vec![text.to_owned()]);
        }
        // Backslashes separate folders on Windows.
        match MAIN_SEPARATOR == '\\' {
            true => Some(text.split_whitespace().map(str::to_owned).collect()),
            false => shlex::split(text),
        }
    }
}

impl FromStr for Target {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let is_url = ["http://", "https://", "ws://", "wss://"]
            .iter()
            .any(|scheme| {
                text.get(..scheme.len())
                    .is_some_and(|it| it.eq_ignore_ascii_case(scheme))
            });
        if is_url {
            return Ok(Self::Url(text.to_owned()));
        }
        let words = Self::words(text).filter(|words| !words.is_empty());
        Ok(words.map_or_else(|| Self::Name(text.to_owned()), Self::Program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap()
    }

    fn program<const N: usize>(words: [&str; N]) -> Target {
        Target::Program(words.map(str::to_owned).to_vec())
    }

    #[test]
    fn a_target_is_a_url_a_name_or_a_program() {
        let url = "HTTP://127.0.0.1/mcp";
        assert_eq!(target(url), Target::Url(url.to_owned()));
        for name in ["weather", "cursor:weather", "weather-2.0"] {
            assert_eq!(target(name), Target::Name(name.to_owned()));
        }
        assert_eq!(target("./server"), program(["./server"]));
        assert_eq!(target("npx -y 'a b'"), program(["npx", "-y", "a b"]));
    }

    #[test]
    fn words_behind_dashes_are_a_program_as_they_are() {
        let words = ["weather", "", "a 'b", "http://x"].map(str::to_owned);
        let text = Target::program(words.clone().into_iter());
        assert_eq!(target(&text), Target::Program(words.to_vec()));
    }
}
