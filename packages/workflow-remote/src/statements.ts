// The statements of a remote. Each is one round trip, and a transaction by itself.

/** As `asThread` reads it; `t` is the thread. */
const THREAD = `t.thread, t.workflow, t.head, t.steps, t.cwd, t.workspace, t.ended, t.held, t.paused, t.leased_by, t.parent, t.place,
  extract(epoch FROM t.changed) * 1000 AS changed, t.lease`;

/**
 * Nobody has heard of the root for its lease time, and the database was there to hear it. Only the database's clock is asked.
 */
const IS_LOST =
  "greatest(r.seen, pg_postmaster_start_time()) < now() - make_interval(secs => r.lease_seconds)";

/** The names of a root, as JSON. */
const rootOf = (id: string): string =>
  `(SELECT jsonb_build_object('root', r.root, 'host', r.host, 'folder', r.folder) FROM uwf.roots r WHERE r.root = ${id})`;

/** The root that a thread is leased to. */
const WORKER = `${rootOf("t.leased_by")} AS worker`;

const HAS_CHILDREN = "EXISTS (SELECT FROM uwf.threads c WHERE c.parent = t.thread) AS has_children";

/** $1 and all below it. */
const TREE = `
tree(thread) AS (
  SELECT $1::text UNION SELECT c.thread FROM tree JOIN uwf.threads c ON c.parent = tree.thread
)`;

/**
 * For each thread of a CTE that has just ended: its parent waits for one less, and is ready when that was the last. A count,
 * not a look at the others: of two that end at once, neither would see the other's end.
 */
const endedOf = (cte: string): string => `
  UPDATE uwf.threads p SET open_children = p.open_children - 1,
    held = CASE WHEN p.open_children > 1 OR p.held ->> 'for' <> 'threads' THEN p.held END,
    due = CASE WHEN p.open_children > 1 OR p.held ->> 'for' <> 'threads' THEN p.due ELSE clock_timestamp() END
  FROM ${cte} WHERE ${cte}.parent = p.thread AND p.ended IS NULL`;

/**
 * $1: JSON, a list of {hash, type, refs, bytes in base64, content: how many of the bytes are not the time}. What is there stays;
 * with another content under its hash the whole statement is refused.
 */
const ADD_NODES = "uwf.add_nodes($1::jsonb)";

/**
 * $2: JSON, a list of threads, each with `place` if another one has started it. A thread waits for those of its own that are
 * going; one that was there alone is from now on below its parent. $3: the thread that was asked for.
 */
export const ADD = `
WITH given AS (
  SELECT one.* FROM ${ADD_NODES}, jsonb_to_recordset($2::jsonb) AS one(thread text, workflow text, head text, steps integer, cwd text,
    workspace jsonb, ended text, place jsonb)
),
counted AS (
  SELECT given.*, (
    SELECT count(*) FROM given c LEFT JOIN uwf.threads t ON t.thread = c.thread
    WHERE c.place ->> 'parent' = given.thread AND coalesce(t.ended, c.ended) IS NULL AND t.parent IS NULL
  ) AS going FROM given
),
added AS (
  INSERT INTO uwf.threads AS t (thread, workflow, head, steps, cwd, workspace, ended, due, changed, parent, place,
    open_children)
  SELECT thread, workflow, head, steps, cwd, workspace, ended, now(), now(), place ->> 'parent', place, going FROM counted
  ON CONFLICT (thread) DO UPDATE SET parent = EXCLUDED.parent, place = EXCLUDED.place
    WHERE t.parent IS NULL AND EXCLUDED.parent IS NOT NULL
  RETURNING thread, head, steps, xmax = 0 AS is_new
),
logged AS (
  INSERT INTO uwf.log (thread, entry)
  SELECT thread, jsonb_build_object('event', 'submitted', 'head', head, 'steps', steps) FROM added WHERE is_new
)
SELECT count(*)::integer AS added FROM added WHERE thread = $3::text`;

/** The threads that a text may mean: a whole id, its beginning or its end. */
export const FIND = `
SELECT ${THREAD}, ${WORKER} FROM uwf.threads t
WHERE t.thread = $1::text OR t.thread LIKE $1::text || '%' OR t.thread LIKE '%' || $1::text
ORDER BY t.thread LIMIT 10`;

