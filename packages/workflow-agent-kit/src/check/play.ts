import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { CasError, type CasNode, type Hash, type JsonObject, type Store } from "@uncaged/json-cas";
import { type CasRef, commandLine, ENV, fault, lastLine } from "@uncaged/workflow-protocol";
import {
  newRun,
  type RunDir,
  readReport,
  removeRun,
  stderrTail,
  stdoutTail,
  verifyStep,
} from "@uncaged/workflow-store";
import {
  type ChildOutcome,
  definedOnly,
  describeEnd,
  endRun,
  once,
  resolveCommand,
  runChild,
  runMembers,
} from "@uncaged/workflow-util";
import { FaultError, orThrow } from "../fault.js";
import { advance, makeThread, mutableFiles, type Scratch } from "./scratch.js";
import type { CheckHost, CheckRequest, CheckThread, Lab, Leak, Ran, Variation } from "./types.js";

const STDERR_BYTES = 4096;

export type Setting = {
  readonly host: CheckHost;
  readonly request: CheckRequest;
  readonly scratch: Scratch;
  /** Where the agent runs. */
  readonly cwd: string;
  readonly graceMs: number;
};

/** Runs the agent once as `uwf thread step` does, and examines what it has left. */
export async function play(
  setting: Setting,
  thread: CheckThread,
  variation: Partial<Variation>,
): Promise<Ran> {
  const { host, request, scratch, cwd, graceMs } = setting;
  const { storage } = scratch;
  const role = variation.role ?? thread.role;
  const token = host.newToken();
  const command = [request.program, ...request.args];
  const run = orThrow(
    newRun(storage, thread.thread, { head: thread.head, role, command, token, attempt: 1 }),
  );
  const before = mutableFiles(storage);
  const nodesBefore = new Set(storage.cas.list());
  const isDone = (): boolean => stepOf(scratch, thread, stdoutTail(run) ?? "", role).ok;
  const interruption = interruptionOf(setting, run, {
    afterMs: variation.interruptAfterMs ?? null,
    isDone,
  });
  const outcome = await runChild({
    command: programOf(setting),
    args: [...request.args, variation.thread ?? thread.thread, role],
    cwd,
    env: {
      ...definedOnly(host.env),
      ...variation.env,
      ...scratch.env,
      [ENV.storageRoot]: storage.root,
      [ENV.head]: variation.head ?? thread.head,
      [ENV.run]: token,
      [ENV.stepKey]: `${thread.thread}-${thread.head}`,
      [ENV.agent]: commandLine(command),
    },
    stdin: { kind: "null" },
    stdout: { kind: "file", path: run.stdout },
    stderr: { kind: "file", path: run.stderr },
    pidFile: run.pidFile,
    limits: { timeoutMs: request.timeoutMs, graceMs },
    onTick: interruption.tick,
    resultSeen: isDone,
    abort: AbortSignal.any([interruption.signal, host.abort]),
    token,
  });
  const ended = host.now();
  const left = await remaining(token);
  await endRun({ pid: null, startTime: null, token }, graceMs);
  const at = interruption.at();
  const stdout = stdoutTail(run) ?? "";
  const ran: Ran = {
    outcome: outcomeOf(outcome, request.timeoutMs),
    code: outcome.kind === "exited" ? outcome.code : null,
    interrupted: outcome.kind === "aborted",
    endedAfterMs: outcome.kind === "aborted" && at !== null ? ended - at : 0,
    stdout,
    stderr: wordsOf(run),
    step: stepOf(scratch, thread, stdout, role),
    leaked: leaksIn(
      scratch,
      storage.cas.list().filter((hash) => !nodesBefore.has(hash)),
    ),
    touched: [...mutableFiles(storage)]
      .filter(([file, text]) => before.get(file) !== text)
      .map(([file]) => file),
    left,
  };
  orThrow(removeRun(run));
  return ran;
}

function programOf({ host, request }: Setting): string {
  return orThrow(resolveCommand(request.program, { path: host.env.PATH ?? "", cwd: host.cwd }));
}

/** The planted keys in these nodes, wherever in the payload. */
function leaksIn({ storage, keys }: Scratch, nodes: readonly Hash[]): readonly Leak[] {
  return nodes.flatMap((hash) => {
    const node = readable(storage.cas, hash);
    const text = JSON.stringify(node?.payload ?? null);
    const found = keys.filter(({ value }) => text.includes(value));
    return node === null ? [] : found.map(({ name }) => ({ name, node: hash, type: node.type }));
  });
}

/** A damaged node is the business of `verifyStep`. */
function readable(cas: Store, hash: Hash): CasNode | null {
  try {
    return cas.get(hash);
  } catch (error) {
    if (error instanceof CasError) return null;
    throw error;
  }
}

/** Joins the agent's stderr and the failure that it reported to uwf, if any. */
function wordsOf(run: RunDir): string {
  const stderr = stderrTail(run, STDERR_BYTES);
  const reported = readReport(run)?.fault ?? null;
  return reported === null ? stderr : `${stderr}\nerror[${reported.code}]: ${reported.message}`;
}

