//! The entries that each attribute accepts.

/// An attribute, and the entries that it accepts.
pub(crate) struct Grammar {
    pub(crate) attribute: &'static str,
    pub(crate) known: &'static [&'static str],
}

pub(crate) const SERVER: Grammar = Grammar {
    attribute: "`#[mcp_server]`",
    known: &[
        "name",
        "version",
        "title",
        "description",
        "website",
        "icons",
        "instructions",
        "revisions",
        "requires",
        "list_changed",
        "logging",
        "page_size",
        "cache",
        "filter_by_scopes",
        "undocumented",
        "lenient",
        "blocking",
        "visible",
        "scopes",
        "group",
        "groups",
        "crate",
    ],
};

pub(crate) const TOOL: Grammar = Grammar {
    attribute: "`#[tool]`",
    known: &[
        "name",
        "title",
        "description",
        "read_only",
        "destructive",
        "idempotent",
        "open_world",
        "strict",
        "lenient",
        "blocking",
        "timeout",
        OUTPUT,
        "icons",
        "meta",
        "visible",
        "scopes",
        "with",
        "crate",
    ],
};

/// `#[arg(…)]` on a tool's parameter.
pub(crate) const TOOL_ARG: Grammar = Grammar {
    attribute: "`#[arg]` of a tool",
    known: &[
        "flatten",
        "nested",
        "description",
        "rename",
        "default",
        "example",
        "range",
        "length",
        "pattern",
        "header",
        "lenient",
    ],
};

pub(crate) const PROMPT: Grammar = Grammar {
    attribute: "`#[prompt]`",
    known: &[
        "name",
        "title",
        "description",
        "blocking",
        "icons",
        "meta",
        "visible",
        "scopes",
        "crate",
    ],
};

/// `#[arg(…)]` on a prompt's parameter.
pub(crate) const PROMPT_ARG: Grammar = Grammar {
    attribute: "`#[arg]` of a prompt",
    known: &["description", "rename", "complete"],
};

/// `#[resource("…")]`, where the string without a name is the URI.
pub(crate) const RESOURCE: Grammar = Grammar {
    attribute: "`#[resource]`",
    known: &[
        URI,
        "name",
        "title",
        "description",
        "mime",
        "size",
        "annotations",
        "cache",
        "list",
        "subscribe",
        "blocking",
        "icons",
        "meta",
        "visible",
        "scopes",
        "crate",
    ],
};

/// `#[arg(…)]` on a resource's parameter.
pub(crate) const RESOURCE_ARG: Grammar = Grammar {
    attribute: "`#[arg]` of a resource",
    known: &["rename", "complete"],
};

/// The entry whose value is a type.
pub(crate) const OUTPUT: &str = "output";

/// The name of the entry that a string without a name sets.
pub(crate) const URI: &str = "uri";

pub(crate) const FROM_CONTEXT: Grammar = Grammar {
    attribute: "`#[from_context]`",
    known: &["identity"],
};

/// `cache(…)` of `#[mcp_server]`.
pub(crate) const CACHE: Grammar = Grammar {
    attribute: "`cache`",
    known: &["ttl", "scope"],
};

/// `requires(…)` of `#[mcp_server]`, which lists capabilities of clients.
pub(crate) const REQUIRES: Grammar = Grammar {
    attribute: "`requires`",
    known: &["elicitation", "roots", "sampling"],
};

/// `list_changed(…)` of `#[mcp_server]`, which names the lists that can change.
pub(crate) const LIST_CHANGED: Grammar = Grammar {
    attribute: "`list_changed`",
    known: &["tools", "prompts", "resources"],
};

pub(crate) const MAIN: Grammar = Grammar {
    attribute: "`#[mcp_runtime::main]`",
    known: &["crate"],
};

/// The entries of `#[elicit("…", …)]` after the question.
pub(crate) const ELICIT: Grammar = Grammar {
    attribute: "`#[elicit]`",
    known: &["when"],
};

