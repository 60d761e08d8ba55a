//! An entry of a file: a server with its name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcp_runtime::{Client, ClientBuilder};

use crate::source::References;
use crate::variables::{Reference, expand};
use crate::{ConfigError, Input, Source, Target, Variable};

/// A server that a file names.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(crate) name: String,
    pub(crate) source: Source,
    pub(crate) file: Arc<FileContext>,
    pub(crate) is_enabled: bool,
    pub(crate) target: Target,
    pub(crate) references: References,
    pub(crate) borrowed: Vec<Borrowed>,
    pub(crate) local: Local,
}

/// What all entries of a file share.
#[derive(Debug)]
pub(crate) struct FileContext {
    pub(crate) path: PathBuf,
    /// The folder of the project that the file belongs to, or that it is read for.
    pub(crate) folder: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) inputs: Vec<Input>,
}

/// A variable of the environment that an entry takes by its name alone.
#[derive(Clone, Debug)]
pub(crate) struct Borrowed {
    /// The variable or header that gets the value.
    pub(crate) name: String,
    pub(crate) prefix: &'static str,
    pub(crate) variable: String,
    pub(crate) is_required: bool,
}

/// Variables that an entry itself gives values.
#[derive(Clone, Default)]
pub(crate) struct Local(pub(crate) BTreeMap<String, String>);

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Entry {
    /// The name in the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name with its source, such as `cursor:weather`: no other entry has it.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}:{}", self.source, self.name)
    }

    /// The client whose file it is from.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file.path
    }

    /// Returns false if the file says that the client does not use the server.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    /// The program or URL as the file writes it, with references to variables. Values that come from
    /// the environment by their name alone are not in it.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The program or URL with the values of variables, which `variables` returns: each input once.
    /// `None` leaves a variable to its default.
    ///
    /// A program without a folder of its own runs in that of the project: where the file is one of a
    /// project, the folder in which it lies (or its folder `.cursor` and the like), else the folder
    /// for which [`find`](crate::Servers::find) was called.
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
    /// [`ConfigError::Unset`] if a variable has neither value nor default.
    pub fn expand(
        &self,
        variables: &mut dyn FnMut(&Variable<'_>) -> Option<String>,
    ) -> Result<Target, ConfigError> {
        let mut answers = BTreeMap::new();
        let mut resolve = |reference: Reference<'_>, spelling: &str| {
            let value = match reference {
                Reference::Environment { name, default } => self
                    .environment(name, variables)
                    .or_else(|| default.map(str::to_owned)),
                Reference::Input(id) => match answers.get(id) {
                    Some(answer) => Some(String::clone(answer)),
                    None => self.input(id, variables).inspect(|answer| {
                        answers.insert(id.to_owned(), answer.clone());
                    }),
                },
                Reference::WorkspaceFolder => Some(self.file.folder.display().to_string()),
                Reference::WorkspaceFolderBasename => {
                    let name = self.file.folder.file_name().unwrap_or_default();
                    Some(name.to_string_lossy().into_owned())
                }
                Reference::UserHome => Some(self.file.home.display().to_string()),
                Reference::PathSeparator => Some(std::path::MAIN_SEPARATOR_STR.to_owned()),
            };
            value.ok_or_else(|| self.unset(spelling))
        };
        let expanded = |text: &str| expand(text, self.references, &mut resolve);
        let mut target = self.target.try_map(expanded)?;
        for it in &self.borrowed {
            match self.environment(&it.variable, variables) {
                Some(value) => {
                    let value = format!("{}{value}", it.prefix);
                    target.table().entry(it.name.clone()).or_insert(value);
                }
                None if it.is_required => return Err(self.unset(&it.variable)),
                None => {}
            }
        }
        if let Target::Program(program) = &mut target {
            program.run_in(&self.file.folder);
        }
        Ok(target)
    }

    /// Connects to the server, with the variables of this process's environment. Nobody is asked for
    /// inputs: their defaults count.
    ///
    /// A program gets the variables that [every program gets](mcp_runtime::transport::ChildProcess)
    /// (`PATH`, `HOME` and the like) and those that its entry names, as in Claude Desktop, Cursor and
    /// Codex. VS Code, Zed and Goose pass their whole environment on: a program that needs more of it
    /// gets that by [`expand`](Self::expand) and
    /// [`Program::child_process`](crate::Program::child_process).
    ///
    /// # Errors
    ///
    /// [`ConfigError::Unset`] for a variable without a value, else [`ConfigError::Connect`].
    pub async fn connect(&self, builder: ClientBuilder) -> Result<Client, ConfigError> {
        let target = self.expand(&mut |variable| variable.from_env())?;
        Ok(target.connect(builder).await?)
    }

    fn environment(
        &self,
        name: &str,
        variables: &mut dyn FnMut(&Variable<'_>) -> Option<String>,
    ) -> Option<String> {
        let local = self.local.0.get(name).cloned();
        local.or_else(|| variables(&Variable::Environment(name)))
    }

    fn input(
        &self,
        id: &str,
        variables: &mut dyn FnMut(&Variable<'_>) -> Option<String>,
    ) -> Option<String> {
        let input = self.file.inputs.iter().find(|it| it.id == id)?;
        variables(&Variable::Input(input)).or_else(|| input.default.clone())
    }

    fn unset(&self, variable: &str) -> ConfigError {
        ConfigError::Unset {
            entry: self.name.clone(),
            variable: variable.to_owned(),
            file: self.file.path.clone(),
        }
    }
}
