import { uniqueName } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  isObject,
  isThreadId,
  messageOf,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { type Database, databaseFault, openDatabase, type Row } from "./database.js";
import { migrate, VERSION, versionIn } from "./migrations.js";
import {
  asFound,
  asHold,
  asLeased,
  asLogLine,
  asNode,
  asPlace,
  asRoot,
  asThread,
  hashIn,
  hashOrNone,
  soundRows,
  threadIn,
} from "./rows.js";
import * as sql from "./statements.js";
import type { FoundThread, Leased, Push, Remote, RemoteNode, RemoteStatus, Wait } from "./types.js";

/**
 * Opens the remote at an address. Nothing is asked of a PostgreSQL yet; an embedded database is read, and made if it may be
 * a new one.
 */
export async function openRemote(
  url: string,
  { isNew }: { readonly isNew: boolean } = { isNew: false },
): Promise<Result<Remote, Fault>> {
  const database = await openDatabase(url, isNew);
  return database.ok ? ok(remoteOn(database.value)) : database;
}

/** The same on an open database. */
export function remoteOn(database: Database): Remote {
  const all = <T>(statement: string, values: readonly unknown[], read: (rows: readonly Row[]) => T) =>
    attempt(async () => read(await database.query(statement, values)));
  const one = <T>(statement: string, values: readonly unknown[], read: (row: Row) => T) =>
    all(statement, values, ([row = {}]) => read(row));
  // Of this process: a copy of its root has another one.
  const worker = uniqueName();
  const leased = (rows: readonly Row[]): Leased | null => (rows[0] === undefined ? null : asLeased(rows[0]));
  return {
    migrate: () => attempt(() => migrate(database)),
    check: () => check(database),
    status: () => attempt(() => status(database)),
    add: ({ nodes, ...thread }, below = []) =>
      one(
        sql.ADD,
        [forSql(nodes), JSON.stringify([thread, ...below]), thread.thread],
        ({ added }) => added === 1,
      ),
    find: (part) => find(database, part),
    list: ({ all: ended, held, workflow, limit }) =>
      all(sql.LIST, [ended, held, workflow, limit], (rows) => {
        const { sound, wrong } = soundRows(rows, asFound);
        return { threads: sound, wrong };
      }),
    astray: (root, here) => all(sql.ASTRAY, [root, JSON.stringify(here)], (rows) => rows.map(asThread)),
    active: (threads) => all(sql.ACTIVE, [JSON.stringify(threads)], (rows) => new Set(rows.map(threadIn))),
    events: ({ threads, since, limit }) =>
      all(sql.LOG, [asJson(threads), since, limit], (rows) => rows.map(asLogLine)),
    announce: async ({ root, leaseSeconds, host, folder, place }) => {
      const values = [root, leaseSeconds, host, folder, place, worker];
      const told = await one(sql.ANNOUNCE, values, (row) => ({ ours: row.ours, other: otherIn(row) }));
      if (!told.ok) return told;
      const { ours, other } = told.value;
      if (ours !== true) return err(nameTaken(other ?? {}));
      // In the same folder a worker takes over from its predecessor, whose agents it can see.
      return ok(other === null || other.place === place ? null : asRoot(other));
    },
    heartbeat: async (root) => {
      const told = await all(sql.HEARTBEAT, [root, worker], (rows) => {
        // No worker goes on with a row of another form: it must not keep one from hearing of the rest.
        const leases = rows.filter(({ thread }) => isThreadId(thread));
        const other = otherIn(rows[0] ?? {});
        return { other, leases: new Map(leases.map((row) => [threadIn(row), Number(row.lease)])) };
      });
      if (!told.ok) return told;
      const { other, leases } = told.value;
      return other === null ? ok(leases) : err(nameTaken(other));
    },
    leave: (root) => one(sql.LEAVE, [root, worker], () => undefined),
    leaseNext: async ({ root, inFlight, workflow }) => {
      const values = [root, JSON.stringify(inFlight), workflow, worker];
      const rows = await all(sql.LEASE_NEXT, values, (found) => found);
      if (!rows.ok) return rows;
      const next = await attempt(async () => leased(rows.value));
      return next.ok ? next : setAside(database, rows.value[0] ?? {}, next.error, root);
    },
    leaseThread: (thread, root) => all(sql.LEASE_THREAD, [thread, root, worker], leased),
    fetch: async (head, known) => {
      const rows = await all(sql.FETCH, [head, JSON.stringify(known)], (found) =>
        found.map((row) => (row.bytes === null ? hashIn(row.hash) : asNode(row))),
      );
      if (!rows.ok) return rows;
      const nodes = rows.value.filter((node) => typeof node !== "string");
      const missing = rows.value.find((node) => typeof node === "string");
      return missing === undefined
        ? ok(nodes)
        : err(fault("NODE_MISSING", { hash: missing, referrer: null }));
    },
    push: (push) => pushTo(database, push),
    release: ({ thread, lease, held, againIn, keep, entry }) =>
      one(
        sql.RELEASE,
        [thread, lease, asJson(held), againIn, keep, asJson(entry)],
        ({ released }) => released === 1,
      ),
    pause: (thread, why) => one(sql.PAUSE, [thread, why], ({ paused }) => paused === 1),
    wait: (given) => attempt(() => wait(database, given)),
    family: (thread) => attempt(() => family(database, thread)),
    kill: (thread) => one(sql.KILL, [thread], ({ killed }) => killed === 1),
    resume: (thread) => one(sql.RESUME, [thread], ({ resumed }) => resumed === 1),
    resumeFailed: () =>
      all(sql.RESUME_FAILED, [], (rows) =>
        rows.flatMap((row) => {
          const was = asHold(row.held);
          return was === null ? [] : [{ thread: threadIn(row), was }];
        }),
      ),
    isBusy: (workflow) => one(sql.IS_BUSY, [workflow], ({ busy }) => busy === true),
    collect: (retentionSeconds) => attempt(() => collect(database, retentionSeconds)),
    close: () => database.close(),
  };
}

