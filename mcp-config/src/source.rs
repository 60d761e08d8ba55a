//! The clients whose files are read, and how their files differ.

use std::fmt;
use std::path::Path;

use crate::node::Node;

/// A client, or a convention of several, that names servers in files.
///
/// Its name ([`as_str`](Self::as_str)) stands before the name of a server where that alone is
/// ambiguous: `cursor:weather`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Source {
    /// `.mcp.json` and `mcp.json` of a project, as Claude Code and others share them. Variables:
    /// `${VAR}` and `${VAR:-default}`.
    Project,
    /// VS Code: `.vscode/mcp.json` and the `mcp.json` of the user, with comments. Variables:
    /// `${env:VAR}`, `${input:id}`, `${workspaceFolder}`, `${workspaceFolderBasename}`,
    /// `${userHome}`, `${pathSeparator}` and `${/}`.
    VsCode,
    /// Cursor: `.cursor/mcp.json`. Variables as in VS Code, without inputs.
    Cursor,
    /// Claude Code: `~/.claude.json`, whose `projects` name servers of single folders as well.
    /// Variables as in a project.
    ClaudeCode,
    /// Claude Desktop: `claude_desktop_config.json`. No variables.
    ClaudeDesktop,
    /// Gemini CLI: `.gemini/settings.json`. A `url` is HTTP+SSE unless `type` names another
    /// transport, `httpUrl` Streamable HTTP. Variables: `$VAR`, `${VAR}` and `${VAR:-default}`.
    GeminiCli,
    /// Codex: `.codex/config.toml`. No variables, but members that name some of the environment:
    /// `env_vars`, `bearer_token_env_var`, `env_http_headers`.
    Codex,
    /// Windsurf: `~/.codeium/windsurf/mcp_config.json`. Variables: `${env:VAR}`.
    Windsurf,
    /// Zed: `settings.json`, with comments. No variables; servers that extensions bring are left
    /// out.
    Zed,
    /// Goose: `config.yaml`. Variables in what is sent to a URL: `$VAR` and `${VAR}`, of `envs` or
    /// the environment; `env_keys` name some for programs. Extensions that are part of Goose are
    /// left out.
    Goose,
}

/// The language of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Language {
    Json,
    Toml,
    Yaml,
}

/// The references to variables that the texts of a source have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum References {
    /// None: each text stands for itself.
    None,
    /// `${VAR}` and `${VAR:-default}`.
    Braces,
    /// The same, and `$VAR`.
    Shell,
    /// `${env:VAR}`, `${input:id}`, and the folders of an editor.
    Editor,
}

impl Source {
    /// All sources, in order of precedence.
    pub const ALL: [Self; 10] = [
        Self::Project,
        Self::VsCode,
        Self::Cursor,
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::GeminiCli,
        Self::Codex,
        Self::Windsurf,
        Self::Zed,
        Self::Goose,
    ];

    /// The name, such as `claude-desktop`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::GeminiCli => "gemini-cli",
            Self::Codex => "codex",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::Goose => "goose",
        }
    }

    /// The member of the file that has the servers by name.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::VsCode => "servers",
            Self::Codex => "mcp_servers",
            Self::Zed => "context_servers",
            Self::Goose => "extensions",
            _ => "mcpServers",
        }
    }

    pub(crate) const fn language(self) -> Language {
        match self {
            Self::Codex => Language::Toml,
            Self::Goose => Language::Yaml,
            _ => Language::Json,
        }
    }

    pub(crate) const fn references(self) -> References {
        match self {
            Self::Project | Self::ClaudeCode => References::Braces,
            Self::GeminiCli | Self::Goose => References::Shell,
            Self::VsCode | Self::Cursor | Self::Windsurf => References::Editor,
            Self::ClaudeDesktop | Self::Codex | Self::Zed => References::None,
        }
    }

    /// The source of a file that somebody names, by its path; `None` where the path is no usual one.
    pub(crate) fn of_path(path: &Path) -> Option<Self> {
        let is = |end: &str| path.ends_with(end);
        let extension = path.extension().and_then(|it| it.to_str());
        Some(match extension {
            Some("toml") => Self::Codex,
            Some("yaml" | "yml") => Self::Goose,
            _ if is(".cursor/mcp.json") => Self::Cursor,
            _ if is(".claude.json") => Self::ClaudeCode,
            _ if is("claude_desktop_config.json") => Self::ClaudeDesktop,
            _ if is(".gemini/settings.json") => Self::GeminiCli,
            _ if is("mcp_config.json") => Self::Windsurf,
            _ => return None,
        })
    }

    /// The source of a JSON file at an unusual path, by its members.
    pub(crate) fn of_members(root: &Node) -> Self {
        let shapes = [Self::VsCode, Self::Zed];
        let has_member = |it: &Self| root.get(it.member()).is_some();
        shapes.into_iter().find(has_member).unwrap_or(Self::Project)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
