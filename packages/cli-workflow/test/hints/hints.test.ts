import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { killNow, lockFile, startWorking } from "../operator/support.js";
import { MADE, mockWith } from "../sessions/support.js";
import { startGate, waiter } from "../support/gate.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";
import { followHint, OF_REMOTE, type Situation } from "./follow.js";
import { type } from "./support.js";

const ORIGINAL_ROOT = resolve(import.meta.dirname, "../../../json-cas/test/fixtures/store-0.4");
const THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CONTENT = "016K8DJZ2QPQ8";

/** A thread whose every role is played by the agent of the zoo. */
async function configured(box: Sandbox): Promise<string> {
  await box.json(["setup", "--agent", zoo("valid")]);
  return startTurns(box);
}

async function ranOnce(box: Sandbox): Promise<{ readonly thread: string; readonly head: string }> {
  const thread = await configured(box);
  return box.json(["thread", "step", thread]);
}

const node = (box: Sandbox, hash: string) => join(box.root, "cas", `${hash}.bin`);

/** A thread whose person is asked. */
async function atTheGate(box: Sandbox): Promise<{ readonly thread: string; readonly head: string }> {
  await box.json(["setup", "--agent", zoo("valid")]);
  return box.json(["thread", "step", await startGate(box)]);
}

const waits = async (box: Sandbox, waiting: object): Promise<readonly string[]> => [
  ...["thread", "step", await startTurns(box), "--agent"],
  waiter(box, JSON.stringify(waiting)),
];

