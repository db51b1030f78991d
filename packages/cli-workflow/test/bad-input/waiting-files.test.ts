import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { configure, parentYaml, startParent, starts, WORK, withKit } from "../children/support.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

// The files of threads that wait, are noted, limited or removed, and of workflows that have versions, damaged in every way that
// somebody may think of: a clear fault, nothing lost, nothing run twice.

/** A person is asked, then the worker works. */
const GATE = WORK.replace("name: work", "name: gate")
  .replace(
    / {2}worker:[\s\S]*?(?=conditions)/,
    (worker) =>
      worker + worker.replace("worker:", "asker:").replace("    meta:", "    agent: human\n    meta:"),
  )
  .replace("$START: [{ role: worker", "asker: [{ role: worker, condition: null }]\n  $START: [{ role: asker");

/** A thread in every state that has such a file. */
type Store = {
  readonly box: Sandbox;
  /** Waits for its child, in which a person is asked. */
  readonly parent: string;
  readonly child: string;
  readonly paused: string;
  /** Has a limit and a note, and its first run has failed. */
  readonly limited: string;
  /** Another one that had ended was removed. */
  readonly ended: string;
};

async function furnish(): Promise<Store> {
  const box = sandbox();
  await configure(box);
  await box.json(["workflow", "put", box.write("gate.yaml", GATE)]);
  await box.json(["workflow", "put", box.write("gate.yaml", GATE.replace("One worker", "A gate"))]);
  const parent = await startParent(box, parentYaml("{ workflow: gate }"));
  expect((await box.uwf(["thread", "step", parent], withKit())).code).toBe(9);
  const [held] = (await box.json<ThreadShowOutput>(["thread", "show", parent])).children;
  const start = async (...words: readonly string[]) =>
    (await box.json(["thread", "start", "work", "-p", "Do it", ...words])).thread;
  const paused = await start();
  await box.json(["thread", "pause", paused, "-m", "later"]);
  const limited = await start("--max-steps", "5");
  writeFileSync(join(box.cwd, "fail"), "");
  expect((await box.uwf(["thread", "step", limited], withKit())).code).toBe(6);
  rmSync(join(box.cwd, "fail"));
  await box.json(["thread", "note", limited, "the other way"]);
  const [ended, removed, keyed] = [await start(), await start(), await start("--key", "one")];
  for (const thread of [ended, removed, keyed]) await box.json(["thread", "kill", thread]);
  await box.json(["thread", "rm", removed]);
  return { box, parent, child: held?.thread ?? "", paused, limited, ended };
}

type Case = {
  readonly file: (store: Store) => string;
  /** What must not go on, and whoever reads the file. */
  readonly commands: (store: Store) => readonly (readonly string[])[];
  /** Of a file to which lines are appended a torn last one is a write that a crash cut short. */
  readonly isAppended: boolean;
};

const CASES: Readonly<Record<string, Case>> = {
  "hold.json": {
    file: ({ parent }) => `runs/${parent}/hold.json`,
    commands: ({ parent }) => [["thread", "step", parent]],
    isAppended: false,
  },
  "pause.json": {
    file: ({ paused }) => `runs/${paused}/pause.json`,
    commands: ({ paused }) => [["thread", "step", paused]],
    isAppended: false,
  },
  "notes.jsonl": {
    file: ({ limited }) => `runs/${limited}/notes.jsonl`,
    commands: ({ limited }) => [
      ["thread", "step", limited],
      ["thread", "note", limited, "one more"],
    ],
    isAppended: false,
  },
  "limits.json": {
    file: ({ limited }) => `runs/${limited}/limits.json`,
    commands: ({ limited }) => [
      ["thread", "step", limited],
      ["thread", "limit", limited],
    ],
    isAppended: false,
  },
  "spent.jsonl": {
    file: ({ limited }) => `runs/${limited}/spent.jsonl`,
    commands: ({ limited }) => [
      ["thread", "limit", limited],
      ["thread", "step", limited],
    ],
    isAppended: true,
  },
  "children.jsonl": {
    file: () => "children.jsonl",
    commands: ({ parent, paused }) => [
      ["thread", "usage", parent],
      ["thread", "list", "--tree"],
      ["thread", "pause", paused],
      ["cas", "export", parent, "-o", "tree.car", "--force"],
      ["thread", "run", "--all"],
    ],
    isAppended: true,
  },
  "keys.jsonl": {
    file: () => "keys.jsonl",
    commands: () => [
      ["thread", "start", "gate", "-p", "Do it", "--key", "one"],
      ["run", "gate", "-p", "Do it", "--key", "one"],
    ],
    isAppended: true,
  },
  "removed.jsonl": {
    file: () => "removed.jsonl",
    commands: ({ ended }) => [
      ["thread", "show", ended],
      ["thread", "rm", ended],
    ],
    isAppended: true,
  },
  "registry-history.jsonl": {
    file: () => "registry-history.jsonl",
    commands: () => [
      ["workflow", "history", "gate"],
      ["cas", "gc", "--yes", "--grace", "0s"],
      ["workflow", "rollback", "gate"],
    ],
    isAppended: true,
  },
};

