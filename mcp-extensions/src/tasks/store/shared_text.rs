//! Shared text as JSON. The feature `rc` of serde has the same, but for all crates of a program.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_ref().serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Arc<str>, D::Error> {
    String::deserialize(deserializer).map(Arc::from)
}

/// The same, where it may be absent.
pub(super) mod optional {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    #[allow(clippy::ref_option, reason = "serde's signature")]
    pub(in crate::tasks::store) fn serialize<S: Serializer>(
        text: &Option<Arc<str>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        text.as_deref().serialize(serializer)
    }

    pub(in crate::tasks::store) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<str>>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.map(Arc::from))
    }
}
