import { readFileSync } from "node:fs";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type ChildOutcome, type ChildSpec, runChild } from "@uncaged/workflow-util";
import {
  loadEvaluatorUrl,
  type Meter,
  type Observation,
  type ServeAnswer,
  type ServeRequest,
  WHOLE_COST,
} from "./engine/index.js";

// An expression that could hang or fill the memory is evaluated in another process. Neither a regex of the runtime
// nor a huge allocation can be interrupted from within (on bun not even by a timer or a signal), and worker threads
// share our memory. The kernel limits its time, so that it ends even if we die; we limit its memory.

const KIB = 1024;

/** What the start of a process costs, in steps of evaluation: they take about as long. */
const START_COST = 100_000;

const STDOUT_LIMIT = 4 * KIB * KIB;
const STDERR_LIMIT = 4 * KIB;

/** The shell prints its pid, which becomes the runtime's; `ulimit` fails if the limit is already lower. */
function limited({ seconds }: Bounds): string {
  return `echo $$; ulimit -c 0; ulimit -t ${seconds}; exec "$@"`;
}

/** UTC: a decision must not depend on the local time zone. No cache and no crash reports by bun. */
const ENVIRONMENT = {
  TZ: "UTC",
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
  BUN_ENABLE_CRASH_REPORTING: "0",
  DO_NOT_TRACK: "1",
};

/** Evaluates in the evaluator process; the error is a sentence, or a fault if the system failed. */
export async function evaluateIsolated(
  request: ServeRequest,
  context: unknown,
  meter: Meter | null,
): Promise<Result<Observation, string | Fault>> {
  const text = `${JSON.stringify(request)}\n${JSON.stringify(context)}`;
  const url = await loadEvaluatorUrl();
  const bounds = boundsFor(text.length);
  const tooMuch = new AbortController();
  const memory = createMemoryWatch(bounds.memoryMib * KIB, () => tooMuch.abort("SIGKILL"));
  try {
    const spec = evaluatorSpec({ url, call: "serve", bounds, onLine: pidTo(memory.watch) });
    const outcome = await runChild({ ...spec, stdin: { kind: "text", text }, abort: tooMuch.signal });
    const answer = answerIn(outcome.stdout ?? "");
    if (meter !== null) meter.cost += START_COST + (answer?.cost ?? WHOLE_COST);
    if (answer !== null) return answer.ok ? ok(answer.observation) : err(answer.reason);
    return memory.stop() ? err(tooMuchMemory(bounds)) : failureIn(outcome, bounds);
  } finally {
    memory.stop();
  }
}

function pidTo(watch: (pid: number) => void): (line: string) => void {
  return (line) => {
    if (/^\d+$/.test(line)) watch(Number(line));
  };
}

type EvaluatorCall = {
  readonly url: string;
  readonly call: "serve" | "serveMany";
  readonly bounds: Bounds;
  /** The first line is the process's pid. */
  readonly onLine: (line: string) => void;
};

/** An evaluator process that reads nothing yet. */
export function evaluatorSpec({ url, call, bounds, onLine }: EvaluatorCall): ChildSpec {
  // Bundled it is CommonJS, with its exports under `default`.
  const start = `import(${JSON.stringify(url)}).then((m) => (m.evaluator ?? m.default.evaluator).${call}())`;
  return {
    command: "/bin/sh",
    args: ["-c", limited(bounds), "uwf", process.execPath, ...runtimeFlags(bounds), "-e", start],
    cwd: "/",
    env: ENVIRONMENT,
    stdin: { kind: "null" },
    stdout: { kind: "memory", limitBytes: STDOUT_LIMIT, onLine },
    stderr: { kind: "memory", limitBytes: STDERR_LIMIT },
    limits: { timeoutMs: bounds.patienceMs, graceMs: 0 },
  };
}

/** bun must not read .env and bunfig.toml of the current folder: they can run code. */
function runtimeFlags({ memoryMib }: Bounds): readonly string[] {
  if (process.versions.bun !== undefined) return ["--env-file=/dev/null", "--config=/dev/null"];
  return [`--max-old-space-size=${memoryMib}`];
}