export const ACTIVE = `
SELECT thread FROM uwf.threads
WHERE ended IS NULL AND thread = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb)))`;

export const LIST = `
SELECT * FROM (
  SELECT ${THREAD}, ${WORKER} FROM uwf.threads t
  WHERE ($1::boolean OR t.ended IS NULL) AND (NOT $2::boolean OR t.held IS NOT NULL OR t.paused IS NOT NULL)
    AND ($3::text IS NULL OR t.workflow = $3::text)
  ORDER BY t.thread DESC LIMIT $4::bigint
) AS newest ORDER BY thread`;

/** $1: a root, $2: JSON, a list of {thread, head} as it has them. Those of others that have ended, or whose head there nobody has pushed. */
export const ASTRAY = `
SELECT ${THREAD} FROM jsonb_to_recordset($2::jsonb) AS here(thread text, head text)
JOIN uwf.threads t ON t.thread = here.thread
WHERE t.leased_by IS DISTINCT FROM $1::text
  AND (t.ended IS NOT NULL OR NOT EXISTS (SELECT FROM uwf.nodes n WHERE n.hash = here.head))`;

export const LOG = `
SELECT * FROM (
  SELECT id, thread, extract(epoch FROM at) * 1000 AS at, entry FROM uwf.log
  WHERE ($1::text IS NULL OR thread = ANY (ARRAY(SELECT jsonb_array_elements_text($1::jsonb))))
    AND ($2::float8 IS NULL OR at >= to_timestamp($2::float8 / 1000))
  ORDER BY id DESC LIMIT $3::bigint
) AS newest ORDER BY id`;

/** The root $1 as JSON, with how long it was silent, if another worker has its name; \`worker\`: ours. */
const otherThan = (worker: string): string => `
  (SELECT jsonb_build_object('root', r.root, 'host', r.host, 'folder', r.folder, 'place', r.place,
    'silence', extract(epoch FROM now() - r.seen), 'wait', extract(epoch FROM r.seen - now()) + r.lease_seconds)
  FROM uwf.roots r WHERE r.root = $1::text AND r.worker <> ${worker})`;

/**
 * A name that nobody has, or that this worker, an earlier one in the same folder, or a lost one has. Copies of one root whose
 * numbers are the same, as those of cloned machines, come with one name: the second one does not get it.
 */
export const ANNOUNCE = `
WITH ours AS (
  INSERT INTO uwf.roots AS r (root, seen, lease_seconds, host, folder, place, worker)
  VALUES ($1::text, now(), $2::integer, $3::text, $4::text, $5::text, $6::text)
  ON CONFLICT (root) DO UPDATE SET seen = now(), lease_seconds = $2::integer, host = $3::text, folder = $4::text,
    place = $5::text, worker = $6::text
    WHERE r.worker IS NULL OR r.worker = $6::text OR r.place = $5::text OR ${IS_LOST}
  RETURNING 1
)
SELECT EXISTS (SELECT FROM ours) AS ours, ${otherThan("$6::text")} AS other`;

export const HEARTBEAT = `
WITH beat AS (UPDATE uwf.roots SET seen = now() WHERE root = $1::text AND worker = $2::text)
SELECT t.thread, t.lease, ${otherThan("$2::text")} AS other
FROM (VALUES (1)) AS once LEFT JOIN uwf.threads t ON t.leased_by = $1::text`;

/** What it has stays its own; the next worker of the root does not have to wait for it. */
export const LEAVE = `
WITH gone AS (
  DELETE FROM uwf.roots r WHERE r.root = $1::text AND r.worker = $2::text
    AND NOT EXISTS (SELECT FROM uwf.threads t WHERE t.leased_by = r.root)
  RETURNING 1
)
UPDATE uwf.roots SET worker = NULL WHERE root = $1::text AND worker = $2::text AND NOT EXISTS (SELECT FROM gone)`;

/** Whoever has lost the name of its root leases nothing under it. */
const isOurs = (root: string, worker: string): string =>
  `EXISTS (SELECT FROM uwf.roots WHERE root = ${root} AND worker = ${worker})`;

