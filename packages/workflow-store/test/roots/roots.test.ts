import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { ownRecord, type Root } from "@uncaged/json-cas-fs";
import { describe, expect, it } from "vitest";
import { appendHistory, readThreadHistory } from "../../src/history.js";
import {
  addThread,
  admitThreads,
  asThreadEntry,
  claimThread,
  createRootReader,
  findThread,
  newRun,
  oldestLiveRun,
  putNode,
  readHeads,
  readParents,
  releaseClaim,
  removeThreads,
  type Storage,
  setRegistry,
  sweepRootLitter,
  threadEntry,
  withdrawThread,
  writeEnding,
} from "../../src/index.js";
import {
  addStep,
  bad,
  good,
  HASH_A,
  HASH_B,
  startThread,
  THREAD,
  takeThread,
  tempStorage,
  threadAt,
} from "../support/index.js";

/** An import without a word about whose threads they are. */
const PLAIN: Parameters<typeof takeThread>[2] = { restore: false, threads: new Set(), added: new Set() };

async function rootsOf(storage: Storage) {
  const roots: Root[] = [];
  const read = await createRootReader(storage)((root) => roots.push(root));
  return { read, roots: roots.filter(({ label }) => label !== "types") };
}

function labelled(roots: readonly Root[], label: string): readonly string[] {
  return roots.filter((root) => root.label === label).map(({ hash }) => hash);
}

