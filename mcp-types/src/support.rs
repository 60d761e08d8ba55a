//! Names that the generated code imports.

pub(crate) mod model {
    pub(crate) use crate::{JsonObject, OneOrMany, OrderedMap, ProgressToken, RawJson, RequestId};
    pub(crate) use crate::{number, raw};
    pub(crate) use serde::{Deserialize, Serialize};
}

pub(crate) mod enums {
    pub(crate) use crate::open_enum;
    pub(crate) use serde::{Deserialize, Deserializer, Serialize, Serializer};
    pub(crate) use std::fmt;
}

pub(crate) mod unions {
    pub(crate) use crate::number;
    pub(crate) use crate::union::best_match::{self, ByBestMatch, Candidate};
    pub(crate) use crate::union::message;
    pub(crate) use crate::union::{self, ByField, ByKey, Union};
    #[allow(unused_imports, reason = "a member of a union can be of any type")]
    pub(crate) use crate::{JsonObject, OrderedMap, RawJson, RawJsonRef};
    pub(crate) use serde::{Deserialize, Deserializer, Serialize, Serializer};
}

pub(crate) mod availability {
    pub(crate) use crate::availability::{
        CapabilityInfo, FieldInfo, MethodInfo, Side, TypeInfo, VariantInfo,
    };
    pub(crate) use crate::revisions::Revisions;
}

pub(crate) mod messages {
    pub(crate) use crate::method::{Notification, Request};
}

pub(crate) mod revisions {
    pub(crate) use crate::Era;
}

pub(crate) mod conform {
    pub(crate) use crate::conform::{self as fit, Conform, Nearest};
    #[allow(
        unused_imports,
        reason = "the entries that fill fields can be of any type"
    )]
    pub(crate) use crate::{JsonObject, OrderedMap, RawJson, RequestId};
}
