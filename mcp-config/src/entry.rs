//! An entry of a file: a server and its name.

use std::collections::BTreeMap;
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;
use std::{env, fmt};

use mcp_runtime::{Client, ClientBuilder};

use crate::source::References;
use crate::variables::{environment, expanded};
use crate::{ConfigError, FileFault, Input, Source, Target, Variable, Variables, file};

/// A server that is configured in a file.
#[derive(Clone)]
#[non_exhaustive]
pub struct Entry {
    /// The name in the file.
    pub name: String,
    /// The client that the file belongs to.
    pub source: &'static Source,
    /// The path of the file.
    pub file: PathBuf,
    /// Whether the file belongs to a project, whose author then chose the program or URL.
    ///
    /// If true, ask the user whether to trust the project before [`expand`](Self::expand) or
    /// [`connect`](Self::connect). The answer is valid for the same [`file_text`](Self::file_text).
    /// False for files of the user, and for a file passed to
    /// [`Servers::read`](crate::Servers::read).
    pub is_of_project: bool,
    /// Whether the client uses the server. A disabled server can still be connected to.
    pub is_enabled: bool,
    /// The program or URL as written in the file, with references to variables. Values that are
    /// taken from the environment only by name are not included.
    pub target: Target,
    pub(crate) references: References,
    /// References in the form of [`References::Braces`], by the variable or header that they set.
    pub(crate) borrowed: BTreeMap<String, String>,
    pub(crate) context: Arc<Context>,
}

/// The data that all entries of a file share.
pub(crate) struct Context {
    pub(crate) source: &'static Source,
    pub(crate) file: PathBuf,
    pub(crate) text: String,
    pub(crate) is_of_project: bool,
    /// The folder of the project that the file belongs to, or is read for.
    pub(crate) folder: PathBuf,
    pub(crate) inputs: Vec<Input>,
}

impl Entry {
    /// Returns the name with its source, such as `cursor:weather`.
    pub fn qualified_name(&self) -> String {
        format!("{}:{}", self.source.as_str(), self.name)
    }

    /// Returns the text of the file as it was read, without a byte order mark.
    pub fn file_text(&self) -> &str {
        &self.context.text
    }

    /// Returns the words of the program with its variables and settings, or the URL with its
    /// headers, as written in the file.
    ///
    /// Show them to a person who decides whether to trust the file. Do not log them, because they
    /// may be secret.
    pub fn words(&self) -> Vec<String> {
        match &self.target {
            Target::Program(it) => {
                let values = self.values(&it.env, "=");
                let file = it.env_file.iter().map(|it| format!("envFile={it}"));
                let folder = it.cwd.iter().map(|it| format!("cwd={it}"));
                let command = [&it.command].into_iter().chain(&it.args).cloned();
                values.chain(file).chain(folder).chain(command).collect()
            }
            Target::Http(it) | Target::Sse(it) | Target::WebSocket(it) => {
                let values = self.values(&it.headers, ": ");
                [it.url.clone()].into_iter().chain(values).collect()
            }
        }
    }