describe("the roots", () => {
  it("are heads, history, registry, endings, runs and what logs name", async () => {
    const storage = tempStorage();
    const { workflow, start } = await startThread(storage);
    const ended = threadAt(2);
    good(appendHistory(storage, { thread: ended, workflow, head: HASH_A, completedAt: 1, reason: "end" }));
    good(await setRegistry(storage, "solve-issue", workflow));
    const run = good(
      newRun(storage, THREAD, { head: start, role: "developer", command: ["x"], token: "t1", attempt: 1 }),
    );
    writeFileSync(run.stdout, `noise ${HASH_B}\n`);
    writeFileSync(run.report, JSON.stringify({ sessionId: null, usage: null, raw: "0000000000002" }));
    good(await writeEnding(storage, THREAD, { reason: "killed" }));
    mkdirSync(storage.paths.logs);
    writeFileSync(
      join(storage.paths.logs, "2026-01-01.jsonl"),
      [
        JSON.stringify({
          timestamp: 1_700_000_000_000,
          thread: ended,
          step: "0000000000003",
          note: "as 0000000000004 says",
        }),
        JSON.stringify({
          stdout: "noise\n0000000000006\n",
          stderr: "\u001b[1m000000000000a\u001b[0m",
          usage: {},
        }),
        '{"raw":"0000000000005","torn',
      ].join("\n"),
    );
    const { read, roots } = await rootsOf(storage);
    expect(read.ok).toBe(true);
    expect(labelled(roots, "heads")).toEqual([start]);
    expect(labelled(roots, "history")).toEqual([HASH_A, workflow]);
    expect(labelled(roots, "registry")).toEqual([workflow]);
    expect(labelled(roots, "endings")).toEqual([start]);
    expect(labelled(roots, "runs")).toEqual([start, HASH_B, "0000000000002"]);
    expect(labelled(roots, "logs")).toEqual([
      "0000000000003",
      "0000000000004",
      "0000000000006",
      "000000000000A",
      "0000000000005",
    ]);
    const mustBeThere = new Set(roots.filter(({ required }) => required).map(({ label }) => label));
    expect([...mustBeThere].sort()).toEqual(["endings", "heads", "history", "registry"]);
  });

  it("are none where there is nothing", async () => {
    expect(await rootsOf(tempStorage())).toMatchObject({ read: { ok: true }, roots: [] });
  });

  it("of the logs are reported once: reading continues where it stopped, across chunks", async () => {
    const storage = tempStorage();
    mkdirSync(storage.paths.logs, { recursive: true });
    const file = join(storage.paths.logs, "2026-01-01.jsonl");
    const filler = "x".repeat(256 * 1024 - 6);
    writeFileSync(file, `${filler}"0000000000003"`);
    const read = createRootReader(storage);
    const seen = async () => {
      const hashes: Hash[] = [];
      good(await read(({ hash, label }) => label === "logs" && hashes.push(hash)));
      return hashes;
    };
    expect(await seen()).toEqual(["0000000000003"]);
    appendFileSync(file, `"0000000000004","00000000`);
    expect(await seen()).toEqual(["0000000000004"]);
    expect(await seen()).toEqual([]);
    appendFileSync(file, `00005" "0000000000004"`);
    expect(await seen()).toEqual(["0000000000005"]);
  });

  it("are not what logs tell of removed threads, wherever in the file", async () => {
    const storage = tempStorage();
    const { workflow } = await startThread(storage);
    const [removed, ended] = [threadAt(2), threadAt(3)];
    for (const thread of [removed, ended]) {
      good(appendHistory(storage, { thread, workflow, head: HASH_A, completedAt: 1, reason: "end" }));
    }
    good(await removeThreads(storage, [removed]));
    mkdirSync(storage.paths.logs, { recursive: true });
    const line = (thread: string, hash: string, filler = 0) =>
      `${JSON.stringify({ tag: "X", content: "x".repeat(filler), timestamp: 1, thread, step: hash })}\n`;
    const piece = 256 * 1024;
    const file = join(storage.paths.logs, "2026-01-01.jsonl");
    const texts = [
      line(removed, "0000000000002"),
      line(ended, "0000000000003"),
      // The hash crosses the border of two chunks.
      line(removed, "0000000000004", piece - 320),
      line(ended, "0000000000005"),
      line(removed, "0000000000006", 5 * 1024 * 1024),
      JSON.stringify({ content: `as {"thread":"${removed}"} says`, thread: ended, step: "0000000000007" }),
      `\n{"thread":"${removed}","step":"0000000000008","torn`,
    ];
    writeFileSync(file, texts.join(""));
    const read = createRootReader(storage);
    const seen = async () => {
      const hashes: Hash[] = [];
      good(await read(({ hash, label }) => label === "logs" && hashes.push(hash)));
      return hashes;
    };
    // A line that is too long to be one of ours, or torn, is of nobody.
    const kept = ["3", "5", "6", "7", "8"].map((digit) => digit.padStart(13, "0"));
    expect(await seen()).toEqual(kept);
    appendFileSync(file, `"}\n${line(removed, "0000000000009")}${line(ended, "000000000000A")}`);
    expect(await seen()).toEqual(["000000000000A"]);
  });

  it("are a fault, never fewer, when one of the files cannot be trusted", async () => {
    const damages: readonly ((storage: Storage) => void)[] = [
      ({ paths }) => writeFileSync(paths.threads, "- not a map"),
      ({ paths }) => writeFileSync(paths.threads, ""),
      ({ paths }) => writeFileSync(paths.history, "garbage\n"),
      ({ paths }) => writeFileSync(paths.registry, "a: [1]"),
      ({ paths }) => writeFileSync(join(paths.runs, THREAD, "t1", "run.json"), "{}"),
      ({ paths }) => writeFileSync(join(paths.runs, THREAD, "ending"), "{}"),
    ];
    for (const damage of damages) {
      const storage = tempStorage();
      const { start } = await startThread(storage);
      good(
        newRun(storage, THREAD, { head: start, role: "developer", command: ["x"], token: "t1", attempt: 1 }),
      );
      damage(storage);
      expect((await rootsOf(storage)).read).toMatchObject({ ok: false, error: { code: "STORE_DAMAGED" } });
    }
  });

  it.each(["mkdir", "mkfifo"])("are a fault when a log cannot be read: %s", async (make) => {
    const storage = tempStorage();
    mkdirSync(storage.paths.logs);
    execFileSync(make, [join(storage.paths.logs, "2026-01-01.jsonl")]);
    expect((await rootsOf(storage)).read).toMatchObject({ ok: false, error: { code: "IO_FAILED" } });
  });
});

