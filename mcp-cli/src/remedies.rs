//! Translates remedies in errors of the libraries into options of the command.
//!
//! The libraries name their own methods, but a person who types a command can only use its options.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_seconds;

/// Remedies of the libraries, and their replacements.
const REMEDIES: [(&str, &str); 11] = [
    (", or `OAuth::allow_insecure_credentials`", ", also"),
    (
        "set `OAuth::assume_s256` and the issuer",
        "ask its operator to advertise it",
    ),
    ("`OAuth::issuer`", "`--issuer`"),
    (
        "set a key with `OAuth::client_key` instead of the secret, which was not sent",
        "the secret was not sent; register a client without a secret",
    ),
    ("see `OAuth::authorization_parameter`; else ask", "ask"),
    (
        "set `OAuth::without_resource_parameter`",
        "ask its operator",
    ),
    (" (`max_message_bytes`)", ""),
    (
        "if you trust the host, allow it with `allow_private_host`",
        "ask those who run the server",
    ),
    (" (`max_pages`)", ""),
    (" (`max_list_bytes`)", ""),
    (
        "which is set by `HttpUrl::bearer_auth`",
        "which is passed by `--header`",
    ),
];

/// Replaces the remedies of the libraries in a message.
pub(crate) fn of_command(message: String) -> String {
    let message = with_date(&message).unwrap_or(message);
    REMEDIES
        .iter()
        .fold(message, |message, (library, command)| {
            message.replace(library, command)
        })
}

/// Names the day on which a certificate has expired. rustls states it in seconds.
fn with_date(message: &str) -> Option<String> {
    let (start, rest) = message.split_once("invalid peer certificate: certificate expired: ")?;
    let (_, rest) = rest.split_once(" not valid after ")?;
    let (seconds, rest) = rest.split_once(" (")?;
    let (_, rest) = rest.split_once(" seconds ago)")?;
    let end = date(UNIX_EPOCH + Duration::from_secs(seconds.parse().ok()?));
    let advice = "renew it on the server, or correct the clock of this machine";
    Some(format!(
        "{start}the certificate expired on {end}: {advice}{rest}"
    ))
}

