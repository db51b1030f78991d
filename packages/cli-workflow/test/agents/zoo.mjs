#!/usr/bin/env node
// @ts-nocheck: agents are plain JavaScript, as an author without TypeScript would write them.
// Agents that behave in every way a step must survive: `zoo.mjs <behaviour> [args…] <thread-id> <role>`.
// They write nodes by the libraries, like an author of another kit would, and never use the agent kit.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { computeHash, encodeNode } from "@uncaged/json-cas";
import { openStorage, putContent, putReactSession, putStep, readChain, TYPE } from "@uncaged/workflow-store";

const [behaviour, ...rest] = process.argv.slice(2);
const [thread, role] = rest.slice(-2);
const args = rest.slice(0, -2);
const root = process.env.UNCAGED_WORKFLOW_STORAGE_ROOT;
const head = process.env.UWF_HEAD;
const storage = openStorage(root, { now: Date.now });
const { cas } = storage;

// Every start of any agent leaves a line, so that tests can count agent runs.
appendFileSync(join(root, "..", "agent-runs.log"), `${thread} ${role} ${head} ${process.pid}\n`);

function chain() {
  const read = readChain(cas, head);
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return read.value;
}

const OUTPUTS = { maker: { text: "made" }, checker: { approved: true } };
const OTHERS = { maker: { text: "another" }, checker: { approved: false } };

async function validStep(changes = {}) {
  const { start, steps, workflow } = chain();
  const meta = workflow.payload.roles[role].meta;
  const output = changes.output ?? (await cas.put(meta, changes.value ?? OUTPUTS[role]));
  return putStep(cas, {
    start: start.hash,
    prev: steps.length === 0 ? null : head,
    role,
    output,
    detail: await putContent(cas, `reply of ${role}`),
    agent: "zoo",
    ...changes.step,
  });
}

/** Puts a node's file in place without any check, as a damaged or hostile writer would. */
function forceNode(type, payload) {
  const hash = computeHash(type, payload);
  mkdirSync(join(root, "cas"), { recursive: true });
  writeFileSync(join(root, "cas", `${hash}.bin`), encodeNode({ type, payload, timestamp: Date.now() }));
  return hash;
}

const print = (text) => writeSync(1, text);
const stay = () => setInterval(() => {}, 1000);

async function waitForFile(path) {
  for (let count = 0; count < 3000 && !existsSync(path); count += 1)
    await new Promise((r) => setTimeout(r, 20));
}

