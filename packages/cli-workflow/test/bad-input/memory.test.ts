import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { MAX_VALUES } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { ended, inTurn, RUNTIMES, type Runtime, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const BIN = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin");
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** What no command may take, whatever it is given. */
const MOST_MEMORY = 300 * MIB;

type Watched = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly peak: number;
};

/** The largest memory that a process or one of its children has had; VmHWM only grows, so its last value counts. */
function watchMemory(child: ChildProcess): { readonly peak: () => number } {
  let peak = 0;
  const look = (pid: number): void => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "latin1");
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KIB);
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
      for (const each of children.trim().split(" ").filter(Boolean)) look(Number(each));
    } catch {
      // It is over.
    }
  };
  // At once too: on a busy machine a short process may be over before the timer.
  look(child.pid ?? 0);
  const timer = setInterval(() => look(child.pid ?? 0), 5);
  child.once("exit", () => clearInterval(timer));
  return { peak: () => peak };
}

/** Runs it with `bytes` bytes on stdin, made as they are read. */
async function fed(child: ChildProcess, bytes: number): Promise<Watched> {
  const memory = watchMemory(child);
  const piece = Buffer.alloc(64 * KIB, "x");
  const { stdin } = child;
  stdin?.on("error", () => {});
  let left = bytes;
  const feed = (): void => {
    while (left > 0 && stdin?.writable) {
      left -= piece.length;
      if (!stdin.write(piece)) {
        stdin.once("drain", feed);
        return;
      }
    }
    stdin?.end();
  };
  feed();
  const ran = await ended(child);
  return { ...ran, peak: memory.peak() };
}

/** A file of so many bytes that takes no room on the disk. */
function sparse(path: string, bytes: number, beginning = ""): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, beginning);
  const fd = openSync(path, "r+");
  ftruncateSync(fd, bytes);
  closeSync(fd);
}

const UWF = resolve(import.meta.dirname, "../../bin/uwf");

function start(box: Sandbox, runtime: Runtime, args: readonly string[], command = UWF): ChildProcess {
  const own = { HOME: box.home, UWF_RUNTIME: runtime, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root };
  const env = { ...process.env, ...own };
  return spawn(command, args, { cwd: box.cwd, env, stdio: ["pipe", "pipe", "pipe"] });
}

async function watched(child: ChildProcess): Promise<Watched> {
  child.stdin?.end();
  const memory = watchMemory(child);
  const ran = await ended(child);
  return { ...ran, peak: memory.peak() };
}

function fine({ code, stderr, peak }: Watched, codes: readonly number[], words: string): void {
  expect({ code, stderr }).toEqual({
    code: expect.toBeOneOf([...codes]),
    stderr: expect.stringContaining(words),
  });
  expect(peak).toBeGreaterThan(0);
  expect(peak).toBeLessThan(MOST_MEMORY);
}

const GIVEN: readonly (readonly [
  what: string,
  args: () => readonly string[],
  code: number,
  words: string,
])[] = [
  ["a prompt", () => ["thread", "start", "turns", "-p", "-"], 4, "the prompt on stdin"],
  ["a payload", () => ["cas", "put", "0123456789ABC", "-"], 4, "stdin"],
  ["a schema", () => ["cas", "schema", "put", "-"], 4, "stdin"],
  ["a text", () => ["cas", "put-text", "-"], 4, "on stdin"],
  [
    "a key",
    () => [
      "setup",
      "--provider",
      "openai",
      "--base-url",
      "http://127.0.0.1:9/v1",
      "--model",
      "m",
      "--api-key",
      "-",
    ],
    2,
    "the key",
  ],
];

describe("what is given on stdin", () => {
  it.each(inTurn(GIVEN))(
    "on %s is not read beyond its limit: %s of 2 GiB",
    async (runtime, _what, args, code, words) => {
      const box = sandbox(runtime);
      await startTurns(box);
      fine(await fed(start(box, runtime, args()), 2 * GIB), [code], words);
    },
  );

  it("is not read beyond its limit: a reply of 2 GiB for uwf-agent-write", async () => {
    for (const [runtime, output] of inTurn([[[]], [["--output"]]])) {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const child = start(box, runtime, [...output, thread, "maker"], join(BIN, "uwf-agent-write"));
      fine(await fed(child, 2 * GIB), [4], "stdin is larger than 16777216 bytes, the limit");
    }
  });
});

