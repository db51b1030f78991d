import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashBytes } from "@uncaged/json-cas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../src/database.js";
import { remoteOn } from "../src/remote.js";

const HASH = hashBytes(new Uint8Array([1]));
const THREAD = "01TEST00000000000000000000";
const PARENT = "01TEST00000000000000000001";
const ROOT = "a-root-of-a-test";

const folder = mkdtempSync(join(tmpdir(), "uwf-rows-"));
let database: Database;

/** A column of a row, and what somebody has written there who may write to the tables. */
const STRANGE: readonly (readonly [what: string, table: string, column: string, value: string])[] = [
  ["a path as the id of a thread", "threads", "thread", "../../outside"],
  ["an option as the id of a thread", "threads", "thread", "--force"],
  ["a lower-case id of a thread", "threads", "thread", THREAD.toLowerCase()],
  ["a path as a workflow", "threads", "workflow", "../outside"],
  ["a relative folder", "threads", "cwd", "."],
  ["an unknown end", "threads", "ended", "paid"],
  [
    "a parent that is a path",
    "threads",
    "place",
    `{"parent": "../x", "head": "${HASH}", "role": "a", "item": null, "at": 1}`,
  ],
  [
    "a place at no node",
    "threads",
    "place",
    `{"parent": "${PARENT}", "head": "--x", "role": "a", "item": null, "at": 1}`,
  ],
  [
    "a place with words in the place of a role",
    "threads",
    "place",
    `{"parent": "${PARENT}", "head": "${HASH}", "role": "a b", "item": null, "at": 1}`,
  ],
  ["an end after all time", "threads", "changed", "infinity"],
  ["a change before all time", "threads", "changed", "-infinity"],
  ["a change in a year that no date has", "threads", "changed", "280000-01-01"],
  ["a pause without a time", "threads", "paused", `{"since": "soon", "why": null}`],
  [
    "a place at a time that no date has",
    "threads",
    "place",
    `{"parent": "${PARENT}", "head": "${HASH}", "role": "a", "item": null, "at": 8640000000000001}`,
  ],
  ["a line after all time", "log", "at", "infinity"],
  ["a hold without a reason", "threads", "held", `{"for": 7}`],
  [
    "an option as a commit",
    "threads",
    "workspace",
    `{"git": "https://git.example/a", "ref": null, "commit": "--upload-pack=sh"}`,
  ],
  ["a path as the name of a root", "roots", "root", "../x"],
  ["a path as the thread of a line", "log", "thread", "../x"],
  ["a list as a line", "log", "entry", "[1]"],
  ["a path as a hash", "nodes", "hash", "../x"],
  ["a path as a type", "nodes", "type", "../x"],
  ["a path as a refused step", "names", "name", `refused/..x/${HASH}`],
];

beforeAll(async () => {
  const opened = await openDatabase(`pglite:${folder}/db`, true);
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  database = opened.value;
  await remoteOn(database).migrate();
});

afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const EVERY = { all: true, held: false, workflow: null, limit: null };

/** Everything that reads rows. */
async function readAll() {
  const remote = remoteOn(database);
  const [nodes = {}] = await database.query("SELECT hash FROM uwf.nodes");
  const reads = [
    await remote.status(),
    await remote.list(EVERY),
    await remote.find(THREAD.slice(0, 6)),
    await remote.events({ threads: null, since: null, limit: null }),
    await remote.active([THREAD, "../../outside", "--force", THREAD.toLowerCase()]),
    await remote.fetch(String(nodes.hash), []),
    await remote.astray(ROOT, [{ thread: THREAD, head: HASH }]),
    await remote.family(PARENT),
    await remote.heartbeat(ROOT),
    await remote.leaseNext({ root: ROOT, inFlight: [], workflow: null }),
  ];
  return reads;
}

const plant = async (table: string, column: string, value: string): Promise<void> => {
  for (const each of ["log", "names", "threads", "roots", "nodes"])
    await database.query(`DELETE FROM uwf.${each}`);
  const text = {
    hash: HASH,
    type: HASH,
    thread: THREAD,
    workflow: HASH,
    head: HASH,
    root: ROOT,
    name: `refused/${THREAD}/${HASH}`,
  };
  const rows: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    nodes: { hash: text.hash, type: text.type, refs: [], bytes: Buffer.from("x") },
    roots: { root: text.root, seen: new Date(), lease_seconds: 60 },
    threads: {
      thread: text.thread,
      workflow: text.workflow,
      head: text.head,
      steps: 0,
      due: new Date(0),
      changed: new Date(0),
    },
    log: { thread: text.thread, entry: "{}" },
    names: { name: text.name, hash: text.hash },
  };
  for (const [name, fields] of Object.entries(rows)) {
    const row = name === table ? { ...fields, [column]: value } : { ...fields };
    // A head and a name refer to the node.
    const node = table === "nodes" && column === "hash" ? value : HASH;
    if ("head" in row) Object.assign(row, { head: node });
    if (name === "names") Object.assign(row, { hash: node });
    const columns = Object.keys(row);
    const places = columns.map((_, index) => `$${index + 1}`);
    await database.query(
      `INSERT INTO uwf.${name} (${columns.join()}) VALUES (${places.join()})`,
      Object.values(row),
    );
  }
};