const BEHAVIOURS = {
  valid: async () => print(`${await validStep()}\n`),
  rejecting: async () => print(`${await validStep({ value: OTHERS[role] })}\n`),
  silent: () => {},
  blank: () => process.stdout.write("\n".repeat(70_000)),
  garbage: () => print("I did it, trust me\n"),
  noiseThenHash: async () => print(`loading…\n  warning: x\n${await validStep()}\n\n`),
  hashThenNoise: async () => print(`${await validStep()}\ndone!\n`),
  crlf: async () => print(`noise\r\n${await validStep()}\r\n`),
  colour: async () => print(`\u001b[32m${await validStep()}\u001b[0m\n`),
  lowerCase: async () => print(`${(await validStep()).toLowerCase()}\n`),
  exit3: () => {
    writeSync(2, "the model is out of credit\n");
    process.exit(3);
  },
  validThenExit1: async () => {
    print(`${await validStep()}\n`);
    process.exit(1);
  },
  signal: () => process.kill(process.pid, "SIGKILL"),
  validThenKilled: async () => {
    print(`${await validStep()}\n`);
    process.kill(process.pid, "SIGKILL");
  },
  printsArgument: () => print(`${args[0]}\n`),
  otherType: async () => print(`${await putContent(cas, "not a step")}\n`),
  missingNode: () => print("0123456789ABC\n"),
  wrongRole: async () =>
    print(`${await validStep({ step: { role: role === "maker" ? "checker" : "maker" } })}\n`),
  wrongPrev: async () => print(`${await validStep({ step: { prev: await validStep() } })}\n`),
  outputOfOtherType: async () => print(`${await validStep({ output: await putContent(cas, "x") })}\n`),
  outputViolates: async () => {
    const meta = chain().workflow.payload.roles[role].meta;
    print(`${await validStep({ output: forceNode(meta, { text: 42, approved: "yes" }) })}\n`);
  },
  missingOutput: async () =>
    print(
      `${forceNode(TYPE.stepNode, { ...cas.get(await validStep()).payload, output: "0123456789ABC" })}\n`,
    ),
  missingDetail: async () =>
    print(
      `${forceNode(TYPE.stepNode, { ...cas.get(await validStep()).payload, detail: "0123456789ABC" })}\n`,
    ),
  missingTurn: async () => {
    const text = await putContent(cas, "x");
    const session = { agent: "a", role, sessionId: null, cwd: null, model: null, usage: null };
    const times = { startedAt: 1, durationMs: 1 };
    const detail = await putReactSession(cas, {
      ...{ ...session, ...times, prompt: text, raw: text, turns: ["0123456789ABC"] },
    });
    print(`${await validStep({ step: { detail } })}\n`);
  },
  flood: async () => {
    const line = `${"x".repeat(1023)}\n`;
    for (let count = 0; count < 5 * 1024; count += 1) print(line);
    print(`${await validStep()}\n`);
  },
  neverExits: stay,
  hashAndStays: async () => {
    print(`${await validStep()}\n`);
    stay();
  },
  grandchild: async () => {
    spawn("sleep", ["30"], { stdio: "inherit" }).unref();
    print(`${await validStep()}\n`);
    process.exit(0);
  },
  editsThreads: async () => {
    const file = join(root, "threads.yaml");
    const step = await validStep();
    writeFileSync(file, readFileSync(file, "utf8").replace(head, step));
    print(`${await validStep({ value: OTHERS[role] })}\n`);
  },
  stepsItself: async () => {
    const uwf = resolve(import.meta.dirname, "../../bin/uwf");
    const inner = spawnSync(uwf, [
      "thread",
      "step",
      thread,
      "--agent",
      `'${process.execPath}' '${process.argv[1]}' valid`,
    ]);
    writeSync(2, `inner step exited with ${inner.status}\n`);
    print(`${await validStep()}\n`);
  },
  /** Tells that it runs, waits for a file, then delivers. */
  waits: async () => {
    writeFileSync(`${args[0]}.started`, "");
    await waitForFile(args[0]);
    print(`${await validStep()}\n`);
  },
  /** Delivers on SIGTERM instead of dying. */
  deliversOnTerm: async () => {
    process.on("SIGTERM", async () => {
      print(`${await validStep()}\n`);
      process.exit(0);
    });
    writeFileSync(`${args[0]}.started`, "");
    stay();
  },
  ignoresTerm: () => {
    process.on("SIGTERM", () => {});
    process.on("SIGINT", () => {});
    writeFileSync(`${args[0]}.started`, "");
    stay();
  },
  /** Writes the variable `args[0]` to stderr, `args[1]` bytes at a time, so that its reader sees it in pieces. */
  printsPieces: async () => {
    const bytes = Buffer.from(`key ${process.env[args[0]]} end\n`);
    for (let at = 0; at < bytes.length; at += Number(args[1])) {
      writeSync(2, bytes.subarray(at, at + Number(args[1])));
      await new Promise((r) => setTimeout(r, 40));
    }
    process.exit(3);
  },
  /** Writes the variable `args[0]` and `args[1]` dots behind it, to stdout and to stderr. */
  printsBefore: () => {
    const dots = ".".repeat(Number(args[1]));
    for (const fd of [1, 2]) writeSync(fd, `${"-".repeat(5000)}${process.env[args[0]]}${dots}`);
    process.exit(3);
  },
  printsVariable: () => print(`${"x".repeat(85)} ${process.env[args[0]]}\n`),
  /** Paints the screen, sets the title, in 7 and 8 bits, in pieces; its result too is full of codes. */
  printsEscapes: async () => {
    const codes =
      "\u001b[2J\u001b]0;title\u0007\u001b[31mred\u001b[0m \u009b1mand\u009d0;x\u009c bo\bld\u001bc\r\n";
    const bytes = Buffer.from(codes);
    for (let at = 0; at < bytes.length; at += 3) {
      writeSync(2, bytes.subarray(at, at + 3));
      await new Promise((r) => setTimeout(r, 50));
    }
    print("\u001b[2J\u001b]0;title\u0007garbage\u001b[0m\n");
  },
  /** Behaves as `args[2]` says the first `args[1]` times, then delivers; `args[0]` keeps count. */
  failsTimes: async () => {
    const [counter, times, how] = args;
    appendFileSync(counter, "run\n");
    const count = readFileSync(counter, "utf8").split("\n").length - 1;
    await BEHAVIOURS[count <= Number(times) ? how : "valid"]();
  },
  /** Fails at every other start, the first one included; `args[0]` keeps count. */
  failsOdd: async () => {
    appendFileSync(args[0], "run\n");
    const count = readFileSync(args[0], "utf8").split("\n").length - 1;
    await BEHAVIOURS[count % 2 === 1 ? "exit3" : "valid"]();
  },
  printsEnvironment: async () => {
    writeFileSync(
      args[0],
      JSON.stringify({ env: process.env, cwd: process.cwd(), argv: process.argv.slice(2) }),
    );
    print(`${await validStep()}\n`);
  },
};

await BEHAVIOURS[behaviour]();