describe("the oldest live run", () => {
  it("is one whose thread is held, and none once nobody holds it and its agent is gone", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    expect(good(oldestLiveRun(storage))).toBeNull();
    const claim = good(await claimThread(storage, THREAD, { waitMs: 0 }));
    good(
      newRun(storage, THREAD, { head: start, role: "developer", command: ["x"], token: "t1", attempt: 1 }),
    );
    expect(good(oldestLiveRun(storage))).toEqual(expect.any(Number));
    good(releaseClaim(claim));
    expect(good(oldestLiveRun(storage))).toBeNull();
  });

  it("is one whose agent lives, though its uwf is gone", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const run = { head: start, role: "developer", command: ["x"], attempt: 1 };
    good(newRun(storage, THREAD, { ...run, token: "alive-1" }));
    const agent = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)"], {
      env: { UWF_RUN: "alive-1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(agent.stdout, "data");
    expect(good(oldestLiveRun(storage))).toEqual(expect.any(Number));
    agent.kill("SIGKILL");
    await once(agent, "exit");
    expect(good(oldestLiveRun(storage))).toBeNull();
  });
});

describe("sweepRootLitter", () => {
  it("removes old temporary files beside the store and nothing else", async () => {
    const storage = tempStorage();
    await startThread(storage);
    const { root, locks, runs } = {
      root: storage.root,
      locks: storage.paths.locks,
      runs: join(storage.paths.runs, THREAD),
    };
    mkdirSync(locks, { recursive: true });
    mkdirSync(runs, { recursive: true });
    const name = ".1-1-0123456789a.tmp";
    const litter = [
      join(root, `threads.yaml${name}`),
      join(locks, `index.lock${name}`),
      join(runs, `ending${name}`),
    ];
    for (const file of litter) {
      writeFileSync(file, "");
      utimesSync(file, 1, 1);
    }
    expect(good(await sweepRootLitter(storage))).toBe(3);
    expect(good(await sweepRootLitter(storage))).toBe(0);
    expect(good(await findThread(storage, THREAD)).kind).toBe("active");
  });
});

describe("sweepRootLitter, of folders", () => {
  const [ADDED, ENDED, NEVER] = [threadAt(1), threadAt(2), threadAt(3)];
  const folders = (storage: Storage): readonly string[] => readdirSync(storage.paths.runs).sort();

  it("removes those of threads that were never added", async () => {
    const storage = tempStorage();
    const { workflow, start } = await startThread(storage, ADDED);
    good(appendHistory(storage, { thread: ENDED, workflow, head: start, completedAt: 7, reason: "end" }));
    for (const thread of [ADDED, ENDED, NEVER]) {
      mkdirSync(join(storage.paths.runs, thread), { recursive: true });
      writeFileSync(join(storage.paths.runs, thread, "cwd.json"), "{}");
    }
    expect(good(await sweepRootLitter(storage))).toBe(1);
    expect(folders(storage)).toEqual([ADDED, ENDED]);
  });

  it("removes nothing behind a link, nor the link", async () => {
    const storage = tempStorage();
    await startThread(storage, ADDED);
    const elsewhere = join(storage.root, "elsewhere");
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, "precious"), "");
    mkdirSync(storage.paths.runs, { recursive: true });
    symlinkSync(elsewhere, join(storage.paths.runs, NEVER));
    expect(good(await sweepRootLitter(storage))).toBe(0);
    expect([folders(storage), readdirSync(elsewhere)]).toEqual([
      expect.arrayContaining([NEVER]),
      ["precious"],
    ]);
  });

  it("removes nothing while threads.yaml cannot be read", async () => {
    const storage = tempStorage();
    await startThread(storage, ADDED);
    mkdirSync(join(storage.paths.runs, NEVER), { recursive: true });
    writeFileSync(storage.paths.threads, "oops: [\n");
    expect(bad(await sweepRootLitter(storage)).code).toBe("STORE_DAMAGED");
    expect(folders(storage)).toContain(NEVER);
  });
});