/// The day of a time in UTC.
pub(crate) fn date(time: SystemTime) -> String {
    let mut text = format_rfc3339_seconds(time).to_string();
    text.truncate("2026-07-28".len());
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use clap::CommandFactory;
    use proc_macro2::{Delimiter, TokenStream, TokenTree};

    use super::*;
    use crate::command_line::Arguments;

    /// The sources of messages that the command shows.
    const SOURCES: [&str; 14] = [
        "mcp-auth/src/authentication",
        "mcp-auth/src/challenge",
        "mcp-auth/src/challenge.rs",
        "mcp-auth/src/client",
        "mcp-auth/src/jwt",
        "mcp-auth/src/metadata",
        "mcp-bindgen/src",
        "mcp-cli/src",
        "mcp-config/src",
        "mcp-runtime/src/client",
        "mcp-runtime/src/error",
        "mcp-runtime/src/protocol",
        "mcp-runtime/src/transport",
        "mcp-types/src/jsonrpc",
    ];
    /// Parts of the sources that only servers use, or that contain templates of generated code.
    const OTHERS: [&str; 6] = [
        "mcp-bindgen/src/code",
        "mcp-bindgen/src/emit",
        "mcp-runtime/src/error/access_denied.rs",
        "mcp-runtime/src/transport/http/server",
        "mcp-runtime/src/transport/http/session",
        "mcp-runtime/src/transport/http/legacy.rs",
    ];
    /// Names of protocols that look like names of types and functions.
    const NAMES: [&str; 2] = ["DPoP", "client_id"];
    /// Messages about settings and methods that the command does not use.
    const UNUSED: [&str; 4] = [
        "`OAuth::{0}` is for one authorization server only",
        "add it by `ServerBuilder::extension`",
        "to start a program, use ChildProcess::new(…)",
        "`Client::subscribe_to` subscribes in every revision",
    ];

    #[derive(Default)]
    struct Source {
        strings: Vec<String>,
        functions: BTreeSet<String>,
    }

    impl Source {
        fn read(&mut self, tokens: TokenStream) {
            let tokens: Vec<_> = tokens.into_iter().collect();
            let ident = |index: usize| tokens.get(index).map(ToString::to_string);
            let mut index = 0;
            while index < tokens.len() {
                match &tokens[index] {
                    TokenTree::Punct(it) if it.as_char() == '#' => {
                        // The attributes of a module have an exclamation mark.
                        index += usize::from(ident(index + 1).as_deref() == Some("!"));
                        let attribute = ident(index + 1).unwrap_or_default();
                        if attribute == "[cfg (test)]" {
                            return;
                        }
                        // Documentation, and messages of the compiler.
                        let skipped = [
                            "[doc",
                            "[diagnostic",
                            "[deprecated",
                            "[must_use",
                            "[expect",
                            "[allow",
                        ];
                        index += usize::from(skipped.iter().any(|it| attribute.starts_with(it)));
                    }
                    TokenTree::Ident(it)
                        if it == "fn"
                            && index > 0
                            && ident(index - 1).as_deref() == Some("pub") =>
                    {
                        self.functions.extend(ident(index + 1));
                    }
                    TokenTree::Group(group)
                        if group.delimiter() != Delimiter::None || !group.stream().is_empty() =>
                    {
                        self.read(group.stream());
                    }
                    TokenTree::Literal(it) => {
                        let string = syn::parse_str::<syn::LitStr>(&it.to_string());
                        self.strings.extend(string.map(|it| it.value()).ok());
                    }
                    _ => {}
                }
                index += 1;
            }
        }

        fn read_all(&mut self, path: &Path) {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
            let name = path.strip_prefix(&root).unwrap();
            if OTHERS.iter().any(|it| name.starts_with(it)) {
                return;
            }
            if path.is_dir() {
                for entry in fs::read_dir(path).unwrap() {
                    self.read_all(&entry.unwrap().path());
                }
            } else if path.extension().is_some_and(|it| it == "rs")
                && !name.ends_with("src/remedies.rs")
            {
                let text = fs::read_to_string(path).unwrap();
                self.read(text.parse().unwrap());
            }
        }
    }

    fn source() -> Source {
        let mut source = Source::default();
        for folder in SOURCES {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("..")
                .join(folder);
            assert!(path.exists(), "{folder}");
            source.read_all(&path);
        }
        source
    }

    fn rust_item(message: &str, functions: &BTreeSet<String>) -> Option<String> {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let quoted = message.split('`').skip(1).step_by(2).map(str::trim);
        let is_type = |word: &str| {
            let humps = word.chars().zip(word.chars().skip(1));
            let humps = humps
                .filter(|(a, b)| a.is_lowercase() && b.is_uppercase())
                .count();
            word.starts_with(char::is_uppercase)
                && humps > 0
                && word.chars().all(is_part)
                && !NAMES.contains(&word)
        };
        let is_function =
            |word: &str| word.contains('_') && functions.contains(word) && !NAMES.contains(&word);
        let mut named = quoted.filter(|it| is_type(it) || is_function(it.trim_start_matches('.')));
        let ends_in_name = |before: &str| before.ends_with(is_part);
        let path = message.match_indices("::").find(|(at, _)| {
            ends_in_name(&message[..*at]) && message[at + 2..].starts_with(is_part)
        });
        let call = message
            .match_indices("()")
            .find(|(at, _)| ends_in_name(&message[..*at]));
        let named = named.next().map(str::to_owned);
        named.or_else(|| {
            path.or(call)
                .map(|(at, _)| message[at.saturating_sub(20)..].to_owned())
        })
    }

    #[test]
    fn no_message_names_a_rust_item() {
        let source = source();
        let counts = (source.strings.len(), source.functions.len());
        assert!(counts.0 > 1000 && counts.1 > 200, "{counts:?}");
        let messages = source.strings.iter().map(|it| of_command(it.clone()));
        let messages = messages.filter(|it| it.contains(' '));
        let messages = messages.filter(|it| !UNUSED.iter().any(|unused| it.contains(unused)));
        let found: Vec<_> = messages
            .filter_map(|it| Some((rust_item(&it, &source.functions)?, it)))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn no_help_names_a_rust_item() {
        let functions = source().functions;
        let mut command = Arguments::command();
        command.build();
        for command in command.get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            assert_eq!(rust_item(&help, &functions), None, "{help}");
        }
    }

    #[test]
    fn each_remedy_is_one_of_a_library() {
        let strings = source().strings;
        for (library, command) in REMEDIES {
            assert!(strings.iter().any(|it| it.contains(library)), "{library}");
            assert_eq!(of_command(format!("a {library}.")), format!("a {command}."));
        }
        for unused in UNUSED {
            assert!(strings.iter().any(|it| it.contains(unused)), "{unused}");
        }
    }

    #[test]
    fn names_of_rust_items_are_found() {
        let functions = BTreeSet::from(["root_certificate".to_owned()]);
        for message in [
            "set it by `OAuth::issuer`",
            "see mcp_runtime::Revision",
            "add it by `root_certificate`",
            "add it by `.root_certificate`",
            "give an `AssertionKey`",
            "await `start()` first",
            "await start() first",
        ] {
            assert!(rust_item(message, &functions).is_some(), "{message}");
        }
        for message in [
            "`client_id` is missing",
            "bound by `DPoP`",
            "{at:?}: {error}",
            "use `--ca FILE`",
            "a::",
        ] {
            assert_eq!(rust_item(message, &functions), None, "{message}");
        }
    }
}
