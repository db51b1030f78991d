import { type ChildOutcome, endRun, runChild, sanitizeTerminal } from "@uncaged/workflow-util";
import type { Answer, Tool, Workshop } from "./types.js";
import { countIn, parametersOf, refused, textIn } from "./types.js";

const USUAL_MS = 120_000;

export const SHELL_EXEC: Tool = {
  name: "shell_exec",
  description:
    "Runs a command in the working folder with /bin/sh, without input. Returns its exit code and the end of its output. Background processes are ended when it returns.",
  parameters: parametersOf(
    {
      command: { type: "string" },
      timeoutSeconds: { type: "integer", minimum: 1, description: "120 unless given" },
    },
    ["command"],
  ),
  run: async (given, shop) => {
    const command = textIn(given, "command") ?? "";
    if (command.trim() === "" || command.includes("\0")) return refused("command must be a non-empty string");
    const seconds = countIn(given, "timeoutSeconds", 1);
    const timeoutMs = Math.min(seconds === null ? USUAL_MS : seconds * 1000, shop.commandMs);
    const outcome = await runShell(command, timeoutMs, shop);
    return describeOutcome(outcome, timeoutMs, shop);
  },
};

/** Runs in its own process group, which has ended when this returns. */
async function runShell(command: string, timeoutMs: number, shop: Workshop): Promise<ChildOutcome> {
  const { cwd, env, graceMs, signal, heartbeat } = shop;
  const outcome = await runChild({
    command: "/bin/sh",
    // One pipe for stdout and stderr keeps their order.
    args: ["-c", `exec 2>&1\n${command}`],
    cwd,
    env,
    stdin: { kind: "null" },
    stdout: { kind: "memory", limitBytes: bytesFor(shop) },
    stderr: { kind: "memory", limitBytes: 4096 },
    limits: { timeoutMs, graceMs },
    // The command has its own limit, so its silence is normal.
    onTick: heartbeat,
    abort: signal,
  });
  if (outcome.pid !== null) await endRun({ pid: outcome.pid, startTime: null, token: null }, graceMs);
  return outcome;
}

/** A character has up to four bytes; terminal codes and keys are removed later. */
function bytesFor({ outputLimit }: Workshop): number {
  return outputLimit * 4;
}

function describeOutcome(outcome: ChildOutcome, timeoutMs: number, shop: Workshop): Answer {
  const head = headOf(outcome, timeoutMs);
  const kept = outcome.stdout ?? "";
  const cutBefore = Buffer.byteLength(kept) >= bytesFor(shop) - 4;
  // The first line may be cut within a key, which is then not recognised.
  const whole = cutBefore ? kept.slice(kept.indexOf("\n") + 1) : kept;
  const output = shop.conceal(sanitizeTerminal(`${whole}${outcome.stderr ?? ""}`));
  const over = output.length > shop.outputLimit;
  const shown = over ? output.slice(-shop.outputLimit) : output;
  const note = over || cutBefore ? "[the beginning is cut off]\n" : "";
  return {
    result: `${head}\n${note}${shown}`.trimEnd(),
    ok: outcome.kind === "exited" && outcome.code === 0,
  };
}

function headOf(outcome: ChildOutcome, timeoutMs: number): string {
  switch (outcome.kind) {
    case "exited":
      return `exit code ${outcome.code}`;
    case "signaled":
      return `ended by ${outcome.signal}`;
    case "timeout":
      return `ended after ${timeoutMs / 1000} s, its time limit`;
    case "aborted":
      return `ended by ${outcome.signal}, with the agent`;
    case "ended-after-result":
      return "ended";
    default:
      return `not started: ${outcome.reason}`;
  }
}
