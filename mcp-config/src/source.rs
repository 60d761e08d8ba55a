//! The clients whose files are read, and how their files differ.

use std::fmt;
use std::path::Path;

use serde_json::Value;

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
    /// VS Code: `.vscode/mcp.json` and the `mcp.json` of the user. Variables: `${env:VAR}`,
    /// `${input:id}`, `${workspaceFolder}`, `${workspaceFolderBasename}`, `${userHome}`,
    /// `${pathSeparator}` and `${/}`.
    VsCode,
    /// Cursor: `.cursor/mcp.json`. Variables as in VS Code, without inputs.
    Cursor,
    /// Claude Code: `~/.claude.json`, whose `projects` name servers of single folders as well.
    /// Variables as in a project.
    ClaudeCode,
    /// Claude Desktop: `claude_desktop_config.json`. No variables.
    ClaudeDesktop,
    /// Gemini CLI: `.gemini/settings.json`. `httpUrl` is Streamable HTTP, `url` HTTP+SSE unless
    /// `type` names another transport. Variables: `$VAR`, `${VAR}` and `${VAR:-default}`.
    GeminiCli,
    /// Codex: `.codex/config.toml`. No variables, but members that name some of the environment:
    /// `env_vars`, `bearer_token_env_var`, `env_http_headers`.
    Codex,
    /// Windsurf: `~/.codeium/windsurf/mcp_config.json`. Variables: `${env:VAR}`.
    Windsurf,
    /// Zed: `settings.json`. No variables. Servers that extensions bring are left out.
    Zed,
    /// Goose: `config.yaml`. Variables in the URL and its headers: `$VAR` and `${VAR}`; `env_keys`
    /// name some for programs. Extensions that are part of Goose are left out.
    Goose,
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
    pub const fn as_str(self) -> &'static str {
        self.format().0
    }

    /// The member of the file that has the servers by name.
    pub(crate) const fn member(self) -> &'static str {
        self.format().1
    }

    pub(crate) const fn references(self) -> References {
        self.format().2
    }

    /// The name, the member with the servers, and the references.
    const fn format(self) -> (&'static str, &'static str, References) {
        match self {
            Self::Project => ("project", "mcpServers", References::Braces),
            Self::VsCode => ("vscode", "servers", References::Editor),
            Self::Cursor => ("cursor", "mcpServers", References::Editor),
            Self::ClaudeCode => ("claude-code", "mcpServers", References::Braces),
            Self::ClaudeDesktop => ("claude-desktop", "mcpServers", References::None),
            Self::GeminiCli => ("gemini-cli", "mcpServers", References::Shell),
            Self::Codex => ("codex", "mcp_servers", References::None),
            Self::Windsurf => ("windsurf", "mcpServers", References::Editor),
            Self::Zed => ("zed", "context_servers", References::None),
            Self::Goose => ("goose", "extensions", References::Shell),
        }
    }

    /// The files, in order of precedence, each below one of the [`Places`](crate::Places), which its
    /// first part names.
    pub(crate) const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Project => &["project/.mcp.json", "project/mcp.json"],
            Self::VsCode => &[
                "project/.vscode/mcp.json",
                "applications/Code/User/mcp.json",
                "applications/Code - Insiders/User/mcp.json",
            ],
            Self::Cursor => &["project/.cursor/mcp.json", "home/.cursor/mcp.json"],
            Self::ClaudeCode => &["home/.claude.json"],
            Self::ClaudeDesktop => &["applications/Claude/claude_desktop_config.json"],
            Self::GeminiCli => &[
                "project/.gemini/settings.json",
                "home/.gemini/settings.json",
            ],
            Self::Codex => &["project/.codex/config.toml", "codex/config.toml"],
            Self::Windsurf => &["home/.codeium/windsurf/mcp_config.json"],
            Self::Zed => &["project/.zed/settings.json", "config/zed/settings.json"],
            Self::Goose => &[
                "config/goose/config.yaml",
                "config/Block/goose/config/config.yaml",
            ],
        }
    }

    /// The source of a file that somebody names: of those whose servers its members may be, the one
    /// whose files have its name.
    pub(crate) fn of_file(path: &Path, root: &Value) -> Self {
        let has_member = |it: &Self| root.get(it.member()).is_some();
        let mut sources: Vec<_> = Self::ALL.into_iter().filter(has_member).collect();
        let is_its = |file: &&str| {
            file.split_once('/')
                .is_some_and(|(_, it)| path.ends_with(it))
        };
        // Last of all the project, with `mcp.json` anywhere.
        sources.reverse();
        let found = sources
            .iter()
            .find(|it| it.files().iter().any(|it| is_its(it)));
        *found.or(sources.last()).unwrap_or(&Self::Project)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
