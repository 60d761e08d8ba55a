//! Options for bindings, and the steps that generate them from a snapshot.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::{fmt, fs, io};

use crate::code::output::write;
use crate::emit::module::{Emitter, Origin};
use crate::error::{Error, Note};
use crate::model::naming;
use crate::model::read::read;
use crate::snapshot::Snapshot;

/// Generates a Rust module from a snapshot, with options.
///
/// ```
/// use mcp_bindgen::{Bindings, Format, Snapshot};
///
/// # let snapshot = Snapshot::parse(br#"{"tools": [{"name": "map"}, {"name": "drop_all"}]}"#)?;
/// let bindings = Bindings::new(snapshot)
///     .name("Weather")
///     .skip("drop_all")
///     .output("map", "crate::Map")
///     .formats([Format::Chrono]);
/// let generated = bindings.generate()?;
/// assert!(generated.code.contains("TypedCall<crate::Map>"));
/// # Ok::<_, mcp_bindgen::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is generated until `generate` is called"]
pub struct Bindings {
    snapshot: Snapshot,
    name: Option<String>,
    command: String,
    file: Option<String>,
    only: BTreeSet<String>,
    skip: BTreeSet<String>,
    outputs: HashMap<String, String>,
    formats: Vec<Format>,
    strict: bool,
}

/// A crate with types for some string formats of JSON Schema.
///
/// The user's crate has to depend on it, with the feature `serde`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `chrono`: `date-time` is a `DateTime<FixedOffset>`, `date` a `NaiveDate`.
    Chrono,
    /// `uuid`: `uuid` is a `Uuid`.
    Uuid,
    /// `url`: `uri` is a `Url`.
    Url,
}

impl Format {
    /// The formats of JSON Schema that the crate supports, and their Rust types.
    fn types(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Chrono => &[
                ("date-time", "::chrono::DateTime<::chrono::FixedOffset>"),
                ("date", "::chrono::NaiveDate"),
            ],
            Self::Uuid => &[("uuid", "::uuid::Uuid")],
            Self::Url => &[("uri", "::url::Url")],
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Chrono => "chrono",
            Self::Uuid => "uuid",
            Self::Url => "url",
        })
    }
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let mut known = [Self::Chrono, Self::Uuid, Self::Url].into_iter();
        let format = known.find(|it| it.to_string() == name);
        format.ok_or_else(|| format!("`{name}` is not one of chrono, uuid and url"))
    }
}

/// A generated module.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Generated {
    /// The source of the Rust file.
    pub code: String,
    /// The snapshot with the Rust names that were chosen.
    ///
    /// Store it next to the module, for the next generation and for [`compare`](crate::compare).
    pub snapshot: Snapshot,
    /// Values that stay JSON, and entries that are left out.
    pub notes: Vec<Note>,
}

impl Generated {
    /// Writes the module to `module` and the snapshot to `snapshot`, if the files differ.
    ///
    /// Returns whether a file differed. With `check`, no file is changed.
    ///
    /// # Errors
    ///
    /// Returns an error if a file or folder can't be written.
    pub fn write(&self, module: &Path, snapshot: &Path, check: bool) -> io::Result<bool> {
        let code = write(module, &self.code, check)?;
        Ok(write(snapshot, &self.snapshot.to_string(), check)? || code)
    }
}

impl Bindings {
    /// Creates bindings for everything that a server lists.
    pub fn new(snapshot: Snapshot) -> Self {
        Self {
            snapshot,
            name: None,
            command: "mcp-bindgen".to_owned(),
            file: None,
            only: BTreeSet::new(),
            skip: BTreeSet::new(),
            outputs: HashMap::new(),
            formats: Vec::new(),
            strict: false,
        }
    }

    /// Reads the snapshot in a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read, or is not a snapshot.
    pub fn read(path: &Path) -> io::Result<Self> {
        let bytes = fs::read(path)?;
        let snapshot = Snapshot::parse(&bytes).map_err(io::Error::other)?;
        let file = path.file_name();
        let file = file.map(|name| name.to_string_lossy().into_owned());
        Ok(Self {
            file,
            ..Self::new(snapshot)
        })
    }

