//! The attributes, and the entries that each of them knows.

/// One attribute's name and the entries it knows.
pub(crate) struct Grammar {
    /// As it is called in messages.
    pub(crate) attribute: &'static str,
    /// Every entry the attribute understands.
    pub(crate) known: &'static [&'static str],
}

/// `#[mcp_server(…)]`.
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
        "undocumented",
        "visible",
        "group",
        "groups",
        "crate",
    ],
};

/// `#[tool(…)]`.
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
        "blocking",
        "timeout",
        "output",
        "icons",
        "meta",
        "visible",
        "crate",
    ],
};

/// `#[arg(…)]` on a tool's parameter.
pub(crate) const TOOL_ARG: Grammar = Grammar {
    attribute: "`#[arg]` of a tool",
    known: &[
        "flatten",
        "description",
        "rename",
        "default",
        "example",
        "range",
        "length",
        "pattern",
        "header",
    ],
};

/// `#[prompt(…)]`.
pub(crate) const PROMPT: Grammar = Grammar {
    attribute: "`#[prompt]`",
    known: &[
        "name",
        "title",
        "description",
        "icons",
        "meta",
        "visible",
        "crate",
    ],
};

/// `#[arg(…)]` on a prompt's parameter.
pub(crate) const PROMPT_ARG: Grammar = Grammar {
    attribute: "`#[arg]` of a prompt",
    known: &["description", "rename", "complete"],
};

/// `#[resource("…")]`; the text that stands alone is the URI.
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
        "icons",
        "meta",
        "visible",
        "crate",
    ],
};

/// `#[arg(…)]` on a resource's parameter.
pub(crate) const RESOURCE_ARG: Grammar = Grammar {
    attribute: "`#[arg]` of a resource",
    known: &["rename", "complete"],
};

/// The entry that a text without a name counts as.
pub(crate) const URI: &str = "uri";

/// `#[from_context(…)]` of a derived type.
pub(crate) const FROM_CONTEXT: Grammar = Grammar {
    attribute: "`#[from_context]`",
    known: &["identity"],
};

/// `cache(…)` of `#[mcp_server]`.
pub(crate) const CACHE: Grammar = Grammar {
    attribute: "`cache`",
    known: &["ttl", "scope"],
};

/// `requires(…)` of `#[mcp_server]`: what clients may be able to do.
pub(crate) const REQUIRES: Grammar = Grammar {
    attribute: "`requires`",
    known: &["elicitation", "roots", "sampling", "tasks"],
};

/// `list_changed(…)` of `#[mcp_server]`: the lists.
pub(crate) const LIST_CHANGED: Grammar = Grammar {
    attribute: "`list_changed`",
    known: &["tools", "prompts", "resources"],
};

/// `#[mcp_runtime::main(…)]`.
pub(crate) const MAIN: Grammar = Grammar {
    attribute: "`#[mcp_runtime::main]`",
    known: &["crate"],
};

/// Every attribute, to tell where an entry belongs that stands in the wrong one.
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
    /// Whether `name` is one of the entries.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.known.contains(&name)
    }

    /// The attributes that know `name`, where this one does not.
    pub(crate) fn elsewhere(name: &str) -> Vec<&'static str> {
        let knowing = ALL.into_iter().filter(|grammar| grammar.knows(name));
        knowing.map(|grammar| grammar.attribute).collect()
    }
}