/** The last exact one for a row of strangers: beyond the last number of all the statement would fail, for any thread. */
const NEXT_LEASE = `least(t.lease, ${Number.MAX_SAFE_INTEGER - 1}) + 1`;

/**
 * One thread that nobody has, or this root from before it died, whatever its workflow, or a root that is lost. `lease` goes
 * up: whoever had it can no longer push. A heartbeat too.
 */
export const LEASE_NEXT = `
WITH beat AS (UPDATE uwf.roots SET seen = now() WHERE root = $1::text AND worker = $4::text),
chosen AS (
  SELECT t.thread, t.leased_by AS before FROM uwf.threads t LEFT JOIN uwf.roots r ON r.root = t.leased_by
  WHERE t.ended IS NULL AND t.paused IS NULL AND t.due <= now() AND ${isOurs("$1::text", "$4::text")}
    AND ($3::text IS NULL OR t.workflow = $3::text OR t.leased_by = $1::text)
    AND NOT (t.thread = ANY (ARRAY(SELECT jsonb_array_elements_text($2::jsonb))))
    AND (t.leased_by IS NULL OR t.leased_by = $1::text OR ${IS_LOST})
  ORDER BY t.due LIMIT 1
  FOR UPDATE OF t SKIP LOCKED
),
taken AS (
  UPDATE uwf.threads t SET leased_by = $1::text, lease = ${NEXT_LEASE}, changed = now()
  FROM chosen WHERE t.thread = chosen.thread
  RETURNING ${THREAD}, ${HAS_CHILDREN}, ${rootOf("nullif(chosen.before, $1::text)")} AS lost
),
logged AS (
  INSERT INTO uwf.log (thread, entry)
  SELECT thread, lost || jsonb_build_object('event', 'lost', 'head', head, 'by', ${rootOf("$1::text")}) FROM taken
  WHERE lost IS NOT NULL
)
SELECT * FROM taken`;

/** The same for a thread that is named, held or not. */
export const LEASE_THREAD = `
UPDATE uwf.threads t SET leased_by = $2::text, lease = ${NEXT_LEASE}, changed = now()
WHERE t.thread = $1::text AND t.ended IS NULL AND ${isOurs("$2::text", "$3::text")} AND (
  t.leased_by IS NULL OR t.leased_by = $2::text OR EXISTS (SELECT FROM uwf.roots r WHERE r.root = t.leased_by AND ${IS_LOST})
)
RETURNING ${THREAD}, ${HAS_CHILDREN}, NULL AS lost`;

/**
 * $2: JSON, hashes that end the search. A node that is referred to and not there has no bytes. `OFFSET 0` keeps the planner,
 * which cannot guess how many nodes are reached, from reading the whole table.
 */
export const FETCH = `
WITH RECURSIVE known AS (SELECT jsonb_array_elements_text($2::jsonb) AS hash),
reached(hash) AS (
  SELECT $1::text WHERE $1::text NOT IN (SELECT hash FROM known)
  UNION
  SELECT ref FROM reached
  CROSS JOIN LATERAL (SELECT refs FROM uwf.nodes WHERE nodes.hash = reached.hash OFFSET 0) AS n
  CROSS JOIN LATERAL unnest(n.refs) AS ref
  WHERE ref NOT IN (SELECT hash FROM known)
)
SELECT reached.hash, n.type, array_to_json(n.refs)::text AS refs, encode(n.bytes, 'base64') AS bytes
FROM reached
LEFT JOIN LATERAL (SELECT type, refs, bytes FROM uwf.nodes WHERE nodes.hash = reached.hash OFFSET 0) AS n ON true`;

/**
 * Nodes, head, what comes next and the log, or nothing of it. The head moves only from where the step began, and only for
 * the holder of the lease. If it does not move, the nodes stay under a name: the step was paid for.
 */
