//! Names to show to the user.

use crate::{Implementation, Prompt, Resource, ResourceLink, ResourceTemplate, Tool};

impl Tool {
    /// Returns the name to show to the user: `title`, else the title in `annotations`, which older
    /// revisions use, else `name`.
    ///
    /// ```
    /// use mcp_types::{RawJson, Tool, ToolAnnotations};
    ///
    /// let tool = Tool::new("rm", RawJson::empty_object());
    /// assert_eq!(tool.display_name(), "rm");
    /// let tool = tool.with_annotations(ToolAnnotations::new().with_title("Remove"));
    /// assert_eq!(tool.display_name(), "Remove");
    /// ```
    #[must_use]
    pub fn display_name(&self) -> &str {
        let annotated = self.annotations.as_ref().and_then(|it| it.title.as_deref());
        self.title.as_deref().or(annotated).unwrap_or(&self.name)
    }
}

macro_rules! display_names {
    ($($type:ident)*) => {
        $(impl $type {
            /// Returns the name to show to the user: `title`, or `name` if there is no title.
            #[must_use]
            pub fn display_name(&self) -> &str {
                self.title.as_deref().unwrap_or(&self.name)
            }
        })*
    };
}

display_names!(Implementation Prompt Resource ResourceLink ResourceTemplate);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RawJson, ToolAnnotations};

    #[test]
    fn a_title_goes_before_a_name() {
        let prompt = Prompt::new("sum");
        assert_eq!(prompt.display_name(), "sum");
        assert_eq!(prompt.with_title("Sum up").display_name(), "Sum up");
    }

    #[test]
    fn a_title_of_its_own_goes_before_one_among_the_annotations() {
        let tool = Tool::new("t", RawJson::empty_object())
            .with_annotations(ToolAnnotations::new().with_title("old"))
            .with_title("new");
        assert_eq!(tool.display_name(), "new");
    }
}
