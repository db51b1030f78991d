import { err, ok, type Result } from "@uncaged/workflow-protocol";
import { type ChildOutcome, runChild } from "@uncaged/workflow-util";
import { loadServeUrl, type Observation, type ServeAnswer, type ServeRequest } from "../engine/index.js";

// An expression that could hang or fill the memory is evaluated in a process of its own, under limits that the kernel
// keeps: neither a regex of the runtime nor one huge allocation can be interrupted from within (on bun not even by a
// timer or a signal), and worker threads share our memory. The limits hold even when we die meanwhile.

const SECONDS_OF_CPU = 2;

/** Wall clock, for a machine so busy that the two seconds of processor time take longer. */
const PATIENCE_MS = 10_000;

const KIB = 1024;

/** Private memory of the process; what it touches of that is less. */
const MEMORY_KIB = 320 * KIB;

/** The heap of V8, which reserves little ahead; bun has no such switch and needs none. */
const V8_HEAP_MIB = 192;

/** The history itself is no fault of the expression's: so many bytes of memory for each of its bytes. */
const BYTES_PER_INPUT_BYTE = 8;

const STDOUT_LIMIT = 4 * KIB * KIB;
const STDERR_LIMIT = 4 * KIB;

// `ulimit` fails where a limit is lower already, or where the system has none of the kind.
const LIMITED = `ulimit -c 0; ulimit -d "$1"; ulimit -t ${SECONDS_OF_CPU}; shift; exec "$@"`;

/** Evaluates in the evaluator process; the error is a sentence. */
export async function evaluateIsolated(
  request: ServeRequest,
  context: unknown,
): Promise<Result<Observation, string>> {
  const text = `${JSON.stringify(request)}\n${JSON.stringify(context)}`;
  const start = `import(${JSON.stringify(await loadServeUrl())}).then((module) => module.serve())`;
  const inputKib = Math.ceil((text.length * BYTES_PER_INPUT_BYTE) / KIB);
  const memory = String(MEMORY_KIB + inputKib);
  const outcome = await runChild({
    command: "/bin/sh",
    args: ["-c", LIMITED, "uwf", memory, process.execPath, ...runtimeFlags(inputKib), "-e", start],
    cwd: "/",
    // bun would keep a cache of what it transpiles; local time would make a decision depend on where it is made.
    env: { TZ: "UTC", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    stdin: { kind: "text", text },
    stdout: { kind: "memory", limitBytes: STDOUT_LIMIT, onLine: null },
    stderr: { kind: "memory", limitBytes: STDERR_LIMIT, onLine: null },
    pidFile: null,
    limits: { timeoutMs: PATIENCE_MS, idleMs: null, graceMs: 0 },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: null,
    token: null,
  });
  return readOutcome(outcome);
}

/** bun must not read .env and bunfig.toml of the current folder, which run code. */
function runtimeFlags(inputKib: number): readonly string[] {
  if (process.versions.bun !== undefined) return ["--env-file=/dev/null", "--config=/dev/null"];
  return [`--max-old-space-size=${V8_HEAP_MIB + Math.ceil(inputKib / KIB)}`];
}

function readOutcome(outcome: ChildOutcome): Result<Observation, string> {
  if (outcome.kind === "exited" && outcome.code === 0) {
    const answer = JSON.parse(outcome.stdout ?? "") as ServeAnswer;
    return answer.ok ? ok(answer.observation) : err(answer.reason);
  }
  if (outcome.kind === "not-startable") return err(`its evaluator cannot be started: ${outcome.reason}`);
  if (outcome.kind === "timeout") return err(`it took longer than ${PATIENCE_MS / 1000} s`);
  if (outcome.kind === "signaled" && CPU_SIGNALS.has(outcome.signal)) {
    return err(`it took more than ${SECONDS_OF_CPU} s of processor time`);
  }
  if (ranOutOfMemory(outcome)) return err(`it took more than ${MEMORY_KIB / KIB} MiB of memory`);
  return err(`its evaluator broke down: ${lastLine(outcome.stderr)}`);
}

/** Soft and hard limit are the same, so the kernel goes straight to SIGKILL. */
const CPU_SIGNALS: ReadonlySet<string> = new Set(["SIGKILL", "SIGXCPU"]);

/** Both runtimes say so and end themselves by a signal, or by the status that stands for it. */
function ranOutOfMemory({ kind, stderr }: ChildOutcome): boolean {
  return kind === "signaled" || /out of memory|allocation failed|bad_alloc/i.test(stderr ?? "");
}

function lastLine(text: string | null): string {
  return (text ?? "").trim().split("\n").at(-1) ?? "";
}