    /// Sets the name of the server's type, which is converted to camel case.
    ///
    /// The default is the recorded name, or else the name that the server reports.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the command shown in the first line of the module.
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.command = command.into();
        self
    }

    /// Sets the file name of the snapshot shown in the module's documentation.
    pub fn snapshot_file(mut self, name: impl Into<String>) -> Self {
        self.file = Some(name.into());
        self
    }

    /// Binds only this tool. Each call adds another tool.
    pub fn only(mut self, tool: impl Into<String>) -> Self {
        self.only.insert(tool.into());
        self
    }

    /// Leaves out a tool.
    pub fn skip(mut self, tool: impl Into<String>) -> Self {
        self.skip.insert(tool.into());
        self
    }

    /// Decodes the output of a tool as the Rust type at `path`, which has to implement
    /// `Deserialize`.
    ///
    /// Use this for tools without an output schema.
    pub fn output(mut self, tool: impl Into<String>, path: impl Into<String>) -> Self {
        self.outputs.insert(tool.into(), path.into());
        self
    }

    /// Maps strings of some formats to types of other crates.
    pub fn formats(mut self, formats: impl IntoIterator<Item = Format>) -> Self {
        self.formats.extend(formats);
        self
    }

    /// Makes [`generate`](Self::generate) fail if a value stays untyped although its schema says
    /// more.
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Generates the module. The same snapshot and options always give the same bytes.
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnknownTool`] or [`Error::Path`] for an invalid option, and
    /// [`Error::Untyped`] if [`strict`](Self::strict) is set and a value stays untyped.
    pub fn generate(&self) -> Result<Generated, Error> {
        let outputs = self.checked()?;
        let is_bound = |name: &str| {
            (self.only.is_empty() || self.only.contains(name)) && !self.skip.contains(name)
        };
        let formats = self.formats.iter().flat_map(|format| format.types());
        let formats = formats.copied().collect();
        let (mut model, notes) = read(&self.snapshot, &is_bound, formats);
        if self.strict {
            let untyped: Vec<_> = notes.iter().filter(|note| note.untyped).cloned().collect();
            if !untyped.is_empty() {
                return Err(Error::Untyped(untyped));
            }
        }
        let earlier = self.snapshot.rust.clone().unwrap_or_default();
        let recorded = Some(earlier.server.as_str()).filter(|name| !name.is_empty());
        let name = self.name.as_deref().or(recorded);
        let name = name.unwrap_or(&self.snapshot.server.name);
        let names = naming::name(&mut model, name, &earlier);
        let origin = Origin {
            command: &self.command,
            file: self.file.as_deref(),
        };
        let code = Emitter::new(&model, &names, &outputs).file(&self.snapshot, &origin)?;
        let mut snapshot = self.snapshot.clone();
        snapshot.rust = Some(names);
        Ok(Generated {
            code,
            snapshot,
            notes,
        })
    }

    /// Checks that the options name tools of the server, and parses the paths of types.
    fn checked(&self) -> Result<HashMap<String, syn::Type>, Error> {
        let tools = self.snapshot.tools.iter().map(|tool| tool.text("name"));
        let tools: BTreeSet<_> = tools.collect();
        let mut named = (self.only.iter().chain(&self.skip)).chain(self.outputs.keys());
        if let Some(unknown) = named.find(|name| !tools.contains(name.as_str())) {
            return Err(Error::UnknownTool(unknown.clone()));
        }
        let outputs = self.outputs.iter().map(|(tool, path)| {
            let ty: Result<syn::Type, _> = syn::parse_str(path);
            let ty = ty.map_err(|_| Error::Path(path.clone()))?;
            Ok((tool.clone(), ty))
        });
        outputs.collect()
    }
}
