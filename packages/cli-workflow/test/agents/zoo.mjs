#!/usr/bin/env node
// @ts-nocheck: agents are plain JavaScript, as an author without TypeScript would write them.
// Agents that behave in every way a step must survive: `zoo.mjs <behaviour> [args…] <thread-id> <role>`.
// They write nodes by the libraries, like an author of another kit would, and never use the agent kit.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { countIn, isReply, leaveLine, replyTo, zooOf } from "./zoo/replies.js";

const [behaviour, ...rest] = process.argv.slice(2);
const [thread, role] = rest.slice(-2);
const args = rest.slice(0, -2);
const root = process.env.UNCAGED_WORKFLOW_STORAGE_ROOT;
const head = process.env.UWF_HEAD;
const asked = { root, head, thread, role, args, pid: process.pid, isGone: () => false };

const print = (text) => writeSync(1, text);
const { validStep, other } = zooOf(asked);
const stay = () => setInterval(() => {}, 1000);

const BEHAVIOURS = {
  blank: () => process.stdout.write("\n".repeat(70_000)),
  signal: () => process.kill(process.pid, "SIGKILL"),
  validThenKilled: async () => {
    print(`${await validStep()}\n`);
    process.kill(process.pid, "SIGKILL");
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
    print(`${await validStep({ value: other })}\n`);
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
  failsTimes: () => (countIn(args[0]) <= Number(args[1]) ? BEHAVIOURS[args[2]]() : reply("valid")),
  printsEnvironment: async () => {
    writeFileSync(
      args[0],
      JSON.stringify({ env: process.env, cwd: process.cwd(), argv: process.argv.slice(2) }),
    );
    print(`${await validStep()}\n`);
  },
};

async function reply(as) {
  const { stdout, stderr, code } = await replyTo(as, asked);
  print(stdout);
  writeSync(2, stderr);
  process.exitCode = code;
}

leaveLine(asked);
await (isReply(behaviour, args) ? reply(behaviour) : BEHAVIOURS[behaviour]());