    fn values<'a>(
        &'a self,
        table: &'a BTreeMap<String, String>,
        separator: &'a str,
    ) -> impl Iterator<Item = String> + 'a {
        let values = table.iter().chain(&self.borrowed);
        values.map(move |(name, value)| format!("{name}{separator}{value}"))
    }

    /// Returns the program or URL with the values of its variables. `variables` is called once for
    /// each variable.
    ///
    /// A program without a folder of its own runs in the folder of the project. For a file of a
    /// project, this is the folder that contains the file, or contains its folder `.cursor` and the
    /// like. For other files, it is the folder passed to [`find`](crate::Servers::find). The path
    /// of an [`env_file`](crate::Program::env_file) is relative to the same folder.
    ///
    /// ```no_run
    /// # fn example(entry: &mcp_config::Entry) -> Result<(), mcp_config::ConfigError> {
    /// use mcp_config::{Target, Variable};
    ///
    /// let mut target = entry.expand(&mut |variable| match variable {
    ///     Variable::Input(input) if input.id == "token" => Some("…".to_owned()),
    ///     other => other.from_env(),
    /// })?;
    /// if let Target::Program(program) = &mut target {
    ///     program.env.insert("LOG".to_owned(), "debug".to_owned());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Unset`] if a variable has neither a value nor a default, and
    /// [`ConfigError::File`] if an [`env_file`](crate::Program::env_file) can't be read or is
    /// larger than 1 MiB.
    pub fn expand(&self, variables: Variables<'_>) -> Result<Target, ConfigError> {
        let mut values = BTreeMap::new();
        let variables: Variables<'_> = &mut |it| {
            let value = values.entry(format!("{it:?}"));
            value.or_insert_with(|| variables(it)).clone()
        };
        let mut target = self.target.clone();
        let (texts, table) = target.parts();
        for text in texts.into_iter().chain(table.values_mut()) {
            *text = self.expanded(text, self.references, variables)?;
        }
        for (name, text) in &self.borrowed {
            let value = self.expanded(text, References::Braces, variables)?;
            if !value.is_empty() {
                table.entry(name.clone()).or_insert(value);
            }
        }
        if let Target::Program(program) = &mut target {
            let folder = &self.context.folder;
            let cwd = program.cwd.take();
            program.cwd = Some(text_of(cwd.map_or(folder.clone(), |it| folder.join(it))));
            if let Some(file) = program.env_file.take() {
                for (name, value) in self.variables(folder.join(file))? {
                    program.env.entry(name).or_insert(value);
                }
            }
        }
        Ok(target)
    }

    /// Connects to the server, with variables from the environment of this process. The user is not
    /// asked for inputs, so their defaults are used.
    ///
    /// A program gets the variables that [every program gets](mcp_runtime::transport::ChildProcess)
    /// (`PATH`, `HOME` and the like) and the variables in its entry, as in Claude Desktop, Cursor
    /// and Codex. VS Code, Zed and Goose pass on their whole environment. For a program that needs
    /// more of it, use [`expand`](Self::expand) and
    /// [`Program::child_process`](crate::Program::child_process).
    ///
    /// # Errors
    ///
    /// Returns [`ConfigError::Unset`] or [`ConfigError::File`] like [`expand`](Self::expand), and
    /// [`ConfigError::Connect`] if the connection fails.
    pub async fn connect(&self, builder: ClientBuilder) -> Result<Client, ConfigError> {
        let target = self.expand(&mut |variable| variable.from_env())?;
        Ok(target.connect(builder).await?)
    }

    fn expanded(
        &self,
        text: &str,
        references: References,
        variables: Variables<'_>,
    ) -> Result<String, ConfigError> {
        let has_words = references == References::Shell;
        let value = |name: &str| self.value(name, references, variables);
        expanded(text, has_words, value).map_err(|name| self.unset(name))
    }

    /// The value of a reference, or `None` if `name` is not a reference. The inner value is `None`
    /// if the variable is not set.
    fn value(
        &self,
        name: &str,
        references: References,
        variables: Variables<'_>,
    ) -> Option<Option<String>> {
        let folder = &self.context.folder;
        Some(match (references, name, name.split_once(':')) {
            (References::None, ..) => return None,
            (References::Braces | References::Shell, ..) => environment(name, variables),
            (_, _, Some(("env", name))) => variables(&Variable::Environment(name)),
            (_, _, Some(("input", id))) => {
                let input = self.context.inputs.iter().find(|it| it.id == id);
                input.and_then(|it| variables(&Variable::Input(it)).or_else(|| it.default.clone()))
            }
            (_, "workspaceFolder", _) => Some(text_of(folder)),
            (_, "workspaceFolderBasename", _) => folder.file_name().map(text_of),
            (_, "userHome", _) => env::home_dir().map(text_of),
            (_, "pathSeparator" | "/", _) => Some(MAIN_SEPARATOR_STR.to_owned()),
            _ => return None,
        })
    }

    fn variables(&self, file: PathBuf) -> Result<BTreeMap<String, String>, ConfigError> {
        file::variables(&file).map_err(|(position, text)| {
            let entry = Some(self.name.clone());
            let text = format!("its `envFile` can't be read: {text}");
            let fault = FileFault {
                file,
                position,
                entry,
                text,
            };
            ConfigError::File(fault)
        })
    }

    fn unset(&self, variable: &str) -> ConfigError {
        ConfigError::Unset {
            entry: self.name.clone(),
            variable: variable.to_owned(),
            file: self.file.clone(),
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({}, {:?})", self.qualified_name(), self.target)
    }
}

fn text_of(path: impl AsRef<Path>) -> String {
    path.as_ref().to_string_lossy().into_owned()
}
