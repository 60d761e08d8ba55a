-- The tables of version 2.

-- The owner of a task is its principal after `=`, or empty.
CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    runner TEXT,
    is_final INTEGER NOT NULL,
    expires INTEGER,
    version INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    change INTEGER NOT NULL,
    record TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tasks_expires ON tasks (expires) WHERE expires IS NOT NULL;
CREATE INDEX tasks_running ON tasks (runner) WHERE is_final = 0;
CREATE INDEX tasks_change ON tasks (change);
-- The usage of the tasks of each owner, and of all owners (`*`). Triggers keep it up to date, so a
-- new task does not need to look at the stored ones.
CREATE TABLE usage (
    owner TEXT PRIMARY KEY,
    running INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER task_added AFTER INSERT ON tasks BEGIN
    INSERT INTO usage VALUES (new.owner, NOT new.is_final, new.bytes), ('*', NOT new.is_final, new.bytes)
        ON CONFLICT (owner) DO UPDATE
        SET running = running + excluded.running, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER task_changed AFTER UPDATE OF is_final, bytes ON tasks BEGIN
    UPDATE usage
        SET running = running + old.is_final - new.is_final, bytes = bytes + new.bytes - old.bytes
        WHERE owner IN (new.owner, '*');
END;
CREATE TRIGGER task_removed AFTER DELETE ON tasks BEGIN
    UPDATE usage SET running = running - (NOT old.is_final), bytes = bytes - old.bytes
        WHERE owner IN (old.owner, '*');
    DELETE FROM usage WHERE owner = old.owner AND bytes = 0;
END;
CREATE TABLE runners (id TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
-- The leases of runners, including runners that only have tasks left.
CREATE VIEW leases AS
    SELECT id, number FROM runners
    UNION ALL SELECT DISTINCT runner, NULL FROM tasks
        WHERE is_final = 0 AND runner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runners WHERE id = runner);
-- The number of the last change of a task, and the time of the store in ms.
CREATE TABLE counters (change INTEGER NOT NULL, time INTEGER NOT NULL);
INSERT INTO counters VALUES (0, 0);
PRAGMA user_version = 2;