const SITUATIONS: Readonly<Record<string, (box: Sandbox) => Promise<Situation>>> = {
  MALFORMED_THREAD_ID: async () => ({ args: ["thread", "show", "no-thread"], codes: [0] }),
  THREAD_NOT_FOUND: async () => ({ args: ["thread", "show", THREAD], codes: [0] }),
  NO_LATEST_THREAD: async () => ({ args: ["thread", "show", "latest"], codes: [0] }),
  WORKFLOW_NOT_FOUND: async (box) => ({
    args: ["thread", "start", "turns", "-p", "Do it"],
    codes: [0, 0],
    answers: { "<file.yaml>": box.write("turns.yaml", TURNS) },
    after: 0,
  }),
  OLDER_ROOT: async (box) => {
    const older = join(box.cwd, "older");
    cpSync(ORIGINAL_ROOT, older, { recursive: true });
    return {
      args: ["thread", "list"],
      through: ["env", `UNCAGED_WORKFLOW_STORAGE_ROOT=${older}`],
      codes: [0, 0],
      answers: { "<file.yaml>": box.write("turns.yaml", TURNS) },
    };
  },
  MALFORMED_HASH: async (box) => {
    await startTurns(box);
    return { args: ["thread", "fork", "latest"], codes: [0] };
  },
  NODE_MISSING: async (box) => {
    await startTurns(box);
    return { args: ["cas", "get", "0123456789ABC"], codes: [0] };
  },
  INVALID_WORKFLOW: async (box) => ({
    args: ["workflow", "graph", box.write("bad one.yaml", "name: bad\n")],
    codes: [4],
  }),
  INVALID_CONFIG: async (box) => {
    const thread = await startTurns(box);
    box.write(join(box.root, "config.yaml"), "agents: 3\n");
    return { args: ["thread", "step", thread], codes: [4] };
  },
  NO_SCENARIO: async (box) => ({
    args: ["workflow", "test", box.write("my turns.yaml", TURNS)],
    codes: [0],
    after: 0,
  }),
  STEPS_DO_NOT_FIT: async (box) => {
    const { head } = await ranOnce(box);
    const other = TURNS.replace("required: [text]", "required: [title]").replace("text: {", "title: {");
    return { args: ["thread", "fork", head, "--workflow", box.write("other.yaml", other)], codes: [0] };
  },
  NO_AGENT: async (box) => ({
    args: ["thread", "step", await startTurns(box)],
    codes: [0],
    answers: { "<command>": `"${zoo("valid")}"` },
    after: 0,
  }),
  AGENT_NOT_FOUND: async (box) => ({
    args: ["thread", "step", await startTurns(box), "--agent", "uwf-nowhere"],
    codes: [0],
  }),
  FOLDER_UNUSABLE: async (box) => {
    const thread = await configured(box);
    const { workflow } = await box.json(["thread", "show", thread]);
    const folder = join(box.cwd, "gone");
    box.write("gone/file", "");
    const started = await box.json(["thread", "start", workflow, "-p", "Do it", "--cwd", folder]);
    rmSync(folder, { recursive: true });
    return { args: ["thread", "step", started.thread], codes: [0], after: 0 };
  },
  UNKNOWN_TYPE: async (box) => ({
    args: ["cas", "put", "0123456789ABC", box.write("payload.json", '"x"')],
    codes: [0],
    answers: { "<file.json>": box.write("schema.json", '{"type":"string"}') },
  }),
  INVALID_PAYLOAD: async (box) => {
    await startTurns(box);
    return { args: ["cas", "put", CONTENT, box.write("payload.json", '"x"')], codes: [0] };
  },
  AGENT_FAILED: async (box) => ({
    args: ["thread", "step", await startTurns(box), "--agent", "sh -c 'exit 3'"],
    codes: [0],
  }),
  // As the kit tells it: uwf's own fault is AGENT_FAILED, with this hint.
  EXTRACT_FAILED: async (box) => ({
    args: [
      "thread",
      "step",
      await startTurns(box),
      "--agent",
      mockWith(box, { maker: [{ reply: "no header" }] }),
    ],
    codes: [0],
  }),
  STORE_DAMAGED: async (box) => {
    const thread = await configured(box);
    const { uwf } = await startWorking(box, thread);
    uwf.kill("SIGKILL");
    await new Promise((done) => uwf.once("exit", done));
    const run = (await type(box, `ls -d "${box.root}/runs/${thread}"/*/`)).stdout.trim();
    writeFileSync(join(run, "run.json"), "{");
    return { args: ["thread", "step", thread], codes: [0, 0], after: 8 };
  },
  "STORE_DAMAGED (cwd.json)": async (box) => {
    const thread = await configured(box);
    box.write(join(box.root, "runs", thread, "cwd.json"), "{");
    return { args: ["thread", "step", thread], codes: [0], after: 0 };
  },
  CHAIN_DAMAGED: async (box) => {
    const { thread, head } = await ranOnce(box);
    rmSync(node(box, head));
    return { args: ["thread", "step", thread], codes: [7] };
  },
  NODE_DAMAGED: async (box) => {
    const { hash } = await box.json(["cas", "put-text", "some words"]);
    writeFileSync(node(box, hash), "x", { flag: "a" });
    return { args: ["cas", "get", hash], codes: [7] };
  },
  PACK_DAMAGED: async (box) => {
    const { hash } = await box.json(["cas", "put-text", "some words"]);
    const { pack } = await box.json<{ readonly pack: string }>(["cas", "pack"]);
    rmSync(join(box.root, "cas", "pack", `${pack}.idx`));
    return { args: ["cas", "get", hash], codes: [0], after: 0 };
  },
  KEY_TAKEN: async (box) => {
    const workflow = box.write("turns.yaml", TURNS);
    await box.json(["thread", "start", workflow, "-p", "Do it", "--key", "one"]);
    return { args: ["thread", "start", workflow, "-p", "Do more", "--key", "one"], codes: [0] };
  },
  TOO_DEEP: async (box) => {
    const parent = await startTurns(box);
    const { head } = await box.json(["thread", "show", parent]);
    box.write(join(box.root, "config.yaml"), "maxDepth: 1\n");
    const under = (thread: string) => [
      ...["thread", "start", box.write("turns.yaml", TURNS), "-p", "Do it"],
      ...["--parent", thread, "--key", `${head}/maker`],
    ];
    const child = await box.json(under(parent));
    return { args: under(child.thread), codes: [0] };
  },
  ALIAS_UNDEFINED: async (box) => {
    const thread = await startTurns(box);
    box.write(".workflows/config.yaml", "agentOverrides: { turns: { maker: careful } }\n");
    // The wizard asks on a terminal only: see setup.test.ts.
    return {
      args: ["thread", "step", thread],
      codes: [2],
      meanwhile: () => {
        const agents = `agents: { careful: { command: sh, args: ["-c", ${JSON.stringify(`${zoo("valid")} "$@"`)}, sh] } }`;
        box.write(join(box.root, "config.yaml"), `${agents}\n`);
      },
      after: 0,
    };
  },
  NOT_REMOVABLE: async (box) => ({
    args: ["thread", "rm", await startTurns(box)],
    codes: [0],
    after: 0,
  }),
  NOT_ASKED: async (box) => ({
    args: ["thread", "answer", await configured(box), "--field", "text=mine"],
    codes: [0],
  }),
  INVALID_ANSWER: async (box) => ({
    args: ["thread", "answer", (await atTheGate(box)).thread, "--field", "approved=7"],
    codes: [0],
  }),
  QUESTION_GONE: async (box) => {
    const { thread, head } = await atTheGate(box);
    const answer = ["thread", "answer", thread, "--field", "approved=false"];
    await box.json(answer);
    return { args: [...answer, "--head", head], codes: [0] };
  },
  WAITING_FOR_ANSWER: async (box) => ({
    args: ["thread", "step", (await atTheGate(box)).thread],
    codes: [0],
  }),
  WAITING_FOR_THREADS: async (box) => {
    const { thread, head } = await ranOnce(box);
    return { args: await waits(box, { for: "threads", threads: [{ thread, head }] }), codes: [0, 0] };
  },
  WAITING: async (box) => ({ args: await waits(box, { for: "change" }), codes: [4] }),
  THREAD_PAUSED: async (box) => {
    const thread = await configured(box);
    await box.json(["thread", "pause", thread]);
    return { args: ["thread", "step", thread], codes: [0], after: 0 };
  },
  LIMIT_REACHED: async (box) => {
    const thread = await configured(box);
    await box.json(["thread", "limit", thread, "--max-steps", "0"]);
    return { args: ["thread", "step", thread], codes: [0, 0], after: 0 };
  },
  THREAD_ENDED: async (box) => {
    const { thread } = await ranOnce(box);
    await box.json(["thread", "kill", thread]);
    return { args: ["thread", "step", thread], codes: [0, 0] };
  },
  RUN_UNFINISHED: async (box) => ({
    args: ["thread", "run", await configured(box), "--max-steps", "1"],
    codes: [0],
    after: 8,
  }),
  THREAD_FAILED: async (box) => {
    const failing = TURNS.replace("role: maker, condition: rejected", "role: $FAIL, condition: rejected");
    await box.json(["workflow", "put", box.write("turns.yaml", failing)]);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const agent = mockWith(box, {
      maker: [{ reply: MADE }],
      checker: [{ reply: "---\napproved: false\n---\n" }],
    });
    return { args: ["thread", "run", thread, "--agent", agent], codes: [0, 0] };
  },
  THREAD_BUSY: async (box) => {
    const thread = await configured(box);
    const never = { maker: [{ reply: MADE }], checker: [{ reply: "---\napproved: false\n---\n" }] };
    await box.json(["setup", "--agent", mockWith(box, never)]);
    const { go } = await startWorking(box, thread);
    return { args: ["thread", "step", thread], codes: [0, 0, 0], meanwhile: go, after: 8 };
  },
  CLAIM_LOST: async (box) => {
    const thread = await configured(box);
    const agent = box.write("takes", `rm '${lockFile(box, thread)}'\nexec ${zoo("valid")} "$@"\n`);
    return { args: ["thread", "step", thread, "--agent", `sh '${agent}'`], codes: [0] };
  },
  IO_FAILED: async () => ({
    args: ["thread", "list"],
    codes: [0],
    through: ["sh", "-c", 'exec "$@" >/dev/full', "sh"],
  }),
  AGENT_IO_FAILED: async (box) => {
    const thread = await configured(box);
    return { args: ["thread", "step", thread, "--agent", "sh -c 'exit 74'"], codes: [0] };
  },
  LOCK_BUSY: async (box) => {
    const thread = await configured(box);
    const { uwf } = await startWorking(box, thread);
    box.write(join(box.root, "locks", "index.lock"), readFileSync(lockFile(box, thread)));
    return {
      args: ["thread", "start", "turns", "-p", "Do it"],
      codes: [0],
      meanwhile: () => killNow(uwf),
      after: 0,
    };
  },
};