export const PUSH = `
WITH moved AS (
  UPDATE uwf.threads SET head = $5::text, steps = $6::integer, ended = $7::text, leased_by = NULL, held = NULL,
    due = clock_timestamp(), changed = now(),
    workspace = CASE WHEN $9::text IS NULL THEN workspace ELSE workspace || jsonb_build_object('commit', $9::text) END
  WHERE thread = $2::text AND head = $3::text AND lease = $4::bigint AND ended IS NULL
  RETURNING thread, parent, ended
),
done AS (SELECT parent FROM moved WHERE ended IS NOT NULL),
above AS (${endedOf("done")}),
refused AS (
  INSERT INTO uwf.names SELECT 'refused/' || $2::text || '/' || $5::text, $5::text
  WHERE NOT EXISTS (SELECT FROM moved)
    AND NOT EXISTS (SELECT FROM uwf.threads WHERE thread = $2::text AND head = $5::text)
  ON CONFLICT DO NOTHING
  RETURNING hash
),
logged AS (
  INSERT INTO uwf.log (thread, entry)
  SELECT $2::text, $8::jsonb || CASE WHEN EXISTS (SELECT FROM refused) THEN '{"event": "refused"}'::jsonb ELSE '{}'::jsonb END
  WHERE EXISTS (SELECT FROM moved) OR EXISTS (SELECT FROM refused)
)
SELECT ${ADD_NODES}, EXISTS (SELECT FROM moved) AS moved, (SELECT head FROM uwf.threads WHERE thread = $2::text) AS head`;

/** Meanwhile the last child of one that waited for its children may have ended: then it is ready. */
const IS_JOINED = "$3::jsonb ->> 'for' = 'threads' AND $4::float8 IS NULL AND open_children <= 0";

/** What nobody has to change is due: a thread that is neither held nor ever due would never be leased. */
export const RELEASE = `
WITH before AS (SELECT held FROM uwf.threads WHERE thread = $1::text),
released AS (
  UPDATE uwf.threads SET changed = now(),
    held = CASE WHEN ${IS_JOINED} THEN NULL ELSE $3::jsonb END,
    due = CASE WHEN $4::float8 IS NULL AND $3::jsonb IS NOT NULL AND NOT (${IS_JOINED}) THEN 'infinity'
      ELSE now() + make_interval(secs => coalesce($4::float8, 0)) END,
    leased_by = CASE WHEN $5::boolean THEN leased_by END
  WHERE thread = $1::text AND lease = $2::bigint AND ended IS NULL AND leased_by IS NOT NULL
  RETURNING thread
),
logged AS (
  INSERT INTO uwf.log (thread, entry) SELECT thread, $6::jsonb FROM released, before
  -- What is looked at every half a minute is told once.
  WHERE $6::jsonb IS NOT NULL AND ($6::jsonb -> 'runs' <> '[]' OR before.held IS DISTINCT FROM $3::jsonb)
)
SELECT count(*)::integer AS released FROM released`;

/** In one transaction: ours is looked at under its lock, and the count of its children is raised by those that are new. */
export const WAIT = {
  lock: `
SELECT paused FROM uwf.threads
WHERE thread = $1::text AND lease = $2::bigint AND ended IS NULL AND leased_by IS NOT NULL FOR UPDATE`,
  add: `
WITH added AS (
  INSERT INTO uwf.threads (thread, workflow, head, steps, cwd, workspace, due, changed, paused, parent, place)
  SELECT thread, workflow, head, steps, cwd, workspace, now(), now(), $3::jsonb, place ->> 'parent', place
  FROM ${ADD_NODES}, jsonb_to_recordset($2::jsonb)
    AS given(thread text, workflow text, head text, steps integer, cwd text, workspace jsonb, place jsonb)
  ON CONFLICT DO NOTHING RETURNING thread, head, steps
),
logged AS (
  INSERT INTO uwf.log (thread, entry)
  SELECT thread, jsonb_build_object('event', 'submitted', 'head', head, 'steps', steps) FROM added
)
SELECT count(*)::integer AS added FROM added`,
  hold: `
WITH waits AS (
  UPDATE uwf.threads SET open_children = open_children + $2::integer, leased_by = NULL, changed = now(),
    held = CASE WHEN open_children + $2::integer > 0 THEN $3::jsonb END,
    due = CASE WHEN open_children + $2::integer > 0 THEN 'infinity' ELSE now() END
  WHERE thread = $1::text RETURNING thread
)
INSERT INTO uwf.log (thread, entry) SELECT thread, $4::jsonb FROM waits`,
} as const;

