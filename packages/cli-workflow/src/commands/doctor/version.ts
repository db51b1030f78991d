import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { definedOnly, type Redactor, resolveCommand, sanitizeTerminal } from "@uncaged/workflow-util";
import { askProgram } from "../../agents/index.js";
import type { Host } from "../../io/index.js";

const TIMEOUT_MS = 3_000;

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
  const outcome = await askProgram(host, {
    file: file.value,
    args: ["--version"],
    env: passed(host, names),
    timeoutMs: TIMEOUT_MS,
    limitBytes: OUTPUT_BYTES,
  });
  const said = outcome.kind === "exited" && outcome.code === 0 ? (outcome.stdout ?? "") : "";
  return ok({ file: file.value, version: firstLine(said, redactor) });
}

function passed(host: Host, names: readonly string[] | null): Readonly<Record<string, string>> {
  const variables = definedOnly(host.env);
  if (names === null) return variables;
  const allowed = new Set([...names, "PATH", "HOME"]);
  return Object.fromEntries(Object.entries(variables).filter(([name]) => allowed.has(name)));
}

/** Keys go after terminal codes, which could hide one, and before anything is cut. */
function firstLine(text: string, redactor: Redactor): string | null {
  const lines = redactor.tail(sanitizeTerminal(text)).split("\n");
  const line = lines.map((each) => each.trim()).find((each) => each !== "");
  return line === undefined ? null : line.slice(0, SHOWN_CHARACTERS);
}