/** Without it the row would be the next one again, for every worker. Gives why. */
async function setAside(
  { query }: Database,
  { thread, lease }: Row,
  failure: Fault,
  root: string,
): Promise<Result<never, Fault>> {
  const held = { for: "failure", role: null, question: messageOf(failure), code: failure.code };
  // A line of the log has a thread of the usual form, or nobody can read the log.
  const entry = isThreadId(thread) ? { event: "held", held, root, runs: [] } : null;
  const values = [thread, String(lease), JSON.stringify(held), null, false, asJson(entry)];
  const released = await attempt(() => query(sql.RELEASE, values));
  return released.ok ? err(failure) : released;
}

/** A root that the statements give as JSON; `null`: none. */
function otherIn({ other }: Row): Row | null {
  return isObject(other) ? { ...other, ...asRoot(other) } : null;
}

function nameTaken(other: Row): Fault {
  const { root, host, folder } = asRoot(other);
  const worker = host === null || folder === null ? root : `${host}:${folder}`;
  const [silence, wait] = [Number(other.silence), Number(other.wait)];
  return fault("ROOT_NAME_TAKEN", {
    worker,
    silence: Math.round(silence),
    wait: Math.max(1, Math.ceil(wait)),
  });
}

async function attempt<T>(work: () => Promise<T>): Promise<Result<T, Fault>> {
  try {
    return ok(await work());
  } catch (error) {
    return err(databaseFault(error));
  }
}

async function check({ query }: Database): Promise<Result<void, Fault>> {
  const version = await attempt(() => versionIn(query));
  if (!version.ok) return version;
  return version.value === VERSION
    ? ok(undefined)
    : err(fault("REMOTE_NOT_READY", { found: version.value, needed: VERSION, folder: null }));
}

