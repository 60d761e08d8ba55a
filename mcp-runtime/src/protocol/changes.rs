//! The changes that a server announces, and the part of a subscription that it accepts.

use mcp_types::{ServerCapabilities, ServerNotification, SubscriptionFilter};
use serde::{Deserialize, Serialize};

/// A change of a server's list or of one of its resources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Change {
    /// The list of tools has changed.
    Tools,
    /// The list of prompts has changed.
    Prompts,
    /// The list of resources or resource templates has changed.
    Resources,
    /// The contents of the resource with this URI have changed.
    Resource(String),
}

impl Change {
    /// Returns the change that a notification announces, if any.
    #[must_use]
    pub fn by(notification: &ServerNotification) -> Option<Self> {
        Some(match notification {
            ServerNotification::ToolListChanged(_) => Self::Tools,
            ServerNotification::PromptListChanged(_) => Self::Prompts,
            ServerNotification::ResourceListChanged(_) => Self::Resources,
            ServerNotification::ResourceUpdated(params) => Self::Resource(params.uri.clone()),
            _ => return None,
        })
    }

    pub(crate) fn lists(filter: &SubscriptionFilter) -> impl Iterator<Item = Self> + use<> {
        let lists = [
            (filter.tools_list_changed, Self::Tools),
            (filter.prompts_list_changed, Self::Prompts),
            (filter.resources_list_changed, Self::Resources),
        ];
        let named = lists.into_iter().filter(|(named, _)| *named == Some(true));
        named.map(|(_, list)| list)
    }
}

/// Restricts a filter to the lists whose changes the server announces according to its
/// capabilities.
pub(crate) fn accepted_lists(
    filter: &SubscriptionFilter,
    offered: &ServerCapabilities,
) -> SubscriptionFilter {
    let both =
        |wanted: Option<bool>, offered: Option<bool>| wanted.filter(|_| offered == Some(true));
    let tools = offered.tools.as_ref().and_then(|it| it.list_changed);
    let prompts = offered.prompts.as_ref().and_then(|it| it.list_changed);
    let resources = offered.resources.as_ref().and_then(|it| it.list_changed);
    let mut accepted = SubscriptionFilter::new();
    accepted.tools_list_changed = both(filter.tools_list_changed, tools);
    accepted.prompts_list_changed = both(filter.prompts_list_changed, prompts);
    accepted.resources_list_changed = both(filter.resources_list_changed, resources);
    accepted
}

#[cfg(test)]
mod tests {
    use mcp_types::{ServerCapabilitiesPrompts, ServerCapabilitiesTools};

    use super::*;

    #[test]
    fn lists_are_accepted_if_their_changes_are_announced() {
        let filter = SubscriptionFilter::new()
            .with_tools_list_changed(true)
            .with_prompts_list_changed(true)
            .with_resources_list_changed(false);
        let lists: Vec<_> = Change::lists(&filter).collect();
        assert_eq!(lists, [Change::Tools, Change::Prompts]);
        let tools = ServerCapabilitiesTools::new().with_list_changed(true);
        let offered = ServerCapabilities::new()
            .with_tools(tools)
            .with_prompts(ServerCapabilitiesPrompts::new());
        let lists: Vec<_> = Change::lists(&accepted_lists(&filter, &offered)).collect();
        assert_eq!(lists, [Change::Tools]);
    }
}
