//! The scenarios of skills.

use mcp_extensions::skills::{ReadSkills, SkillError};
use mcp_runtime::Client;

use crate::Outcome;

/// Lists the skills of the server, and reads none.
pub(crate) async fn list(client: &Client) -> Outcome {
    let listing = client.skills("suite")?.list().await?;
    match &listing.skills[..] {
        [] => Err(format!("no skill is listed: {:?}", listing.invalid).into()),
        _ => Ok(()),
    }
}

/// Opens the first skill, which has another `SKILL.md` than its entry says.
pub(crate) async fn open_changed(client: &Client) -> Outcome {
    let skills = client.skills("suite")?;
    let listing = skills.list().await?;
    let entry = listing.skills.first().ok_or("no skill is listed")?;
    match skills.open(entry).await {
        Err(SkillError::Changed { .. }) => Ok(()),
        Err(error) => Err(error.into()),
        // The suite sees this request, and judges that the skill was loaded.
        Ok(skill) => Ok(skill.read("references/FORMS.md").await.map(drop)?),
    }
}
