import { ENV, type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { type Redactor, resolveCommand, runChild, sanitizeTerminal } from "@uncaged/workflow-util";
import type { Host } from "../../io/index.js";

const TIMEOUT_MS = 3_000;

const GRACE_MS = 200;

const OUTPUT_BYTES = 4096;

const SHOWN_CHARACTERS = 100;

/** A program where it was found, and the first line of what `--version` makes it say; `null` when it says none. */
export type Program = { readonly file: string; readonly version: string | null };

/**
 * Finds a program as a step would, and asks it for its version: nothing on stdin, three seconds, and then its whole
 * group is ended. `names` are the variables that it gets; `null` is all. What it says can be a key.
 */
export async function findProgram(
  host: Host,
  command: string,
  names: readonly string[] | null,
  redactor: Redactor,
): Promise<Result<Program, Fault>> {
  const file = resolveCommand(command, { path: host.env.PATH ?? "", cwd: host.cwd });
  if (!file.ok) return file;
  const token = host.newToken();
  const output = { kind: "memory", limitBytes: OUTPUT_BYTES, onLine: null } as const;
  const outcome = await runChild({
    command: file.value,
    args: ["--version"],
    cwd: host.cwd,
    env: { ...passed(host, names), [ENV.run]: token },
    stdin: { kind: "null" },
    stdout: output,
    stderr: output,
    pidFile: null,
    limits: { timeoutMs: TIMEOUT_MS, idleMs: null, graceMs: GRACE_MS },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: null,
    token,
  });
  const said = outcome.kind === "exited" && outcome.code === 0 ? (outcome.stdout ?? "") : "";
  return ok({ file: file.value, version: firstLine(said, redactor) });
}

function passed(host: Host, names: readonly string[] | null): Readonly<Record<string, string>> {
  const allowed = names === null ? null : new Set([...names, "PATH", "HOME"]);
  const entries = Object.entries(host.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (allowed === null || allowed.has(entry[0])),
  );
  return Object.fromEntries(entries);
}

/** Keys go after terminal codes, which could hide one, and before anything is cut. */
function firstLine(text: string, redactor: Redactor): string | null {
  const lines = redactor.tail(sanitizeTerminal(text)).split("\n");
  const line = lines.map((each) => each.trim()).find((each) => each !== "");
  return line === undefined ? null : line.slice(0, SHOWN_CHARACTERS);
}
