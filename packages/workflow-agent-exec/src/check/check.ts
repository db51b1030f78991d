import { resolve } from "node:path";
import { resolveCommand } from "@uncaged/workflow-util";
import { parseWords, USAGE } from "../words/index.js";

export type Surroundings = { readonly cwd: string; readonly path: string };

/** What `--check` says, and whether a step could start the command. */
export type Checked = { readonly ok: boolean; readonly text: string };

/** Whether argv asks for a check: the word stands before `--`, behind it all words are the command's. */
export function isCheck(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--check");
}

/** `uwf-exec --check [options] -- <command…>`: where the command would be found; runs nothing. */
export function check(argv: readonly string[], { cwd, path }: Surroundings): Checked {
  const parsed = parseWords(argv.filter((word, index) => word !== "--check" || index > argv.indexOf("--")));
  if (!parsed.ok) return { ok: false, text: `${parsed.reason}\n${USAGE}` };
  const { command, cwd: folder } = parsed.words;
  const [name = ""] = command;
  const found = resolveCommand(name, { path, cwd: resolve(cwd, folder ?? ".") });
  if (found.ok) return { ok: true, text: `${name}: ${found.value}` };
  const { error } = found;
  const reason = error.code === "AGENT_NOT_STARTABLE" ? error.reason : `not found on PATH (${path})`;
  return { ok: false, text: `${name}: ${reason}` };
}