const LINGER_MS = 1000;

/** How many processes of the run are left, after a moment for those that are just ending. */
async function remaining(token: string): Promise<number> {
  for (let waited = 0; ; waited += 100) {
    const members = runMembers({ pid: null, startTime: null, token }).length;
    if (members === 0 || waited >= LINGER_MS) return members;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type Interruption = {
  readonly signal: AbortSignal;
  readonly tick: () => void;
  /** Epoch ms; `null` as long as there was none. */
  readonly at: () => number | null;
};

type Wanted = {
  readonly afterMs: number | null;
  /** Whether it has printed its step: a signal would come too late to show anything. */
  readonly isDone: () => boolean;
};

/** SIGTERM as soon as the agent has written something or touched its heartbeat, so that it is in the middle of it. */
function interruptionOf({ host }: Setting, run: RunDir, { afterMs, isDone }: Wanted): Interruption {
  const controller = new AbortController();
  const begun = host.now();
  let at: number | null = null;
  const tick = (): void => {
    if (afterMs === null || at !== null) return;
    if (!(hasBegun(run) || host.now() - begun >= afterMs) || isDone()) return;
    at = host.now();
    controller.abort("SIGTERM");
  };
  return { signal: controller.signal, tick, at: () => at };
}

function hasBegun(run: RunDir): boolean {
  return existsSync(run.heartbeat) || (statSync(run.stderr, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Verification, as in a step, of what is on stdout. */
function stepOf({ storage }: Scratch, thread: CheckThread, stdout: string, role: string): Ran["step"] {
  const hash = lastLine(stdout);
  if (hash === null) return { ok: false, reason: "it printed nothing to stdout" };
  const { head, start: startHash, meta } = thread;
  const isRecorded = (node: CasRef): boolean => node === head || node === startHash;
  const verified = verifyStep(storage.cas, { hash, head, startHash, role, meta, isRecorded });
  return verified.ok
    ? { ok: true, node: verified.value }
    : {
        ok: false,
        reason: `the last line of its stdout, ${JSON.stringify(hash.slice(0, 60))}, is not the step: ${verified.error}`,
      };
}

function outcomeOf(outcome: ChildOutcome, timeoutMs: number): string {
  switch (outcome.kind) {
    case "timeout":
      return `took longer than ${timeoutMs / 1000} s (--timeout)`;
    case "aborted":
      return "was ended by SIGTERM";
    case "ended-after-result":
      return "printed the step, but did not exit";
    default:
      return describeEnd(outcome);
  }
}

const ASK_MS = 3000;

/** `uwf doctor` gives a program three seconds for `--version`. */
export async function ask(
  setting: Setting,
  words: readonly string[],
): Promise<Pick<Ran, "outcome" | "code" | "stdout">> {
  const { host, cwd, graceMs } = setting;
  const outcome = await runChild({
    command: programOf(setting),
    args: words,
    cwd,
    env: definedOnly(host.env),
    stdin: { kind: "null" },
    stdout: { kind: "memory", limitBytes: STDERR_BYTES },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES },
    limits: { timeoutMs: ASK_MS, graceMs },
    abort: host.abort,
  });
  const code = outcome.kind === "exited" ? outcome.code : null;
  return { outcome: outcomeOf(outcome, ASK_MS), code, stdout: outcome.stdout ?? "" };
}

const META: JsonObject = {
  type: "object",
  properties: {
    note: { type: "string", minLength: 1, description: "What you have written." },
    done: { type: "boolean", description: "Whether the task is done." },
  },
  required: ["note", "done"],
};

/** What the cases work with, on one scratch root. Throws `FaultError`. */
export function makeLab(setting: Setting): Lab {
  const { scratch, request, host } = setting;
  const meta = request.metaFile === null ? META : readMeta(resolve(host.cwd, request.metaFile));
  const newThread: Lab["newThread"] = (given = {}) =>
    makeThread(scratch, host.now(), {
      role: request.role,
      meta: given.meta ?? meta,
      task: given.task ?? request.task,
    });
  const good = once(async () => {
    const thread = await newThread();
    return { thread, ran: await play(setting, thread, {}) };
  });
  return {
    storage: scratch.storage,
    request,
    graceMs: setting.graceMs,
    keys: scratch.keys,
    meta,
    newThread,
    playNew: async (variation, given) => play(setting, await newThread(given), variation),
    play: (thread, variation) => play(setting, thread, variation),
    ask: (words) => ask(setting, words),
    cwd: setting.cwd,
    good,
    advance: (thread, next) => advance(scratch, thread, next),
  };
}

function readMeta(file: string): JsonObject {
  const wrong = (reason: string): FaultError =>
    new FaultError(fault("INVALID_INPUT", { what: file, reason }));
  try {
    const meta: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof meta === "object" && meta !== null && !Array.isArray(meta)) return meta as JsonObject;
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
  throw wrong("it is not a JSON Schema of an object");
}