/** The lines of those above, and of itself; nearest first. */
export const ABOVE = `
WITH RECURSIVE up AS (
  SELECT parent, place, 0 AS distance FROM uwf.threads WHERE thread = $1::text
  UNION ALL
  SELECT t.parent, t.place, up.distance + 1 FROM up JOIN uwf.threads t ON t.thread = up.parent WHERE up.distance < 100
)
SELECT place FROM up WHERE place IS NOT NULL ORDER BY distance`;

export const BELOW = `
WITH RECURSIVE down(thread, distance) AS (
  SELECT $1::text, 0
  UNION ALL
  SELECT c.thread, down.distance + 1 FROM down JOIN uwf.threads c ON c.parent = down.thread WHERE down.distance < 100
)
SELECT ${THREAD} FROM down JOIN uwf.threads t ON t.thread = down.thread
WHERE down.distance > 0 ORDER BY down.distance, t.parent, (t.place ->> 'item')::integer, t.thread`;

export const KILL = `
WITH RECURSIVE ${TREE},
killed AS (
  UPDATE uwf.threads t SET ended = 'killed', leased_by = NULL, lease = ${NEXT_LEASE}, held = NULL, changed = now()
  FROM tree JOIN uwf.threads before ON before.thread = tree.thread
  WHERE t.thread = tree.thread AND t.ended IS NULL
  RETURNING t.thread, t.parent, CASE WHEN before.held IS NULL THEN before.leased_by END AS worker
),
done AS (SELECT parent FROM killed WHERE thread = $1::text),
above AS (${endedOf("done")}),
logged AS (
  INSERT INTO uwf.log (thread, entry)
  SELECT thread, jsonb_build_object('event', 'killed', 'worker', ${rootOf("killed.worker")}) FROM killed
)
SELECT count(*) FILTER (WHERE thread = $1::text)::integer AS killed FROM killed`;

/** The step that runs is pushed and counts; none is leased after it. */
export const PAUSE = `
WITH RECURSIVE ${TREE},
paused AS (
  UPDATE uwf.threads t SET changed = now(), paused = jsonb_build_object(
    'since', coalesce((t.paused ->> 'since')::float8, floor(extract(epoch FROM now()) * 1000)),
    'why', coalesce($2::text, t.paused ->> 'why'))
  FROM tree WHERE t.thread = tree.thread AND t.ended IS NULL RETURNING t.thread
),
logged AS (
  INSERT INTO uwf.log (thread, entry) SELECT thread, jsonb_build_object('event', 'paused', 'why', $2::text) FROM paused
)
SELECT count(*) FILTER (WHERE thread = $1::text)::integer AS paused FROM paused`;

/** A paused thread waits for what it waited for before. */
export const RESUME = `
WITH RECURSIVE ${TREE},
resumed AS (
  UPDATE uwf.threads t SET paused = NULL, changed = now(),
    held = CASE WHEN t.paused IS NOT NULL THEN t.held END,
    due = CASE WHEN t.paused IS NOT NULL THEN t.due ELSE now() END
  FROM tree WHERE t.thread = tree.thread AND t.ended IS NULL
    AND (t.paused IS NOT NULL OR (t.thread = $1::text AND t.held IS NOT NULL))
  RETURNING t.thread
),
logged AS (INSERT INTO uwf.log (thread, entry) SELECT thread, '{"event": "resumed"}'::jsonb FROM resumed)
SELECT count(*) FILTER (WHERE thread = $1::text)::integer AS resumed FROM resumed`;

/** Put aside until a person resumes it: what its worker tries again by itself is held, and not failed. */
const IS_FAILED = "t.held ->> 'for' = 'failure' AND t.held ->> 'code' IS DISTINCT FROM 'GIT_FAILED'";

