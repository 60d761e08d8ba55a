//! Reads the front matter of a `SKILL.md` (ext-skills, "Frontmatter").
