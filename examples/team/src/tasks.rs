//! The tasks of a team, and the tools that manage them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_runtime::prelude::*;

use crate::users::User;

#[derive(Clone, Default)]
pub(crate) struct Team(Arc<Mutex<Vec<Task>>>);

#[derive(Clone, Serialize, JsonSchema)]
pub(crate) struct Task {
    title: String,
    owner: String,
    urgency: Urgency,
    days: u8,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema, Elicit)]
#[serde(rename_all = "lowercase")]
enum Urgency {
    Low,
    High,
}

/// The form that is filled in for a new task.
#[derive(Deserialize, JsonSchema, Elicit)]
struct Plan {
    /// How urgent it is
    urgency: Urgency,
    /// The number of days the task may take
    #[schemars(range(min = 1, max = 30))]
    days: u8,
}

/// The tasks of a team.
#[mcp_server(name = "team")]
impl Team {
    /// Lists the caller's tasks, or all tasks if the caller is an admin.
    #[tool(read_only)]
    pub(crate) fn list_tasks(&self, user: &User) -> Vec<Task> {
        self.find(|it| user.is_admin || it.owner == user.name)
    }

    /// Adds a task for the caller, who is asked how urgent it is.
    #[tool(destructive = false)]
    fn add_task(
        &self,
        #[arg(length = 1..=80)] title: String,
        #[elicit("A plan for “{title}”, please.")] plan: Plan,
        user: &User,
        cx: &Context,
    ) -> Task {
        let Plan { urgency, days } = plan;
        let owner = user.name.to_owned();
        let task = Task {
            title,
            owner,
            urgency,
            days,
        };
        self.tasks().push(task.clone());
        cx.notify_resource_updated(Self::board_uri(user.name));
        task
    }

    /// Removes all tasks with a title, regardless of the owner.
    #[tool(visible = Self::is_admin)]
    fn remove_tasks(
        &self,
        title: String,
        #[elicit("Remove “{title}” for everybody?")] agreed: bool,
        cx: &Context,
    ) -> Result<Structured<Vec<Task>>, ToolError> {
        if !agreed {
            return Err(ToolError::new("the user wants to keep them"));
        }
        let removed: Vec<_> = self
            .tasks()
            .extract_if(.., |it| it.title == title)
            .collect();
        for task in &removed {
            cx.notify_resource_updated(Self::board_uri(&task.owner));
        }
        let text = format!("{} removed", removed.len());
        Ok(Structured::new(removed).with_text(text))
    }

    /// The tasks of one member. Members read their own tasks, admins read everyone's.
    #[resource("team://tasks/{owner}", mime = "application/json", subscribe)]
    fn board(&self, owner: String, user: &User) -> Result<Json<Vec<Task>>, NotFound> {
        if user.name != owner && !user.is_admin {
            return Err(NotFound);
        }
        Ok(Json(self.find(|it| it.owner == owner)))
    }

    fn is_admin(&self, cx: &Context) -> bool {
        cx.identity::<User>().is_some_and(|it| it.is_admin)
    }

    fn find(&self, fits: impl Fn(&&Task) -> bool) -> Vec<Task> {
        self.tasks().iter().filter(fits).cloned().collect()
    }

    fn tasks(&self) -> MutexGuard<'_, Vec<Task>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