/** Their hints are followed in commands/fork-workflow.test.ts, where the workflow is corrected. */
const ROUTING = [
  "CONDITION_FAILED",
  "CONDITION_NOT_BOOLEAN",
  "NO_TRANSITION",
  "UNKNOWN_CONDITION",
  "UNKNOWN_ROLE",
];

describe("the commands of a hint work as they stand", () => {
  it.each(Object.entries(SITUATIONS))("%s", async (code, prepare) => {
    await followHint(sandbox(), code, prepare);
  });

  it("has a situation for every fault whose hint names one", () => {
    const table = readFileSync(
      resolve(import.meta.dirname, "../../../workflow-protocol/src/faults/table.ts"),
      "utf8",
    );
    const rows = table.split(/^ {2}(?=[A-Z_]+: row)/m).slice(1);
    const naming = rows.filter((row) =>
      /\\?`uwf |\bcorrect(?:\(f\)|,)|repairOf|blockedHint|hintFor\(f\)/.test(row),
    );
    const codes = naming.map((row) => row.split(":")[0] ?? "");
    const named = [...Object.keys(SITUATIONS), ...OF_REMOTE].filter((each) => !each.includes(" "));
    expect(codes.length).toBeGreaterThan(20);
    // What `uwf run` adds is typed in ../commands/run-cannot-start.test.ts.
    expect(codes.toSorted()).toEqual([...named, ...ROUTING].toSorted());
  });
});