describe("sweepRootLitter, of locks", () => {
  /** A lock in the folder of locks, by a process that cannot be alive unless it is ours. */
  function plant(storage: Storage, name: string, pid: number): string {
    const file = join(storage.paths.locks, name);
    writeFileSync(
      file,
      JSON.stringify({ ...ownRecord(0, null), pid, nonce: `of-${name.replaceAll(".", "-")}` }),
    );
    return file;
  }

  it("breaks those of dead holders and dead breakers, and leaves those of living holders", async () => {
    const storage = tempStorage();
    mkdirSync(storage.paths.locks, { recursive: true });
    const names = ["index.lock.1-1-0123456789a", `thread-${THREAD}.lock`, `thread-${threadAt(2)}.lock.gone`];
    const dead = names.map((name) => plant(storage, name, 2 ** 22 + 1));
    const living = plant(storage, `thread-${threadAt(3)}.lock`, process.pid);
    expect(good(await sweepRootLitter(storage))).toBe(3);
    expect(dead.some(existsSync)).toBe(false);
    expect(readdirSync(storage.paths.locks)).toEqual([`thread-${threadAt(3)}.lock`]);
    expect(existsSync(living)).toBe(true);
    expect(good(await sweepRootLitter(storage))).toBe(0);
  });

  it("touches nothing behind a link", async () => {
    const storage = tempStorage();
    await startThread(storage);
    const outside = mkdtempSync(join(storage.root, "outside-"));
    mkdirSync(join(outside, THREAD));
    const mine = [join(outside, THREAD), outside].map((folder) => join(folder, "x.1-1-0123456789a.tmp"));
    for (const file of mine) {
      writeFileSync(file, "");
      utimesSync(file, 1, 1);
    }
    for (const path of [storage.paths.locks, storage.paths.runs]) {
      rmSync(path, { recursive: true, force: true });
      symlinkSync(outside, path);
    }
    plant(storage, "index.lock.gone", 2 ** 22 + 1);
    expect(good(await sweepRootLitter(storage))).toBe(0);
    expect(mine.every(existsSync)).toBe(true);
    expect(existsSync(join(outside, "index.lock.gone"))).toBe(true);
  });
});

