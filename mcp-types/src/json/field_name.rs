//! Names of fields, ready to be copied.

use super::write::append_string;

/// How long a name may be, with what goes around it, to be copied as one block.
const BLOCK: usize = 32;

/// The name of a field as it goes between two members: `,"name":`.
///
/// A block of fixed size is copied by two instructions, and what is too much of it is dropped: that
/// takes a third of the time of a copy whose length is known only when it is made.
pub(crate) struct FieldName {
    name: &'static str,
    block: [u8; BLOCK],
    /// How much of the block counts; none of it if the name is too long or to be escaped.
    length: usize,
}

impl FieldName {
    /// The name is looked at when the program is compiled.
    pub(crate) const fn new(name: &'static str) -> Self {
        let (bytes, mut block) = (name.as_bytes(), [0; BLOCK]);
        let mut length = 0;
        if bytes.len() + 4 <= BLOCK && is_plain(bytes) {
            length = bytes.len() + 4;
            block[0] = b',';
            block[1] = b'"';
            let mut index = 0;
            while index < bytes.len() {
                block[index + 2] = bytes[index];
                index += 1;
            }
            block[length - 2] = b'"';
            block[length - 1] = b':';
        }
        Self {
            name,
            block,
            length,
        }
    }

    /// The bare name.
    pub(super) fn get(&self) -> &'static str {
        self.name
    }

    /// Appends the comma, the name and the colon.
    #[inline]
    pub(super) fn append(&self, out: &mut Vec<u8>) {
        if self.length == 0 {
            return append_any(out, self.name);
        }
        let end = out.len() + self.length;
        out.extend_from_slice(&self.block);
        out.truncate(end);
    }
}

/// Appends a comma, a name of any kind, and a colon.
#[inline(never)]
pub(super) fn append_any(out: &mut Vec<u8>, name: &str) {
    out.push(b',');
    append_string(out, name);
    out.push(b':');
}

const fn is_plain(bytes: &[u8]) -> bool {
    let mut index = 0;
    while index < bytes.len() {
        if matches!(bytes[index], 0..0x20 | b'"' | b'\\') {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_kind_are_written_between_members() {
        let long = "a name that is longer than most of them are";
        let longest_block = "a name of exactly 28 letters";
        for name in ["", "name", "a\"b\n", "größe", longest_block, long] {
            let mut out = b"1".to_vec();
            FieldName::new(name).append(&mut out);
            let expected = format!("1,{}:", serde_json::to_string(name).unwrap());
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }
}