const FILES: readonly (readonly [what: string, args: readonly string[]])[] = [
  ["a prompt", ["thread", "start", "turns", "--prompt-file", "large"]],
  ["a workflow", ["workflow", "put", "./large.yaml"]],
  ["a payload", ["cas", "put", "0123456789ABC", "./large"]],
  ["a text", ["cas", "put-text", "--file", "large"]],
  ["an export", ["cas", "import", "large"]],
];

describe("a file that is given", () => {
  it.each(inTurn(FILES))("on %s is not read beyond its limit: %s of 4 GiB", async (runtime, _what, args) => {
    const box = sandbox(runtime);
    await startTurns(box);
    for (const name of ["large", "large.yaml"]) sparse(join(box.cwd, name), 4 * GIB);
    fine(await watched(start(box, runtime, args)), [4], "error[");
  });

  it.each(RUNTIMES)("may be a pipe, and is read within its limit too, on %s", async (runtime) => {
    const box = sandbox(runtime);
    await startTurns(box);
    const script = `mkfifo pipe; head -c 3000000000 /dev/zero > pipe & '${UWF}' thread start turns --prompt-file pipe`;
    fine(await watched(start(box, runtime, ["-c", script], "sh")), [4], "larger than");
  });
});

/** A file of the storage root, and what commands make of it when it is of that size. */
const STATE: readonly (readonly [
  file: string,
  args: readonly (readonly string[])[],
  codes: readonly number[],
])[] = [
  [
    "threads.yaml",
    [
      ["thread", "list"],
      ["thread", "show", "T"],
      ["thread", "start", "turns", "-p", "x"],
    ],
    [7],
  ],
  [
    "registry.yaml",
    [
      ["workflow", "list"],
      ["thread", "start", "turns", "-p", "x"],
    ],
    [7],
  ],
  [
    "history.jsonl",
    [
      ["thread", "list", "--all"],
      ["cas", "gc"],
    ],
    [7],
  ],
  ["config.yaml", [["thread", "step", "T"]], [4]],
  [".env", [["thread", "step", "T", "--agent", "true"]], [4]],
  ["runs/T/ending", [["thread", "step", "T"]], [7]],
  ["runs/T/cwd.json", [["thread", "step", "T", "--agent", "true"]], [7]],
  ["locks/index.lock", [["thread", "start", "turns", "-p", "x"]], [75]],
  ["locks/thread-T.lock", [["thread", "step", "T"]], [75]],
  ["cas/_format", [["thread", "start", "turns", "-p", "x"]], [0, 7]],
  ["logs/2026-01-01.jsonl", [["log"], ["thread", "usage", "T"]], [0, 7]],
];

