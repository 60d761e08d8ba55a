//! Numbers read in a lenient way.

use serde_json::Result;

use crate::json::{Decode, Reader};

/// An integer that is 0 where a peer says that it is less.
pub(crate) struct FromZero(pub(crate) u64);

impl<'de> Decode<'de> for FromZero {
    fn decode(reader: &mut Reader<'de>) -> Result<Self> {
        reader.peek();
        let start = reader.place();
        match reader.raw()?.parse::<f64>() {
            Ok(value) if value <= 0.0 => Ok(Self(0)),
            _ => {
                reader.go(start);
                u64::decode(reader).map(Self)
            }
        }
    }
}