/** Why there is no answer. */
function failureIn(outcome: ChildOutcome, bounds: Bounds): Result<never, string | Fault> {
  if (outcome.kind === "exited" && outcome.code === 0) return err("its evaluator gave no answer");
  if (outcome.kind === "io-failed" || outcome.kind === "not-startable") return err(neverRan(outcome));
  if (outcome.kind === "timeout") return err(`it took longer than ${bounds.patienceMs / 1000} s`);
  if (outcome.kind === "signaled" && TIME_SIGNALS.has(outcome.signal)) {
    return err(`it took more than ${bounds.seconds} s of processor time`);
  }
  if (/out of memory|allocation failed|bad_alloc/i.test(outcome.stderr ?? ""))
    return err(tooMuchMemory(bounds));
  return err(`its evaluator crashed: ${complaintIn(outcome.stderr ?? "")}`);
}

/** A full disk or a system limit: the same expression may succeed later. */
function neverRan(outcome: Extract<ChildOutcome, { readonly kind: "io-failed" | "not-startable" }>): Fault {
  const { reason } = outcome;
  const { operation, path, errno } =
    outcome.kind === "io-failed"
      ? outcome
      : { operation: "start", path: "the evaluator of conditions", errno: "not started" };
  return fault("IO_FAILED", { operation, path, errno, reason });
}

/** The runtime's error message; bun's last line is its version. */
function complaintIn(stderr: string): string {
  const complaint = stderr.split("\n").find((line) => /error|cannot|panic/i.test(line));
  return complaint?.trim() ?? lastLine(stderr);
}

/**
 * The last complete line. Our own program wrote it, so its shape is trusted; only the shell's line means that the program
 * did not start. If it died after its answer, only the explanation is lost.
 */
export function answerIn(stdout: string): ServeAnswer | null {
  const line = stdout.split("\n").slice(0, -1).at(-1) ?? "";
  return line.startsWith("{") ? (JSON.parse(line) as ServeAnswer) : null;
}

/** Soft and hard limit are equal, so the kernel sends SIGKILL at once. */
const TIME_SIGNALS: ReadonlySet<string> = new Set(["SIGKILL", "SIGXCPU"]);

function tooMuchMemory({ memoryMib }: Bounds): string {
  return `it took more than ${memoryMib} MiB of memory`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** The limits of one evaluation in the evaluator process. */
export type Bounds = {
  readonly memoryMib: number;
  /** Of processor time. */
  readonly seconds: number;
  /** Wall clock, for a machine so busy that a second of processor time takes longer. */
  readonly patienceMs: number;
};

/** The kernel counts whole seconds. The engine's own limits count what is made: only a slow machine takes this long. */
const SECONDS_OF_CPU = 10;

const PATIENCE = 6;

const MIB = 1024 * 1024;

/** Memory in use; an idle runtime has 40 MiB, and what the engine's limits let an expression make takes less than the rest. */
const MEMORY_MIB = 512;

/** Extra memory for the history: bytes of memory per byte of JSON. */
const BYTES_PER_INPUT_BYTE = 8;

/** Extra time for the history: one second for this many bytes, the speed of a slow machine. */
const INPUT_BYTES_PER_SECOND = 16 * MIB;

/** By the size of the context's JSON text. */
export function boundsFor(inputLength: number): Bounds {
  const seconds = SECONDS_OF_CPU + Math.floor(inputLength / INPUT_BYTES_PER_SECOND);
  const memoryMib = MEMORY_MIB + Math.floor((inputLength * BYTES_PER_INPUT_BYTE) / MIB);
  return { memoryMib, seconds, patienceMs: seconds * PATIENCE * 1000 };
}

/** The polling interval; a process can fill about 5 MB in it. */
const LOOK_MS = 2;

type MemoryWatch = {
  /** Starts polling the process. */
  readonly watch: (pid: number) => void;
  /** Stops polling; returns whether the limit was exceeded. */
  readonly stop: () => boolean;
};

/**
 * Calls `onExceeded` once when the process has more than `limitKib` of memory in use. Only on systems with /proc: the
 * kernel's own limits count what a runtime reserves, which is 70 GB for a bun that does nothing.
 */
export function createMemoryWatch(limitKib: number, onExceeded: () => void): MemoryWatch {
  let timer: NodeJS.Timeout | null = null;
  let exceeded = false;
  const stop = (): boolean => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    return exceeded;
  };
  const watch = (pid: number): void => {
    if (timer !== null) return;
    timer = setInterval(() => {
      if (residentKib(pid) <= limitKib) return;
      exceeded = true;
      stop();
      onExceeded();
    }, LOOK_MS);
  };
  return { watch, stop };
}

/** 0 for a process that has ended. */
function residentKib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