describe("a file of the storage root", () => {
  const sizes = [[1 * MIB + 1], [96 * MIB], [1 * GIB]] as const;

  it.each(STATE)("takes no memory by its size: %s", { timeout: 120_000 }, async (file, lines, codes) => {
    const kinds = [...inTurn(sizes), [RUNTIMES.at(-1) ?? "node", 1 * GIB] as const];
    // At once: who meets a lock without a record waits for it.
    const ran = kinds.map(async ([runtime, size]) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      sparse(join(box.root, file.replace("T", thread)), size, "no record\n");
      for (const args of lines) {
        const words = args.map((word) => (word === "T" ? thread : word));
        fine(await watched(start(box, runtime, words)), codes, "");
      }
    });
    await Promise.all(ran);
  });

  it.each(RUNTIMES)(
    "takes no memory by its size: a node, an index, and what verify and reindex make of them, on %s",
    {
      timeout: 120_000,
    },
    async (runtime) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const { head } = await box.json(["thread", "show", thread]);
      sparse(join(box.root, "cas", `${head}.bin`), 1 * GIB);
      const [index = ""] = readdirSync(join(box.root, "cas/_index"));
      sparse(join(box.root, "cas/_index", index), 1 * GIB);
      fine(await watched(start(box, runtime, ["cas", "get", head])), [7], "the limit is 33554432");
      fine(await watched(start(box, runtime, ["thread", "step", thread])), [7], "");
      fine(await watched(start(box, runtime, ["cas", "list", "--type", index])), [74], "reindex");
      fine(await watched(start(box, runtime, ["cas", "verify"])), [7], "");
      fine(await watched(start(box, runtime, ["cas", "reindex"])), [0, 7], "");
      fine(await watched(start(box, runtime, ["cas", "list", "--type", index])), [0], "");
    },
  );

  it.each(RUNTIMES)(
    "is read where it is large and right: 100,000 active threads, 300,000 ended ones, on %s",
    {
      timeout: 120_000,
    },
    async (runtime) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const { head, workflow } = await box.json<{ head: string; workflow: string }>([
        "thread",
        "show",
        thread,
      ]);
      const id = (n: number) => `01ARZ3NDEK${String(n).padStart(16, "0")}`;
      const active = Array.from({ length: 100_000 }, (_, n) => `${id(n)}: "${head}"\n`);
      const own = readFileSync(join(box.root, "threads.yaml"), "utf8");
      writeFileSync(join(box.root, "threads.yaml"), `${active.join("")}${own}`);
      const line = (n: number) =>
        `${JSON.stringify({ thread: id(1_000_000 + n), workflow, head, completedAt: 5, reason: "end" })}\n`;
      const ended = Array.from({ length: 300_000 }, (_, n) => line(n));
      writeFileSync(join(box.root, "history.jsonl"), ended.join(""));
      fine(await watched(start(box, runtime, ["thread", "list", "--limit", "5"])), [0], "");
      fine(await watched(start(box, runtime, ["thread", "show", id(1_000_001)])), [0], "");
      fine(await watched(start(box, runtime, ["thread", "step", thread, "--agent", zoo("valid")])), [0], "");
    },
  );
});

const ANY = `name: any
description: one role with any output
roles:
  maker:
    description: makes
    goal: Make it
    capabilities: []
    procedure: ""
    output: ""
    meta: { type: object, required: [n], properties: { n: {} } }
conditions:
  over: { description: never, expression: $count(steps) > 100 }
graph:
  $START: [{ role: maker, condition: null }]
  maker: [{ role: $END, condition: over }, { role: maker, condition: null }]
`;

/** A thread of one role whose agent gives the file `output.json` as its output. */
async function startAny(box: Sandbox): Promise<readonly [thread: string, agent: string]> {
  box.write("any.yaml", ANY);
  const { thread } = await box.json(["thread", "start", "./any.yaml", "-p", "x"]);
  const write = join(BIN, "uwf-agent-write");
  const agent = box.write("agent", `#!/bin/sh\nexec '${write}' --output "$@" < output.json\n`);
  chmodSync(agent, 0o755);
  return [thread, `'${agent}'`];
}

const LARGEST: readonly (readonly [what: string, make: () => unknown])[] = [
  ["empty objects", () => Array.from({ length: 99_990 }, () => ({}))],
  ["members", () => Object.fromEntries(Array.from({ length: 99_990 }, (_, n) => [n, 0]))],
  ["one text of 4 MB", () => "é".repeat(2_000_000)],
];

const TOO_LARGE: readonly (readonly [what: string, make: () => string, words: string])[] = [
  ["of lists in lists", () => "[".repeat(7_000_000), "it is nested deeper than 1000 levels"],
  ["of more values", () => `[${"{},".repeat(4_500_000)}0]`, `it has more than ${MAX_VALUES} values`],
  ["of objects in objects", () => '{"a":'.repeat(3_000_000), "it is nested deeper than 1000 levels"],
];