describe("a row that no uwf has written", () => {
  it("is not what these rows are without it", async () => {
    await plant("none", "none", "");
    expect((await readAll()).filter(({ ok }) => !ok)).toEqual([]);
  });

  it.each(STRANGE)("%s is refused wherever it is read", async (_what, table, column, value) => {
    await plant(table, column, value);
    const listed = await remoteOn(database).list(EVERY);
    const named = listed.ok ? listed.value.wrong : [];
    const refused = [...named, ...(await readAll()).flatMap((read) => (read.ok ? [] : [read.error]))];
    expect(refused.filter(({ code }) => code === "INVALID_INPUT").length).toBeGreaterThan(0);
    expect(JSON.stringify(refused)).toContain("the remote's database");
    const strange = JSON.stringify(value).slice(1, -1);
    const given = (await readAll()).flatMap((read) => (read.ok ? [withoutWrong(read.value)] : []));
    expect(
      JSON.stringify(given, (_key, one) => (one instanceof Map || one instanceof Set ? [...one] : one)),
    ).not.toContain(`"${strange}"`);
  });
});

/** A list names the rows that it leaves out. */
function withoutWrong(value: unknown): unknown {
  return typeof value === "object" && value !== null && "wrong" in value ? { ...value, wrong: null } : value;
}

/** What a worker would get of a row with it. */
const UNLEASABLE: typeof STRANGE = [
  ...STRANGE.filter(
    ([, table, column]) => table === "threads" && !["ended", "paused", "changed"].includes(column),
  ),
  ["a number of steps that no thread has", "threads", "steps", "2147483647"],
  ["fewer steps than none", "threads", "steps", "-1"],
  ["the last number of a lease that there is", "threads", "lease", "9223372036854775807"],
  ["a number of a lease that is not exact", "threads", "lease", "9007199254740992"],
];

describe("a thread's row that no uwf has written", () => {
  const NEXT = "01TEST00000000000000000009";

  it.each(UNLEASABLE)(
    "with %s is set aside by name, and the next thread is leased",
    async (_what, table, column, value) => {
      await plant(table, column, value);
      await database.query(
        "INSERT INTO uwf.threads (thread, workflow, head, steps, due, changed) VALUES ($1, $2, $2, 0, now(), now())",
        [NEXT, HASH],
      );
      const remote = remoteOn(database);
      await remote.announce({ root: ROOT, leaseSeconds: 60, host: "h", folder: "/f", place: null });
      const lease = () => remote.leaseNext({ root: ROOT, inFlight: [], workflow: null });
      const thread = column === "thread" ? value : THREAD;
      const reason = expect.stringContaining(`"${thread}"`);
      expect(await lease()).toMatchObject({ ok: false, error: { code: "INVALID_INPUT", reason } });
      expect(await lease()).toMatchObject({ ok: true, value: { thread: NEXT } });
      const [row] = await database.query("SELECT leased_by, held FROM uwf.threads WHERE thread = $1", [
        thread,
      ]);
      const held = { for: "failure", code: "INVALID_INPUT", question: reason };
      expect(row).toMatchObject({ leased_by: null, held });
      const lines = await remote.events({ threads: null, since: null, limit: null });
      const isNamed = column !== "thread";
      expect(lines).toMatchObject({ ok: true, value: expect.any(Array) });
      expect(lines.ok && lines.value.filter(({ entry }) => entry.event === "held").length).toBe(
        isNamed ? 1 : 0,
      );
    },
  );

  it.each(STRANGE.filter(([, table]) => table === "threads"))(
    "with %s hides none of the others in a list, which names it",
    async (_what, table, column, value) => {
      await plant(table, column, value);
      await database.query(
        "INSERT INTO uwf.threads (thread, workflow, head, steps, due, changed) VALUES ($1, $2, $2, 0, now(), now())",
        [NEXT, HASH],
      );
      expect(await remoteOn(database).list(EVERY)).toMatchObject({
        ok: true,
        value: { threads: [{ thread: NEXT }], wrong: [{ code: "INVALID_INPUT" }] },
      });
    },
  );

  it("which is leased to a root keeps nothing of the root's own from being heard of", async () => {
    await plant("threads", "thread", "../../outside");
    const remote = remoteOn(database);
    await remote.announce({ root: ROOT, leaseSeconds: 60, host: "h", folder: "/f", place: null });
    await database.query("UPDATE uwf.threads SET leased_by = $1", [ROOT]);
    await database.query(
      "INSERT INTO uwf.threads (thread, workflow, head, steps, due, changed, leased_by, lease) VALUES ($1, $2, $2, 0, now(), now(), $3, 7)",
      [NEXT, HASH, ROOT],
    );
    expect(await remote.heartbeat(ROOT)).toEqual({ ok: true, value: new Map([[NEXT, 7]]) });
  });
});
