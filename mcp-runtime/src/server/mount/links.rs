//! URIs in what a mounted server answers.

use mcp_types::{
    CallToolResult, ContentBlock, GetPromptResult, ReadResourceResult, Resource, ResourceContents,
};

use super::Namespace;
use crate::server::Server;
use crate::server::resources::Contents;

/// Gives URIs of a mounted server their prefix, so that clients can read what they lead to.
#[derive(Clone, Debug)]
pub(in crate::server) struct Links {
    pub(in crate::server) namespace: Namespace,
    /// The mounted server.
    pub(in crate::server) server: Server,
}

impl Links {
    pub(in crate::server) fn resource(&self, mut resource: Resource) -> Resource {
        resource.uri = self.namespace.uri(&resource.uri);
        resource
    }

    pub(in crate::server) fn tool_result(&self, mut result: CallToolResult) -> CallToolResult {
        for block in &mut result.content {
            self.block(block);
        }
        result
    }

    pub(in crate::server) fn prompt_result(&self, mut result: GetPromptResult) -> GetPromptResult {
        for message in &mut result.messages {
            self.block(&mut message.content);
        }
        result
    }

    pub(in crate::server) fn contents(&self, contents: Contents) -> Contents {
        match contents {
            Contents::Parts(mut parts) => {
                parts.iter_mut().for_each(|part| self.part(part));
                Contents::Parts(parts)
            }
            Contents::Whole(mut whole) => {
                let ReadResourceResult { contents, .. } = &mut *whole;
                contents.iter_mut().for_each(|part| self.part(part));
                Contents::Whole(whole)
            }
            other => other,
        }
    }

    fn block(&self, block: &mut ContentBlock) {
        match block {
            ContentBlock::ResourceLink(link) if self.is_own(&link.uri) => {
                link.uri = self.namespace.uri(&link.uri);
            }
            ContentBlock::Resource(embedded) => match &embedded.resource {
                ResourceContents::Text(text) if !self.is_own(&text.uri) => {}
                ResourceContents::Blob(blob) if !self.is_own(&blob.uri) => {}
                _ => self.part(&mut embedded.resource),
            },
            _ => {}
        }
    }

    fn part(&self, part: &mut ResourceContents) {
        match part {
            ResourceContents::Text(text) => text.uri = self.namespace.uri(&text.uri),
            ResourceContents::Blob(blob) => blob.uri = self.namespace.uri(&blob.uri),
            _ => {}
        }
    }

    /// Whether the mounted server has the resource: other links lead elsewhere.
    fn is_own(&self, uri: &str) -> bool {
        self.server.router().canonical_uri(uri).is_some()
    }
}
