import { resolve } from "node:path";
import { resolveCommand } from "@uncaged/workflow-util";
import { parseWords, USAGE } from "../words/index.js";

export type Surroundings = { readonly cwd: string; readonly path: string };

/** What `--check` says, and whether a step could start the command. */
export type Checked = { readonly ok: boolean; readonly text: string };

/** Whether argv asks for a check; it is asked for alone, so the word comes first. */
export function isCheck(argv: readonly string[]): boolean {
  return argv[0] === "--check";
}

/** `uwf-exec --check [options] -- <command…>`: where the command would be found; runs nothing. */
export function check(argv: readonly string[], { cwd, path }: Surroundings): Checked {
  const parsed = parseWords(argv.slice(1));
  if (!parsed.ok) return { ok: false, text: `${parsed.reason}\n${USAGE}` };
  const { command, cwd: folder } = parsed.words;
  const [name = ""] = command;
  const found = resolveCommand(name, { path, cwd: resolve(cwd, folder ?? ".") });
  if (found.ok) return { ok: true, text: `${name}: ${found.value}` };
  const { error } = found;
  const reason = error.code === "AGENT_NOT_STARTABLE" ? error.reason : `not found on PATH (${path})`;
  return { ok: false, text: `${name}: ${reason}` };
}
