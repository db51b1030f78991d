import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Host } from "../../src/io.js";
import { readStepLine, type StepLine } from "../../src/step-line.js";
import type { Ran } from "./ended.js";

// A command line that the built program runs in the worker of the test: what people get, without the start of a process
// (44 ms on bun, 116 on Node.js). A command below `bin/` touches nothing of its process but what its Host gives it.

const BUILT = resolve(import.meta.dirname, "../../dist/bin");
const load = createRequire(import.meta.url);

type Main = (argv: readonly string[], host: Host) => Promise<number>;
type MainComplete = (words: readonly string[], host: Host) => Promise<number>;
type MainStep = (line: StepLine, argv: readonly string[], host: Host) => Promise<number>;

/** What a command line is run with. */
export type World = {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: string | Uint8Array | undefined;
  /** A terminal of so many columns for stdin, stdout and stderr; stderr is then in `stdout`, as a terminal shows both. */
  readonly columns?: number;
};

let busy = false;

/** `null`: another command is under way in this process, and this one needs a process of its own. */
export async function served(argv: readonly string[], world: World): Promise<Ran | null> {
  if (busy) return null;
  busy = true;
  const from = process.cwd();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const signals = signalsHere();
  try {
    process.chdir(world.cwd);
    const code = await run(argv, { ...hostOf(world, out, err), ...signals.host });
    const signal = signals.endedBy();
    return { code: signal === null ? code : null, signal, stdout: textOf(out), stderr: textOf(err) };
  } finally {
    process.chdir(from);
    signals.stop();
    busy = false;
  }
}

/**
 * A SIGTERM to the worker while it runs a command: another uwf signals the process that holds a thread, and that is us. The
 * command gets it; where it does not watch, its process would end, and here it counts as ended.
 */
function signalsHere() {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  let endedBy: NodeJS.Signals | null = null;
  const arrives = (signal: NodeJS.Signals): void => {
    if (listeners.size === 0) endedBy ??= signal;
    for (const listener of [...listeners]) listener(signal);
  };
  process.on("SIGTERM", arrives);
  const host: Pick<Host, "onSignal" | "kill"> = {
    onSignal: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    kill: (pid, signal) => {
      if (pid !== process.pid) return sendSignal(pid, signal);
      endedBy ??= signal;
      return true;
    },
  };
  return { host, endedBy: () => endedBy, stop: () => void process.off("SIGTERM", arrives) };
}

/** As `bin/uwf.ts` chooses, but that help goes the whole way. */
function run(argv: readonly string[], host: Host): Promise<number> {
  const [command, ...words] = argv;
  if (command === "__complete") {
    const { mainComplete } = load(`${BUILT}/main-complete.js`) as { readonly mainComplete: MainComplete };
    return mainComplete(words, host);
  }
  const line = readStepLine(argv);
  return line === null
    ? (load(`${BUILT}/main.js`) as { readonly main: Main }).main(argv, host)
    : (load(`${BUILT}/main-step.js`) as { readonly mainStep: MainStep }).mainStep(line, argv, host);
}

function hostOf(
  { env, cwd, stdin, columns: given }: World,
  out: Buffer[],
  err: Buffer[],
): Omit<Host, "onSignal" | "kill"> {
  const bytes = Buffer.from(stdin ?? "");
  const columns = given ?? null;
  return {
    env: { ...env, PWD: cwd },
    cwd,
    binaries: resolve(import.meta.dirname, "../../bin"),
    now: Date.now,
    pid: process.pid,
    runtime: { name: "node", version: process.versions.node },
    stdout: sinkOf(out, columns),
    stderr: sinkOf(columns === null ? err : out, columns),
    writeBytes: (some) => void out.push(Buffer.from(some)),
    newToken: () => crypto.randomUUID().replaceAll("-", "").slice(0, 24),
    readStdin: (limit) => (bytes.length > limit ? null : bytes),
    stdinIsTerminal: () => columns !== null,
    sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
  };
}

function sinkOf(parts: Buffer[], columns: number | null): Host["stdout"] {
  return {
    write: (text) => void parts.push(Buffer.from(text)),
    isClosed: () => false,
    isTerminal: () => columns !== null,
    columns: () => columns,
  };
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function textOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString("utf8");
}