const FOREIGN = Buffer.concat([Buffer.from("\u0089PNG\r\n\u001a\n", "latin1"), Buffer.alloc(100, 0xff)]);

const DAMAGES: Readonly<Record<string, (path: string, foreign: string) => void>> = {
  torn: (path) => truncateSync(path, lstatSync(path).size - 5),
  wrong: (path) => writeFileSync(path, '{"something":"else"}\n'),
  foreign: (path) => writeFileSync(path, FOREIGN),
  huge: (path) => truncateSync(path, 2 ** 31),
  "a link to a foreign file": (path, foreign) => {
    rmSync(path);
    symlinkSync(foreign, path);
  },
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  "a pipe": (path) => {
    rmSync(path);
    spawnSync("mkfifo", [path]);
  },
};

/** Equal while nobody has touched the file. */
function looksOf(path: string): string {
  const { mode, size, mtimeMs } = lstatSync(path);
  return `${mode} ${size} ${mtimeMs}`;
}

describe("a damaged file is reported, is not changed, and starts nothing", () => {
  let store: Store;
  let before: { readonly starts: readonly string[]; readonly threads: string };

  beforeAll(async () => {
    store = await furnish();
    before = { starts: starts(store.box), threads: store.box.read("threads.yaml") };
  });

  const table = Object.entries(CASES).flatMap(([name, { isAppended }]) =>
    Object.keys(DAMAGES)
      .filter((damage) => damage !== "torn" || !isAppended)
      .map((damage) => [name, damage] as const),
  );

  it.each(table)("%s: %s", async (name, how) => {
    const { box } = store;
    const { file, commands } = CASES[name] as Case;
    const path = join(box.root, file(store));
    const whole = readFileSync(path);
    const foreign = box.write("foreign", FOREIGN);
    DAMAGES[how]?.(path, foreign);
    const looks = looksOf(path);
    try {
      for (const words of commands(store)) {
        const ran = await box.uwf(words, withKit());
        const told = `uwf ${words.join(" ")}: ${ran.stderr}`;
        expect([ran.code, ran.stdout], told).toEqual([7, ""]);
        expect(ran.stderr, told).toContain(path);
        expect(ran.stderr, told).toMatch(/^hint: .+/m);
      }
      // Which threads are active is not known without those that have ended.
      expect((await box.uwf(["thread", "list"])).code).toBe(name === "removed.jsonl" ? 7 : 0);
      expect(looksOf(path)).toBe(looks);
      expect(readFileSync(foreign).equals(FOREIGN)).toBe(true);
      expect(starts(box)).toEqual(before.starts);
      expect(box.read("threads.yaml")).toBe(before.threads);
    } finally {
      rmSync(path, { recursive: true });
      writeFileSync(path, whole);
    }
  });

  // Runs last: what the damages have left is a store in which nothing is lost.
  it("and once it is mended everything goes on where it stood, and nothing is run twice", async () => {
    const { box, parent, child, paused, limited } = store;
    await box.json(["thread", "answer", child, "--field", "note=yes"]);
    for (const thread of [paused, limited, parent]) {
      await box.json(["thread", "resume", thread]);
      const ran = await box.uwf(["thread", "run", thread], withKit());
      expect(ran.code, ran.stderr).toBe(0);
    }
    expect([...starts(box)].sort()).toEqual(
      [...before.starts, `${child} worker`, `${paused} worker`, `${limited} worker`].sort(),
    );
    expect((await box.json<ThreadShowOutput>(["thread", "show", parent])).children).toHaveLength(1);
    expect(await box.json(["thread", "list"])).toEqual([]);
    expect((await box.json<readonly unknown[]>(["workflow", "history", "gate"])).length).toBe(2);
  });
});
