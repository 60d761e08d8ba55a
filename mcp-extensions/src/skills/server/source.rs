//! The source of a server's skills.

use std::collections::BTreeMap;

use mcp_runtime::{BoxFuture, Context, ProtocolError};

use super::published::PublishedSkill;

/// A source of skills that depend on the caller, or that are generated.
///
/// The source is asked for each request, so it should answer from memory. A skill that it does not
/// return to a caller does not exist for that caller. To make a [`PublishedSkill`], call
/// [`Skill::publish`](super::Skill::publish) once, and keep it: its clones are cheap.
///
/// ```
/// use mcp_extensions::skills::{PublishedSkill, Skill, SkillSource, Skills};
/// use mcp_runtime::{BoxFuture, Context, ProtocolError};
///
/// /// Shows the skill `audit` to auditors only.
/// struct Store {
///     audit: PublishedSkill,
/// }
///
/// impl SkillSource for Store {
///     fn list(&self, cx: &Context) -> BoxFuture<Result<Vec<PublishedSkill>, ProtocolError>> {
///         let is_auditor = cx.principal() == Some("auditor");
///         let skills = is_auditor.then(|| self.audit.clone());
///         Box::pin(async move { Ok(skills.into_iter().collect()) })
///     }
/// }
///
/// let audit = Skill::new("audit", "Audit the books.").publish()?;
/// let skills = Skills::source(Store { audit });
/// # drop(skills);
/// # Ok::<(), mcp_extensions::skills::LoadError>(())
/// ```
pub trait SkillSource: Send + Sync + 'static {
    /// Returns the skills to list for the caller of `cx`. The order is irrelevant.
    ///
    /// # Errors
    ///
    /// The error answers the request.
    fn list(&self, cx: &Context) -> BoxFuture<Result<Vec<PublishedSkill>, ProtocolError>>;

    /// Returns the skill at `path`, such as `acme/billing/refunds`, if the caller of `cx` may read
    /// it. By default, it is looked up in [`list`](Self::list). Implement it for skills that are not
    /// listed.
    ///
    /// A request for a file asks for each folder that the file is in, from the innermost.
    ///
    /// # Errors
    ///
    /// The error answers the request.
    fn get(
        &self,
        path: &str,
        cx: &Context,
    ) -> BoxFuture<Result<Option<PublishedSkill>, ProtocolError>> {
        let listed = self.list(cx);
        let path = path.to_owned();
        Box::pin(async move {
            let mut skills = listed.await?.into_iter();
            Ok(skills.find(|skill| skill.path() == path))
        })
    }
}

/// Skills in memory, by path. Every request is answered from one snapshot.
pub(super) type Snapshot = BTreeMap<String, PublishedSkill>;

pub(super) fn snapshot(skills: Vec<PublishedSkill>) -> Snapshot {
    for warning in skills.iter().flat_map(|skill| &skill.warnings) {
        tracing::warn!(%warning, "a host reads this skill differently");
    }
    let skills = skills.into_iter();
    skills.map(|skill| (skill.path.clone(), skill)).collect()
}
