//! The options of the command line.

use std::net::SocketAddr;

#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The number of tools in addition to the three that are called.
    pub(crate) tools: usize,
    /// The number of layers that do nothing.
    pub(crate) layers: usize,
    /// The address to serve HTTP on, instead of standard input and output.
    pub(crate) http: Option<SocketAddr>,
}

impl Options {
    pub(crate) fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(name) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            let unfit = || format!("`{name} {value}`: use [--tools N] [--layers N] [--http ADDR]");
            match name.as_str() {
                "--tools" => options.tools = value.parse().map_err(|_| unfit())?,
                "--layers" => options.layers = value.parse().map_err(|_| unfit())?,
                "--http" => options.http = Some(value.parse().map_err(|_| unfit())?),
                _ => return Err(unfit()),
            }
        }
        Ok(options)
    }
}