async function status({ query }: Database): Promise<RemoteStatus> {
  const version = await versionIn(query);
  const [counts = {}] = await query(sql.COUNTS);
  const roots = await query(sql.ROOTS);
  const refused = await query(sql.REFUSED);
  const count = (name: string): number => Number(counts[name]);
  return {
    version,
    threads: {
      ready: count("ready"),
      leased: count("leased"),
      held: count("held"),
      failed: count("failed"),
      ended: count("ended"),
    },
    nodes: count("nodes"),
    bytes: count("bytes"),
    roots: roots.map((row) => ({
      ...asRoot(row),
      seenAt: Math.floor(Number(row.seen)),
      isLost: row.lost === true,
      threads: Number(row.threads),
    })),
    refused: refused.map((row) => ({ thread: threadIn(row), head: hashIn(row.hash) })),
  };
}

async function find({ query }: Database, text: string): Promise<Result<FoundThread, Fault>> {
  const part = text.toUpperCase();
  // What else a pattern could mean: ids have neither % nor _.
  const rows = /^[0-9A-Z]{4,26}$/.test(part)
    ? await attempt(async () => (await query(sql.FIND, [part])).map(asFound))
    : ok([]);
  if (!rows.ok) return rows;
  const only = rows.value.find(({ thread }) => thread === part) ?? rows.value[0];
  if (only === undefined) return err(fault("NOT_ON_REMOTE", { thread: text }));
  if (rows.value.length === 1 || only.thread === part) return ok(only);
  return err(fault("AMBIGUOUS_PREFIX", { prefix: part, candidates: rows.value.map(({ thread }) => thread) }));
}

async function pushTo({ query }: Database, push: Push): ReturnType<Remote["push"]> {
  const { thread, expected, lease, next, steps, ended, nodes, entry, commit } = push;
  const values = [forSql(nodes), thread, expected, lease, next, steps, ended, JSON.stringify(entry), commit];
  const pushed = await attempt(async () => {
    const [row = {}] = await query(sql.PUSH, values);
    return { moved: row.moved === true, head: hashOrNone(row.head) };
  });
  if (!pushed.ok) return pushed;
  const { moved, head } = pushed.value;
  // A push whose answer was lost is done again, and finds its own head there.
  return ok(moved || (head === next && expected !== next) ? { kind: "moved" } : { kind: "refused", head });
}

function wait(database: Database, { thread, lease, held, children, nodes, entry }: Wait): Promise<boolean> {
  return database.transaction(async (query) => {
    const [ours] = await query(sql.WAIT.lock, [thread, lease]);
    if (ours === undefined) return false;
    const paused = asJson(ours.paused as object | null);
    const [{ added } = {} as Row] = await query(sql.WAIT.add, [
      forSql(nodes),
      JSON.stringify(children),
      paused,
    ]);
    await query(sql.WAIT.hold, [thread, Number(added), JSON.stringify(held), JSON.stringify(entry)]);
    return true;
  });
}

async function family({ query }: Database, thread: string) {
  const above = await query(sql.ABOVE, [thread]);
  const below = await query(sql.BELOW, [thread]);
  return { above: above.flatMap(({ place }) => asPlace(place) ?? []), below: below.map(asThread) };
}

function collect(database: Database, retentionSeconds: number | null) {
  return database.transaction(async (query) => {
    await query(sql.COLLECT.lock);
    const [{ threads } = {} as Row] =
      retentionSeconds === null ? [{ threads: 0 }] : await query(sql.COLLECT.threads, [retentionSeconds]);
    const [{ roots } = {} as Row] =
      retentionSeconds === null ? [{ roots: 0 }] : await query(sql.COLLECT.roots, [retentionSeconds]);
    const [{ nodes } = {} as Row] = await query(sql.COLLECT.nodes);
    return { threads: Number(threads), nodes: Number(nodes), roots: Number(roots) };
  });
}

function forSql(nodes: readonly RemoteNode[]): string {
  return JSON.stringify(
    nodes.map(({ hash, type, refs, bytes }) => ({
      hash,
      type,
      refs,
      content: contentLength(Buffer.from(bytes)),
      bytes: Buffer.from(bytes).toString("base64"),
    })),
  );
}

/** Of a node that two roots have put at different times only the time may differ, which is the last of its fields. */
function contentLength(bytes: Buffer): number {
  const time = bytes.lastIndexOf("\x69timestamp", undefined, "latin1");
  return time === -1 ? bytes.length : time;
}

function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
