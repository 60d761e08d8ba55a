//! The revision that made each entry of `schema/overlay.toml` necessary. Entries that are not listed here
//! belong to the first three revisions.

/// How the need for an entry becomes known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// `cargo xtask codegen` asks for it.
    Asked,
    /// The entry replaces a default name.
    Taste,
    /// Only the specification or its TypeScript source shows the need for the entry.
    Prose,
}

use Source::{Asked, Prose, Taste};

/// An entry: revision, source, kind and place.
pub(crate) type Later = (&'static str, Source, &'static str, &'static str);

pub(crate) const NOVEMBER: &str = "2025-11-25";
pub(crate) const JULY: &str = "2026-07-28";

/// Entries that the first three revisions do not need.
pub(crate) const LATER: &[Later] = &[
    (NOVEMBER, Taste, "first", "id"),
    (NOVEMBER, Asked, "first", "taskId"),
    (NOVEMBER, Asked, "first", "createdAt"),
    (NOVEMBER, Asked, "first", "lastUpdatedAt"),
    (NOVEMBER, Asked, "order", "EnumOption"),
    (NOVEMBER, Taste, "field", "const"),
    (NOVEMBER, Taste, "acronyms", "URL"),
    (NOVEMBER, Asked, "rename", "EnumSchema"),
    (
        NOVEMBER,
        Taste,
        "name",
        "ElicitRequestFormParams.requestedSchema",
    ),
    (
        NOVEMBER,
        Taste,
        "name",
        "TitledSingleSelectEnumSchema.oneOf[]",
    ),
    (
        NOVEMBER,
        Taste,
        "name",
        "TitledMultiSelectEnumSchemaItems.anyOf[]",
    ),
    (
        NOVEMBER,
        Prose,
        "repair",
        "/ElicitResult/properties/content/additionalProperties/anyOf/1",
    ),
    (NOVEMBER, Taste, "raw", "ToolUseContent.input"),
    (NOVEMBER, Asked, "keep", "RelatedTaskMetadata"),
    (NOVEMBER, Asked, "keep", "CreateTaskResult"),
    (NOVEMBER, Asked, "drop", "Icons"),
    (NOVEMBER, Asked, "drop", "ResourceRequestParams"),
    (NOVEMBER, Asked, "drop", "TaskAugmentedRequestParams"),
    (
        NOVEMBER,
        Prose,
        "meta_key",
        "io.modelcontextprotocol/related-task",
    ),
    (
        NOVEMBER,
        Asked,
        "fill",
        "CancelledNotificationParams.requestId",
    ),
    (
        NOVEMBER,
        Asked,
        "capability",
        "notifications/elicitation/complete client",
    ),
    (NOVEMBER, Asked, "capability", "tasks/get client"),
    (NOVEMBER, Asked, "capability", "tasks/get server"),
    (NOVEMBER, Asked, "capability", "tasks/result client"),
    (NOVEMBER, Asked, "capability", "tasks/result server"),
    (NOVEMBER, Asked, "capability", "tasks/list client"),
    (NOVEMBER, Asked, "capability", "tasks/list server"),
    (NOVEMBER, Asked, "capability", "tasks/cancel client"),
    (NOVEMBER, Asked, "capability", "tasks/cancel server"),
    (NOVEMBER, Asked, "capability", "notifications/tasks/status"),
    (NOVEMBER, Asked, "nearest", "ElicitRequestParams"),
    (NOVEMBER, Asked, "nearest", "SamplingMessageContentBlock"),
    (NOVEMBER, Asked, "nearest", "TaskStatus"),
    (NOVEMBER, Asked, "nearest", "ElicitRequestFormParamsMode"),
    (NOVEMBER, Asked, "nearest", "IconTheme"),
    (NOVEMBER, Asked, "nearest", "ToolChoiceMode"),
    (NOVEMBER, Asked, "nearest", "ToolExecutionTaskSupport"),
    (
        NOVEMBER,
        Prose,
        "deprecated",
        "`thisServer` and `allServers`",
    ),
    (JULY, Taste, "acronyms", "JSON"),
    (JULY, Taste, "name", "*.cacheScope"),
    (JULY, Prose, "repair", "/RequestMetaObject"),
    (JULY, Prose, "repair", "/NotificationMetaObject"),
    (JULY, Prose, "repair", "/ResultMetaObject"),
    (
        JULY,
        Prose,
        "repair",
        "/SubscriptionsListenResultMetaObject",
    ),
    (JULY, Prose, "repair", "/JSONValue"),
    (JULY, Prose, "repair", "/SubscriptionFilter"),
    (JULY, Asked, "support", "JsonValue"),
    (JULY, Asked, "support", "JsonObject"),
    (JULY, Asked, "drop", "CacheableResult"),
    (JULY, Asked, "drop", "InputResponseRequestParams"),
    (JULY, Asked, "support", "ParseError"),
    (JULY, Asked, "support", "InvalidRequestError"),
    (JULY, Asked, "support", "MethodNotFoundError"),
    (JULY, Asked, "support", "InvalidParamsError"),
    (JULY, Asked, "support", "InternalError"),
    (JULY, Prose, "values", "*.resultType"),
    (JULY, Asked, "fill", "*.resultType"),
    (JULY, Asked, "fill", "InputRequiredResult.resultType"),
    (JULY, Asked, "fill", "*.cacheScope"),
    (JULY, Asked, "fill", "*.ttlMs"),
    (
        JULY,
        Asked,
        "fill",
        "RequestMetaObject.io.modelcontextprotocol/protocolVersion",
    ),
    (JULY, Asked, "fill", "ElicitRequestUrlParams.elicitationId"),
    (JULY, Prose, "from_zero", "*.ttlMs"),
    (JULY, Asked, "nearest", "CacheScope"),
    (JULY, Asked, "nearest", "InputRequest"),
    (JULY, Asked, "nearest", "InputResponse"),
    (JULY, Asked, "capability", "server/discover"),
    (JULY, Asked, "capability", "subscriptions/listen"),
    (
        JULY,
        Asked,
        "capability",
        "notifications/subscriptions/acknowledged",
    ),
    (JULY, Prose, "meta_key", "traceparent"),
    (JULY, Prose, "meta_key", "tracestate"),
    (JULY, Prose, "meta_key", "baggage"),
    (JULY, Prose, "deprecated", "roots"),
    (JULY, Prose, "deprecated", "sampling"),
    (JULY, Prose, "deprecated", "logging to clients"),
];

/// The entries in `overlay.toml` of this folder: the revision that made the entry necessary (empty for
/// the first three), the revision that replaces it, kind and place.
pub(crate) const REPLACED: &[(&str, &str, &str, &str)] = &[
    ("", NOVEMBER, "name", "ElicitRequestParams.requestedSchema"),
    ("", NOVEMBER, "nearest", "SamplingMessageContent"),
    ("", NOVEMBER, "nearest", "CreateMessageResultContent"),
    (NOVEMBER, JULY, "order", "ElicitRequestUrlParams"),
];