describe("an output", () => {
  it.each(inTurn(LARGEST))(
    "on %s as large as it may be takes no memory by its size, and stops no thread: %s",
    {
      timeout: 120_000,
    },
    async (runtime, _what, make) => {
      const box = sandbox(runtime);
      const [thread, agent] = await startAny(box);
      box.write("output.json", JSON.stringify({ n: make() }));
      const step = ["thread", "step", thread, "--agent", agent];
      for (let count = 0; count < 3; count += 1) fine(await watched(start(box, runtime, step)), [0], "");
      const lines = [
        ["thread", "steps", thread],
        ["thread", "read", thread],
        ["thread", "next", thread],
        ["cas", "verify"],
        ["cas", "gc"],
        ["cas", "export", thread, "-o", "all.cas"],
      ];
      for (const line of lines) fine(await watched(start(box, runtime, line)), [0], "");
      const other = { ...box, root: join(box.cwd, "other") };
      fine(await watched(start(other, runtime, ["cas", "import", "all.cas"])), [0], "");
    },
  );

  it.each(inTurn(TOO_LARGE))(
    "on %s %s than a node may have is refused by a sentence",
    { timeout: 120_000 },
    async (runtime, _what, make, words) => {
      const box = sandbox(runtime);
      const [thread, agent] = await startAny(box);
      box.write("output.json", `{"n":${make()}`);
      fine(await watched(start(box, runtime, ["thread", "step", thread, "--agent", agent])), [6], words);
      const put = ["cas", "put", "0123456789ABC", "./output.json"];
      fine(await watched(start(box, runtime, put)), [4], words);
    },
  );
});

/** Texts and lists as long as a condition may make them, and what would be longer. */
const LONG: readonly (readonly [expression: string])[] = [
  ["$length($pad('a', 2e9)) < 1"],
  ["$length($pad('', 2600000, '漢字')) < 1"],
  ["$length($substring($pad('', 2600000, '漢字'), 1, 9)) < 1"],
  ["$count($split($pad('', 1900000, '漢'), '')) < 1"],
  ["$length($join([1..190000].$string(), '漢')) < 1"],
  ["$length($replace($pad('', 400000, '漢'), '漢', '漢字')) < 1"],
  ["$count($zip([1..190000], [1..190000])) < 1"],
];

describe("a condition of a workflow that is tested", () => {
  it.each(inTurn(LONG))("on %s takes no memory by what it makes: %s", async (runtime, expression) => {
    const box = sandbox(runtime);
    box.write("any.yaml", ANY.replace("$count(steps) > 100", JSON.stringify(expression)));
    box.write("any.scenario.yaml", 'roles: { maker: [{ reply: "---\\nn: 1\\n---\\n" }] }\n');
    fine(
      await watched(start(box, runtime, ["workflow", "test", "any.yaml", "--max-steps", "1"])),
      [4],
      "error[SCENARIOS_FAILED]",
    );
  });
});

describe("a step that may take no more memory", () => {
  it("is an error or a success, leaves the store sound, and the next step goes on", {
    timeout: 120_000,
  }, async () => {
    const box = sandbox("node");
    const outcomes = new Map<number, number | null>();
    // KiB of address space: node needs some 700 MB of it to begin with, and 10 GB for WebAssembly, which hashes.
    for (const limit of [300_000, 600_000, 700_000, 800_000, 1_200_000, 4_000_000, 16_000_000]) {
      const thread = await startTurns(box);
      const script = `ulimit -v ${limit}; exec '${UWF}' thread step '${thread}' --agent '${zoo("valid")}'`;
      const child = spawn("sh", ["-c", script], {
        cwd: box.cwd,
        env: {
          PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
          HOME: box.home,
          UWF_RUNTIME: "node",
          UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { code, stderr } = await ended(child);
      outcomes.set(limit, code);
      if (limit === 4_000_000)
        expect(stderr).toMatch(/^error\[IO_FAILED\]: XXH64 cannot be started: .+\nhint: .+\n$/);
      expect(await box.prepare(["cas", "verify"])).toMatchObject({ damaged: 0 });
      const { steps } = await box.prepare(["thread", "steps", thread]);
      const next = await box.prepare(["thread", "step", thread, "--wait=20", "--agent", zoo("valid")]);
      expect(next.thread).toBe(thread);
      expect((await box.prepare(["thread", "steps", thread])).steps.length).toBeGreaterThanOrEqual(
        steps.length,
      );
    }
    expect(outcomes.get(4_000_000)).toBe(74);
    expect(outcomes.get(16_000_000)).toBe(0);
  });
});
