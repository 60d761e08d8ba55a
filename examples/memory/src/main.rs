//! The official memory server, with SQLite as its storage:
//! `MEMORY_FILE_PATH=memory.db cargo run -p mcp-example-memory`

use anyhow::{Context as _, Result};
use mcp_runtime::prelude::*;
use rusqlite::Connection;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Entity {
    /// The name of the entity
    name: String,
    /// The type of the entity
    entity_type: String,
    /// An array of observation contents associated with the entity
    observations: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Relation {
    /// The name of the entity where the relation starts
    from: String,
    /// The name of the entity where the relation ends
    to: String,
    /// The type of the relation
    relation_type: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Addition {
    /// The name of the entity to add the observations to
    entity_name: String,
    /// An array of observation contents to add
    contents: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    /// The name of the entity containing the observations
    entity_name: String,
    /// An array of observations to delete
    observations: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Added {
    entity_name: String,
    added_observations: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Entities {
    entities: Vec<Entity>,
}

#[derive(Serialize, JsonSchema)]
struct Relations {
    relations: Vec<Relation>,
}

#[derive(Serialize, JsonSchema)]
struct Additions {
    results: Vec<Added>,
}

#[derive(Serialize, JsonSchema)]
struct Deleted {
    success: bool,
    message: String,
}

#[derive(Serialize, JsonSchema)]
struct Graph {
    entities: Vec<Entity>,
    relations: Vec<Relation>,
}

struct Memory;

#[mcp_server(name = "memory-server")]
impl Memory {
    /// Create multiple new entities in the knowledge graph
    #[tool(title = "Create Entities", destructive = false, open_world = false)]
    fn create_entities(entities: Vec<Entity>) -> Result<Entities> {
        let entities = run(ADD, entities)?;
        Ok(Entities { entities })
    }

    /// Create multiple new relations between entities in the knowledge graph. Relations should be in active voice
    #[tool(title = "Create Relations", destructive = false, open_world = false)]
    fn create_relations(relations: Vec<Relation>) -> Result<Relations> {
        let relations = run(ADD, relations)?;
        Ok(Relations { relations })
    }

    /// Add new observations to existing entities in the knowledge graph
    #[tool(title = "Add Observations", destructive = false, open_world = false)]
    fn add_observations(observations: Vec<Addition>) -> Result<Additions> {
        let mut graph = load()?;
        let mut results = Vec::new();
        for mut it in observations {
            let entity = entity(&mut graph, &it.entity_name)?;
            it.contents.retain(|it| !entity.observations.contains(it));
            entity.observations.extend_from_slice(&it.contents);
            results.push(Added {
                entity_name: it.entity_name,
                added_observations: it.contents,
            });
        }
        run::<()>(SAVE, graph.entities)?;
        Ok(Additions { results })
    }

    /// Delete multiple entities and their associated relations from the knowledge graph
    #[tool(title = "Delete Entities", idempotent, open_world = false)]
    fn delete_entities(
        /// An array of entity names to delete
        #[arg(rename = "entityNames")]
        names: Vec<String>,
    ) -> Result<Deleted> {
        let sql = "DELETE FROM graph WHERE EXISTS (
            SELECT 1 FROM json_each(?1) WHERE value IN (name, item->>'from', item->>'to'))";
        run::<()>(sql, names)?;
        deleted("Entities")
    }

    /// Delete specific observations from entities in the knowledge graph
    #[tool(title = "Delete Observations", idempotent, open_world = false)]
    fn delete_observations(deletions: Vec<Deletion>) -> Result<Deleted> {
        let mut graph = load()?;
        for it in deletions {
            if let Ok(entity) = entity(&mut graph, &it.entity_name) {
                let gone = |old: &String| it.observations.contains(old);
                entity.observations.retain(|old| !gone(old));
            }
        }
        run::<()>(SAVE, graph.entities)?;
        deleted("Observations")
    }

    /// Delete multiple relations from the knowledge graph
    #[tool(title = "Delete Relations", idempotent, open_world = false)]
    fn delete_relations(
        /// An array of relations to delete
        relations: Vec<Relation>,
    ) -> Result<Deleted> {
        let sql = "DELETE FROM graph WHERE item IN (SELECT value FROM json_each(?1))";
        run::<()>(sql, relations)?;
        deleted("Relations")
    }

    /// Read the entire knowledge graph
    #[tool(title = "Read Graph", read_only, open_world = false)]
    fn read_graph() -> Result<Graph> {
        load()
    }

    /// Search for nodes in the knowledge graph based on a query
    #[tool(title = "Search Nodes", read_only, open_world = false)]
    fn search_nodes(
        /// The search query to match against entity names, types, and observation content
        query: String,
    ) -> Result<Graph> {
        let query = query.to_lowercase();
        find(|it| {
            let mut texts = it.observations.iter().chain([&it.name, &it.entity_type]);
            texts.any(|text| text.to_lowercase().contains(&query))
        })
    }

    /// Open specific nodes in the knowledge graph by their names
    #[tool(title = "Open Nodes", read_only, open_world = false)]
    fn open_nodes(
        /// An array of entity names to retrieve
        names: Vec<String>,
    ) -> Result<Graph> {
        find(|it| names.contains(&it.name))
    }
}

/// Stores both entities and relations. Only entities have a name.
const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS graph (item UNIQUE, name AS (item->>'name') UNIQUE)";
const ADD: &str = "INSERT OR IGNORE INTO graph SELECT value FROM json_each(?1) RETURNING item";
const SAVE: &str = "REPLACE INTO graph SELECT value FROM json_each(?1)";

/// Runs a statement that takes one JSON parameter and returns rows of JSON.
fn run<T: for<'a> Deserialize<'a>>(sql: &str, json: impl Serialize) -> Result<Vec<T>> {
    let path = std::env::var("MEMORY_FILE_PATH").unwrap_or("memory.db".into());
    let db = Connection::open(path)?;
    db.execute_batch(TABLE)?;
    let mut statement = db.prepare(sql)?;
    let json = serde_json::to_string(&json)?;
    let rows = statement.query_map([json], |row| row.get::<_, String>(0))?;
    rows.map(|row| Ok(serde_json::from_str(&row?)?)).collect()
}

fn load() -> Result<Graph> {
    let sql = "SELECT item FROM graph WHERE (name IS NULL) = ?1->>'$'";
    let entities = run(sql, false)?;
    let relations = run(sql, true)?;
    Ok(Graph {
        entities,
        relations,
    })
}

/// Returns the entities that fit, and the relations that begin or end at one of them.
fn find(fits: impl Fn(&Entity) -> bool) -> Result<Graph> {
    let mut graph = load()?;
    graph.entities.retain(fits);
    let has = |name: &str| graph.entities.iter().any(|it| it.name == name);
    graph.relations.retain(|it| has(&it.from) || has(&it.to));
    Ok(graph)
}

fn entity<'a>(graph: &'a mut Graph, name: &str) -> Result<&'a mut Entity> {
    let found = graph.entities.iter_mut().find(|it| it.name == name);
    found.with_context(|| format!("Entity with name {name} not found"))
}

fn deleted(what: &str) -> Result<Deleted> {
    let message = format!("{what} deleted successfully");
    Ok(Deleted {
        success: true,
        message,
    })
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Memory.serve(stdio()).await
}
