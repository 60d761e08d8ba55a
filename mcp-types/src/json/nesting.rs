//! What encloses a place in JSON text.

/// An array or an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Object,
}

impl Container {
    /// The one that this bracket opens.
    #[inline]
    pub(super) fn of(bracket: u8) -> Self {
        if bracket == b'{' {
            Self::Object
        } else {
            Self::Array
        }
    }

    /// The bracket that closes it.
    #[inline]
    pub(super) fn end(self) -> u8 {
        match self {
            Self::Array => b']',
            Self::Object => b'}',
        }
    }
}

/// The open containers, the innermost last; the first 64 take no allocation.
#[derive(Default)]
pub(super) struct Nesting {
    depth: usize,
    /// The kinds of the innermost ones, the lowest bit last.
    kinds: u64,
    /// The kinds of those before, 64 at a time.
    outer: Vec<u64>,
}

impl Nesting {
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    pub(super) fn innermost(&self) -> Option<Container> {
        match (self.depth, self.kinds & 1) {
            (0, _) => None,
            (_, 0) => Some(Container::Array),
            _ => Some(Container::Object),
        }
    }

    #[inline]
    pub(super) fn open(&mut self, container: Container) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.kinds);
        }
        self.kinds = self.kinds << 1 | u64::from(container == Container::Object);
        self.depth += 1;
    }

    #[inline]
    pub(super) fn close(&mut self) {
        self.kinds >>= 1;
        self.depth = self.depth.saturating_sub(1);
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.kinds = self.outer.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_close_in_reverse() {
        let kind = |index: usize| match index % 3 {
            0 => Container::Object,
            _ => Container::Array,
        };
        let mut nesting = Nesting::default();
        for index in 0..300 {
            nesting.open(kind(index));
        }
        for index in (0..300).rev() {
            assert_eq!(nesting.depth(), index + 1);
            assert_eq!(nesting.innermost(), Some(kind(index)));
            nesting.close();
        }
        assert_eq!(nesting.innermost(), None);
    }
}