/// Words of rmcp, FastMCP, serde, schemars and clap in snake case, and their replacements here.
/// `{}` is the value.
const FOREIGN: [(&str, &str); 41] = [
    ("about", "description = {}"),
    ("aggr", "flatten"),
    ("alias", "rename = {}"),
    (
        "annotations",
        "read_only`, `destructive`, `idempotent` or `open_world",
    ),
    ("default_value", "default = {}"),
    ("deny_unknown_fields", "strict"),
    ("desc", "description = {}"),
    ("destructive_hint", "destructive = {}"),
    ("doc", "description = {}"),
    ("enabled", "visible = Self::function"),
    ("examples", "example = {}"),
    ("exclusive_maximum", "range = ..{}"),
    ("ge", "range = {}.."),
    ("help", "description = {}"),
    ("idempotent_hint", "idempotent = {}"),
    ("le", "range = ..={}"),
    ("lt", "range = ..{}"),
    ("max", "range = ..={}"),
    ("max_items", "length = ..={}"),
    ("max_len", "length = ..={}"),
    ("max_length", "length = ..={}"),
    ("maximum", "range = ..={}"),
    ("mime_type", "mime = {}"),
    ("mimetype", "mime = {}"),
    ("min", "range = {}.."),
    ("min_items", "length = {}.."),
    ("min_len", "length = {}.."),
    ("min_length", "length = {}.."),
    ("minimum", "range = {}.."),
    ("open_world_hint", "open_world = {}"),
    ("read_only_hint", "read_only = {}"),
    ("regex", "pattern = {}"),
    ("rename", "name = {}"),
    ("spawn_blocking", "blocking"),
    ("summary", "description = {}"),
    ("tags", "meta = …"),
    ("timeout_ms", "timeout = \"{}ms\""),
    ("timeout_secs", "timeout = \"{}s\""),
    ("ttl", "cache(ttl = {})"),
    ("uri_template", "uri = {}"),
    ("website_url", "website = {}"),
];

/// Words of other libraries that are not needed here, each with the reason.
const NEEDLESS: [(&str, &str); 11] = [
    (
        "description",
        "describe it in the doc comment of the function",
    ),
    (
        "exclude_args",
        "take what the caller does not send by reference, from the context",
    ),
    (
        "input_schema",
        "the types of the parameters are the schema: remove it",
    ),
    (
        "output_schema",
        "the return type is the schema: remove it, or name another type in `output`",
    ),
    ("flavor", THREADS),
    (
        "rename_all",
        "give each argument its name: `#[arg(rename = \"…\")]`",
    ),
    (
        "router",
        "`#[mcp_server]` registers every function of its block: remove it",
    ),
    (
        "skip",
        "take what the caller does not send by reference, from the context",
    ),
    ("threads", THREADS),
    (
        "tool_router",
        "`#[mcp_server]` registers every function of its block: remove it",
    ),
    ("worker_threads", THREADS),
];

const THREADS: &str = "`main` runs on one thread: for several write `#[tokio::main]` instead, with the features `macros` and `rt-multi-thread` of tokio";

/// All attributes, to find the one that a misplaced entry belongs to.
const ALL: [&Grammar; 7] = [
    &SERVER,
    &TOOL,
    &TOOL_ARG,
    &PROMPT,
    &PROMPT_ARG,
    &RESOURCE,
    &RESOURCE_ARG,
];