/** All of them that nobody has paused, each with what it was put aside for. */
export const RESUME_FAILED = `
WITH failed AS (
  SELECT t.thread, t.held FROM uwf.threads t WHERE t.ended IS NULL AND t.paused IS NULL AND ${IS_FAILED} FOR UPDATE
),
resumed AS (
  UPDATE uwf.threads t SET held = NULL, due = now(), changed = now() FROM failed WHERE t.thread = failed.thread
  RETURNING t.thread, failed.held
),
logged AS (INSERT INTO uwf.log (thread, entry) SELECT thread, '{"event": "resumed"}'::jsonb FROM resumed)
SELECT thread, held FROM resumed ORDER BY thread`;

export const IS_BUSY = `
SELECT EXISTS (
  SELECT FROM uwf.threads t WHERE t.ended IS NULL AND ($1::text IS NULL OR t.workflow = $1::text)
    AND t.held IS NULL AND t.paused IS NULL
) AS busy`;

/** Each thread counts once. */
export const COUNTS = `
WITH counted AS (
  SELECT CASE
    WHEN ended IS NOT NULL THEN 'ended'
    WHEN held IS NULL AND leased_by IS NOT NULL THEN 'leased'
    WHEN paused IS NOT NULL THEN 'held'
    WHEN ${IS_FAILED} THEN 'failed'
    WHEN held IS NOT NULL THEN 'held'
    ELSE 'ready' END AS state
  FROM uwf.threads t
)
SELECT
  count(*) FILTER (WHERE state = 'ready')::integer AS ready,
  count(*) FILTER (WHERE state = 'leased')::integer AS leased,
  count(*) FILTER (WHERE state = 'held')::integer AS held,
  count(*) FILTER (WHERE state = 'failed')::integer AS failed,
  count(*) FILTER (WHERE state = 'ended')::integer AS ended,
  (SELECT count(*) FROM uwf.nodes)::integer AS nodes,
  pg_database_size(current_database()) AS bytes
FROM counted`;

export const ROOTS = `
SELECT r.root, r.host, r.folder, extract(epoch FROM r.seen) * 1000 AS seen, ${IS_LOST} AS lost,
  (SELECT count(*) FROM uwf.threads t WHERE t.leased_by = r.root)::integer AS threads
FROM uwf.roots r ORDER BY r.root`;

export const REFUSED = `
SELECT split_part(name, '/', 2) AS thread, hash FROM uwf.names WHERE name LIKE 'refused/%' ORDER BY name LIMIT 100`;

/** In one transaction, in this order. While it runs nobody adds nodes: a push would rely on one that is removed. */
export const COLLECT = {
  lock: "LOCK TABLE uwf.nodes IN SHARE ROW EXCLUSIVE MODE",
  threads: `
WITH old AS (
  DELETE FROM uwf.threads t WHERE ended IS NOT NULL AND changed < now() - make_interval(secs => $1::float8)
    -- What a thread has started it needs to go on.
    AND NOT EXISTS (SELECT FROM uwf.threads p WHERE p.thread = t.parent AND p.ended IS NULL)
  RETURNING thread
),
log AS (DELETE FROM uwf.log USING old WHERE log.thread = old.thread),
names AS (DELETE FROM uwf.names USING old WHERE names.name LIKE 'refused/' || old.thread || '/%')
SELECT count(*)::integer AS threads FROM old`,
  roots: `
WITH gone AS (
  DELETE FROM uwf.roots r WHERE ${IS_LOST} AND r.seen < now() - make_interval(secs => $1::float8)
    AND NOT EXISTS (SELECT FROM uwf.threads t WHERE t.leased_by = r.root)
  RETURNING 1
)
SELECT count(*)::integer AS roots FROM gone`,
  nodes: `
WITH RECURSIVE reached(hash) AS (
  SELECT hash FROM (SELECT head AS hash FROM uwf.threads UNION SELECT hash FROM uwf.names) AS tops
  UNION
  SELECT ref FROM reached JOIN uwf.nodes n ON n.hash = reached.hash CROSS JOIN LATERAL unnest(n.refs) AS ref
),
gone AS (
  DELETE FROM uwf.nodes n WHERE NOT EXISTS (SELECT FROM reached WHERE reached.hash = n.hash) RETURNING 1
)
SELECT count(*)::integer AS nodes FROM gone`,
} as const;
