//! Stands in for generated items that are about to arrive.

use std::borrow::Cow;

use mcp_types::Revision;
use serde_json::value::RawValue;

pub(crate) trait Conform {
    fn conform(&mut self, _revision: Revision) {}
}

impl<T> Conform for T {}

#[derive(serde::Deserialize)]
pub(crate) struct CallToolRequestParamsRef<'a> {
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: Option<&'a RawValue>,
}