impl Grammar {
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.known.contains(&name)
    }

    /// The replacement for `name`, a word of another library, with its `value`.
    pub(crate) fn translated(&self, name: &str, value: Option<&str>) -> Option<String> {
        let name = snake(name);
        let (_, ours) = FOREIGN.iter().find(|(word, _)| *word == name)?;
        let end = ours.find([' ', '(', '`']).unwrap_or(ours.len());
        let without = ours.trim_end_matches(" = {}");
        let ours = value.map_or(without.replace("{}", "…"), |it| ours.replace("{}", it));
        self.knows(&ours[..end]).then_some(ours)
    }

    /// Advice on how to write an unnamed string: as a word without quotation marks, as an entry, or
    /// as the doc comment.
    pub(crate) fn named(&self, text: &str) -> String {
        if self.knows(text) {
            return format!("write `{text}`, without quotation marks");
        }
        let is_word = !text.is_empty() && text.chars().all(is_of_name);
        let mut names = ["name", "rename", "ttl"].iter();
        let entry = names.find(|name| is_word && self.knows(name));
        let line = text.lines().next().unwrap_or_default();
        match entry {
            Some(name) => format!("write `{name} = \"{text}\"`"),
            None if self.knows("description") => {
                format!("write it as the doc comment: `/// {line}`")
            }
            None if self.knows("rename") => {
                "describe it in the doc comment of the function".to_owned()
            }
            None => format!("known are: {}", self.known.join(", ")),
        }
    }

    /// The reason why `name`, a word of another library, is not needed here.
    pub(crate) fn needless(name: &str) -> Option<&'static str> {
        let mut words = NEEDLESS.iter();
        words.find_map(|(word, reason)| (*word == snake(name)).then_some(*reason))
    }

    /// The attributes that accept `name`.
    pub(crate) fn elsewhere(name: &str) -> Vec<&'static str> {
        let knowing = ALL.into_iter().filter(|grammar| grammar.knows(name));
        knowing.map(|grammar| grammar.attribute).collect()
    }
}

/// Whether `letter` may be part of a tool's name.
pub(crate) fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-.".contains(letter)
}

/// Converts a name such as `readOnlyHint` to `read_only_hint`.
fn snake(name: &str) -> String {
    let letters = name.chars().map(|letter| {
        if letter.is_uppercase() {
            format!("_{}", letter.to_lowercase())
        } else {
            letter.to_string()
        }
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::{
        CACHE, FOREIGN, LIST_CHANGED, NEEDLESS, PROMPT, REQUIRES, RESOURCE, RESOURCE_ARG, SERVER,
        TOOL, TOOL_ARG,
    };

    #[test]
    fn words_of_others_are_translated_where_ours_is_known() {
        for (grammar, name, value, ours) in [
            (&TOOL_ARG, "min", Some("1"), "range = 1.."),
            (&TOOL_ARG, "maxLength", None, "length = ..=…"),
            (&TOOL, "readOnlyHint", None, "read_only"),
            (&TOOL, "read_only_hint", Some("false"), "read_only = false"),
            (
                &PROMPT,
                "desc",
                Some("\"Greets\""),
                "description = \"Greets\"",
            ),
            (&RESOURCE, "mime_type", Some("\"a/b\""), "mime = \"a/b\""),
            (&SERVER, "website_url", Some("\"a:b\""), "website = \"a:b\""),
        ] {
            let found = grammar.translated(name, value);
            assert_eq!(found.as_deref(), Some(ours), "{name}");
        }
        assert_eq!(RESOURCE_ARG.translated("min", None), None);
        assert_eq!(CACHE.translated("read_only_hint", None), None);
    }

    #[test]
    fn a_text_without_a_name_becomes_something_that_is_accepted() {
        for (grammar, text, ours) in [
            (&TOOL, "add", "write `name = \"add\"`"),
            (&TOOL, "Adds numbers", "`/// Adds numbers`"),
            (
                &PROMPT,
                "Greets somebody.\nTwice.",
                "`/// Greets somebody.`",
            ),
            (&SERVER, "A calculator", "`/// A calculator`"),
            (&TOOL_ARG, "first", "write `rename = \"first\"`"),
            (&TOOL_ARG, "The first number", "`/// The first number`"),
            (
                &RESOURCE_ARG,
                "The number of a book",
                "doc comment of the function",
            ),
            (&CACHE, "5m", "write `ttl = \"5m\"`"),
            (&REQUIRES, "sampling", "write `sampling`, without"),
            (&LIST_CHANGED, "all", "known are: tools, prompts, resources"),
        ] {
            let found = grammar.named(text);
            assert!(found.contains(ours), "{text}: {found}");
        }
    }

    #[test]
    fn each_word_of_others_is_there_once() {
        let words = FOREIGN.iter().chain(&NEEDLESS).map(|(word, _)| word);
        let mut words: Vec<_> = words.collect();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), FOREIGN.len() + NEEDLESS.len());
    }
}
