//! The requests of the extension.

use mcp_runtime::Revision;
use mcp_runtime::client::ListRequest;
use mcp_runtime::types::{Conform, ListResourcesResult, RawJson, Request, Resource};
use serde::{Deserialize, Serialize};

use crate::skills::ID;
use crate::skills::types::{DIRECTORY, GET, LIST, PageParams, UriParams};

/// A page of skills. An invalid entry would otherwise hide the others, so each is read separately.
#[derive(Serialize, Deserialize)]
pub(super) struct SkillPage {
    skills: Vec<RawJson>,
    #[serde(rename = "nextCursor", default)]
    next_cursor: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct SkillResult {
    pub(super) skill: RawJson,
}

macro_rules! same_in_all_revisions {
    ($($type:ty),*) => {$(
        impl Conform for $type {
            fn conform(&mut self, _: Revision) {}
        }
    )*};
}

same_in_all_revisions!(SkillPage, SkillResult, PageParams, UriParams);

macro_rules! requests {
    ($($name:ident: $method:ident, $params:ty => $result:ty;)*) => {$(
        pub(super) enum $name {}

        impl Request for $name {
            const METHOD: &'static str = $method;
            const PARAMS_OPTIONAL: bool = false;
            const MAY_REQUIRE_INPUT: bool = false;
            const EXTENSION: Option<&'static str> = Some(ID);
            type Params = $params;
            type Result = $result;
        }
    )*};
}

requests! {
    ListSkills: LIST, PageParams => SkillPage;
    GetSkill: GET, UriParams => SkillResult;
    ReadDirectory: DIRECTORY, UriParams => ListResourcesResult;
}

impl ListRequest for ListSkills {
    type Item = RawJson;

    fn split(page: SkillPage) -> (Vec<RawJson>, Option<String>) {
        (page.skills, page.next_cursor)
    }

    fn at(_: &PageParams, cursor: String) -> PageParams {
        let cursor = Some(cursor);
        PageParams { cursor }
    }
}

impl ListRequest for ReadDirectory {
    type Item = Resource;

    fn split(page: ListResourcesResult) -> (Vec<Resource>, Option<String>) {
        (page.resources, page.next_cursor)
    }

    fn at(first: &UriParams, cursor: String) -> UriParams {
        let (uri, cursor) = (first.uri.clone(), Some(cursor));
        UriParams { uri, cursor }
    }
}
