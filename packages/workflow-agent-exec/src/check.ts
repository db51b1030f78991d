import { resolve } from "node:path";
import { resolveCommand } from "@uncaged/workflow-util";
import { parseWords, USAGE } from "./words.js";

export type Surroundings = { readonly cwd: string; readonly path: string };

/** The report that every agent's `--check` prints; version and login are unknown for a command. */
export type Report = {
  readonly agent: string;
  readonly program: string | null;
  readonly installed: boolean;
  readonly path: string | null;
  readonly version: null;
  readonly loggedIn: null;
  /** What is wrong, or what to do. */
  readonly how: string;
};

export type Checked =
  | { readonly ok: true; readonly report: Report }
  /** The arguments are invalid. */
  | { readonly ok: false; readonly reason: string };

/** Whether argv asks for a check; `--check` must come first. */
export function isCheck(argv: readonly string[]): boolean {
  return argv[0] === "--check";
}

/** `uwf-exec --check [options] -- <command…>`: looks up the command; runs nothing. */
export function check(argv: readonly string[], { cwd, path }: Surroundings): Checked {
  const [, ...words] = argv;
  // Programs that scan PATH for agents call `--check` without a command.
  if (words.length === 0) return reported(null, null, "name the command: uwf-exec --check -- <command…>");
  const parsed = parseWords(words);
  if (!parsed.ok) return { ok: false, reason: `${parsed.reason}\nhint: ${USAGE}` };
  const { command, cwd: folder } = parsed.words;
  const [program = ""] = command;
  const found = resolveCommand(program, { path, cwd: resolve(cwd, folder ?? ".") });
  if (found.ok) return reported(program, found.value, "it can be started");
  const { error } = found;
  const how = error.code === "AGENT_NOT_STARTABLE" ? error.reason : `it is not on PATH (${path})`;
  return reported(program, null, how);
}

function reported(program: string | null, path: string | null, how: string): Checked {
  const installed = path !== null;
  const report = { agent: "uwf-exec", program, installed, path, version: null, loggedIn: null, how };
  return { ok: true, report };
}
