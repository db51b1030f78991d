import type { Database, Query } from "./database.js";

// The tables, as a list of changes. A change that was released stays as it is: the next one has the next number, which is
// its place in the list from 1.
//
//   nodes     immutable; `refs` has the type too, so that what a head reaches is found by `refs` alone. `add_nodes` alone adds
//             to them, and refuses another content under a hash that is there
//   roots     a heartbeat for each storage root that works; what it leases is its own while it is heard of. `place` is the
//             folder that it is, `worker` the process that works in it
//   threads   the heads, and the queue: a thread that is active, not leased and due is ready; `open_children` counts those
//             that it waits for
//   log       what happened, for people
//   names     what no thread reaches and gc has to keep: results that came too late

const MIGRATIONS: readonly string[] = [
  `
CREATE TABLE uwf.nodes (
  hash text PRIMARY KEY,
  type text NOT NULL,
  refs text[] NOT NULL,
  bytes bytea NOT NULL
);
CREATE TABLE uwf.roots (
  root text PRIMARY KEY,
  seen timestamptz NOT NULL,
  lease_seconds integer NOT NULL
);
CREATE TABLE uwf.threads (
  thread text PRIMARY KEY,
  workflow text NOT NULL,
  head text NOT NULL REFERENCES uwf.nodes,
  steps integer NOT NULL,
  cwd text,
  ended text,
  held jsonb,
  due timestamptz NOT NULL,
  leased_by text REFERENCES uwf.roots,
  lease bigint NOT NULL DEFAULT 0,
  changed timestamptz NOT NULL
);
CREATE INDEX threads_due ON uwf.threads (due) WHERE ended IS NULL;
CREATE INDEX threads_leased ON uwf.threads (leased_by) WHERE leased_by IS NOT NULL;
CREATE INDEX threads_head ON uwf.threads (head);
CREATE TABLE uwf.log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  thread text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  entry jsonb NOT NULL
);
CREATE INDEX log_thread ON uwf.log (thread, id);
CREATE TABLE uwf.names (
  name text PRIMARY KEY,
  hash text NOT NULL REFERENCES uwf.nodes
);
CREATE INDEX names_hash ON uwf.names (hash);
`,
  `
ALTER TABLE uwf.roots ADD COLUMN host text, ADD COLUMN folder text;
ALTER TABLE uwf.threads ADD COLUMN paused jsonb;
DROP INDEX uwf.threads_due;
CREATE INDEX threads_due ON uwf.threads (due) WHERE ended IS NULL AND paused IS NULL;
`,
  `
ALTER TABLE uwf.threads ADD COLUMN parent text, ADD COLUMN place jsonb,
  ADD COLUMN open_children integer NOT NULL DEFAULT 0;
CREATE INDEX threads_parent ON uwf.threads (parent) WHERE parent IS NOT NULL;
`,
  `
ALTER TABLE uwf.threads ADD COLUMN workspace jsonb;
`,
  // No line of the function ends with a semicolon: there `migrate` cuts. Each statement of the function sees what others have committed before it: also what `ON CONFLICT` has met a moment ago.
  `
CREATE FUNCTION uwf.add_nodes(list jsonb) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE other text; BEGIN
  INSERT INTO uwf.nodes (hash, type, refs, bytes)
  SELECT g.hash, g.type, g.refs, decode(g.bytes, 'base64')
  FROM jsonb_to_recordset(list) AS g(hash text, type text, refs text[], bytes text) ORDER BY g.hash
  ON CONFLICT DO NOTHING; SELECT n.hash INTO other
  FROM jsonb_to_recordset(list) AS g(hash text, content integer, bytes text) JOIN uwf.nodes n ON n.hash = g.hash
  WHERE substring(n.bytes FOR g.content) <> substring(decode(g.bytes, 'base64') FOR g.content)
  ORDER BY n.hash LIMIT 1; IF other IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'UWF01', MESSAGE = other; END IF; RETURN 1; END $$;
`,
  `
ALTER TABLE uwf.roots ADD COLUMN place text, ADD COLUMN worker text;
`,
];

/** Of the tables that this program uses. */
export const VERSION: number = MIGRATIONS.length;

/** Two at once wait for each other here. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtext('uwf.migrations'))";

export function migrate(database: Database): Promise<{ readonly from: number; readonly to: number }> {
  return database.transaction(async (query) => {
    await query(LOCK);
    await query("CREATE SCHEMA IF NOT EXISTS uwf");
    await query(
      "CREATE TABLE IF NOT EXISTS uwf.migrations (number integer PRIMARY KEY, at timestamptz NOT NULL)",
    );
    const from = await versionIn(query);
    for (const [index, sql] of MIGRATIONS.entries()) {
      if (index < from) continue;
      for (const statement of sql.split(";\n")) if (statement.trim() !== "") await query(statement);
      await query("INSERT INTO uwf.migrations VALUES ($1::integer, now())", [index + 1]);
    }
    return { from, to: Math.max(from, VERSION) };
  });
}

/** 0: none yet. */
export async function versionIn(query: Query): Promise<number> {
  const [row] = await query("SELECT coalesce(max(number), 0)::integer AS number FROM uwf.migrations");
  return Number(row?.number ?? 0);
}
