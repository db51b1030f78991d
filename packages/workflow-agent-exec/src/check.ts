import { resolve } from "node:path";
import { checkProgram, type ProgramReport, programReport } from "@uncaged/workflow-agent-kit";
import { parseWords, USAGE } from "./words.js";

const AGENT = "uwf-exec";

export type Surroundings = { readonly cwd: string; readonly path: string };

export type Checked =
  | { readonly ok: true; readonly report: ProgramReport }
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
  if (words.length === 0) {
    const how = "name the command: uwf-exec --check -- <command…>";
    return { ok: true, report: programReport(AGENT, { program: null, path: null, how }) };
  }
  const parsed = parseWords(words);
  if (!parsed.ok) return { ok: false, reason: `${parsed.reason}\nhint: ${USAGE}` };
  const { command, cwd: folder } = parsed.words;
  const [program = ""] = command;
  return { ok: true, report: checkProgram(AGENT, program, { path, cwd: resolve(cwd, folder ?? ".") }) };
}