describe("a thread in an export", () => {
  it("matches the thread, and is valid again", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const head = await addStep(storage, start);
    const entry = threadEntry({ kind: "active", thread: THREAD, head }, null);
    expect(asThreadEntry(entry, storage.cas.get)).toEqual({
      ok: true,
      value: { thread: THREAD, head, ended: null, parent: null },
    });
  });

  it("is refused if it is not a thread, or its chain is not a chain", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const text = await putNode(storage.cas, "content", { text: "x" });
    const ended = { workflow: HASH_A, reason: "end", completedAt: 1 };
    const wrong = [
      {},
      { thread: "../../etc", head: start, ended: null },
      { thread: THREAD, head: "x", ended: null },
      { thread: THREAD, head: text, ended: null },
      { thread: THREAD, head: workflow, ended: null },
      { thread: THREAD, head: HASH_B, ended: null },
      { thread: THREAD, head: start, ended },
      { thread: THREAD, head: start, ended: { ...ended, workflow, reason: "bored" } },
      { thread: THREAD, head: start, ended: [] },
    ];
    for (const entry of wrong)
      expect(asThreadEntry(entry, storage.cas.get).ok, JSON.stringify(entry)).toBe(false);
  });

  it.each(["r".repeat(1024 * 1024), "two words", "--help", ""])(
    "is refused if the role that has started it has no name of one: %#",
    async (role) => {
      const storage = tempStorage();
      const { start: head } = await startThread(storage);
      const entry = (named: string) => {
        const parent = { child: THREAD, parent: threadAt(5), head, role: named, item: null, at: 1 };
        return asThreadEntry({ thread: THREAD, head, ended: null, parent }, storage.cas.get);
      };
      expect(good(entry("planner")).parent).toMatchObject({ role: "planner" });
      expect(entry(role)).toEqual({ ok: false, error: `thread ${THREAD} names no proper parent` });
    },
  );

  it("is the child of its parent, 16 levels deep and no deeper; all of them are added", async () => {
    const storage = tempStorage();
    const { start: head } = await startThread(storage);
    const row = Array.from({ length: 20 }, (_, at) => threadAt(at + 10));
    const added = new Set<(typeof row)[number]>();
    for (const [at, thread] of row.entries()) {
      const above = row[at - 1];
      const parent =
        above === undefined ? null : { child: thread, parent: above, head, role: "a", item: null, at: 1 };
      const entry = { thread, head, ended: null, parent };
      const taken = good(await takeThread(storage, entry, { ...PLAIN, added }));
      expect(taken.outcome).toBe("added");
      added.add(thread);
    }
    const depths = row.map((thread) => good(readParents(storage, thread)).length);
    expect(depths).toEqual([...Array.from({ length: 17 }, (_, depth) => depth), 0, 1, 2]);
  });

  it("is written together with the others of its export: the file of heads is not written for each", async () => {
    const storage = tempStorage();
    const { start: head } = await startThread(storage);
    const threads = Array.from({ length: 250 }, (_, at) => threadAt(at + 10));
    const written: string[] = [];
    const { renameSync } = fs;
    Object.assign(fs, {
      renameSync: (from: string, to: string) => {
        written.push(to);
        renameSync(from, to);
      },
    });
    syncBuiltinESMExports();
    try {
      const entries = threads.map((thread) => ({ thread, head, ended: null, parent: null }));
      const taken = good(await admitThreads(storage, entries, { ...PLAIN, threads: new Set(threads) }));
      expect(taken.map(({ thread, outcome }) => [thread, outcome])).toEqual(
        threads.map((thread) => [thread, "added"]),
      );
    } finally {
      Object.assign(fs, { renameSync });
      syncBuiltinESMExports();
    }
    expect(written.filter((path) => path === storage.paths.threads)).toHaveLength(3);
    expect([...good(await readHeads(storage)).keys()]).toEqual(expect.arrayContaining(threads));
  });

  it("is added if new, unchanged if at the same head or beyond, and reported if it took another path", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const next = await addStep(storage, start);
    const other = await addStep(storage, start, true);
    const [here, gone] = [threadAt(5), threadAt(6)];
    const outcome = async (
      thread: typeof THREAD,
      head: Hash,
      ended: Parameters<typeof takeThread>[1]["ended"] = null,
    ) => good(await takeThread(storage, { thread, head, ended, parent: null }, PLAIN)).outcome;
    expect(await outcome(here, next)).toBe("added");
    expect(await outcome(here, next)).toBe("unchanged");
    expect(await outcome(here, start)).toBe("unchanged");
    expect(await outcome(here, other)).toBe("different");
    const further = await addStep(storage, next);
    expect(
      good(await takeThread(storage, { thread: here, head: further, ended: null, parent: null }, PLAIN)),
    ).toEqual({
      thread: here,
      head: next,
      imported: further,
      outcome: "behind",
    });
    expect(good(await findThread(storage, here))).toMatchObject({ kind: "active", head: next });
    const end = { workflow, reason: "killed", completedAt: 7 } as const;
    expect(await outcome(gone, other, end)).toBe("added");
    expect(good(readThreadHistory(storage, gone))).toEqual({ thread: gone, head: other, ...end });
    expect(await outcome(gone, other, end)).toBe("unchanged");
    const on = await addStep(storage, other);
    expect(await outcome(gone, on)).toBe("different");
  });

  it("is added once by several imports at the same time", async () => {
    const storage = tempStorage();
    const { start, workflow } = await startThread(storage);
    const [next, thread, gone] = [await addStep(storage, start), threadAt(7), threadAt(8)];
    const end = { workflow, reason: "killed", completedAt: 7 } as const;
    const active = [next, next, start].map((head) =>
      takeThread(storage, { thread, head, ended: null, parent: null }, PLAIN),
    );
    const ended = [next, next].map((head) =>
      takeThread(storage, { thread: gone, head, ended: end, parent: null }, PLAIN),
    );
    const outcomes = async (all: typeof active) =>
      (await Promise.all(all)).map((taken) => good(taken).outcome);
    expect((await outcomes(active)).filter((outcome) => outcome === "added")).toHaveLength(1);
    expect((await outcomes(ended)).sort()).toEqual(["added", "unchanged"]);
  });
});

describe("withdrawThread", () => {
  it("withdraws a thread only while its head is the one it was added with", async () => {
    const storage = tempStorage();
    const { start } = await startThread(storage);
    const next = await addStep(storage, start);
    const fresh = threadAt(9);
    good(await addThread(storage, fresh, next));
    good(await withdrawThread(storage, fresh, start));
    expect(good(await findThread(storage, fresh)).head).toBe(next);
    good(await withdrawThread(storage, fresh, next));
    expect(await findThread(storage, fresh)).toMatchObject({
      ok: false,
      error: { code: "THREAD_NOT_FOUND" },
    });
    rmSync(storage.root, { recursive: true });
  });
});
