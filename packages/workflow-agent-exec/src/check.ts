import { resolve } from "node:path";
import { checkProgram, type ProgramReport, programReport } from "@uncaged/workflow-agent-kit";
import { parseWords } from "./words.js";

const AGENT = "uwf-exec";

type Surroundings = { readonly cwd: string; readonly path: string };

export type Checked =
  | { readonly ok: true; readonly value: ProgramReport }
  /** What is wrong with the words. */
  | { readonly ok: false; readonly error: string };

/** `uwf-exec --check [options] -- <command…>`: looks up the command; runs nothing. */
export function check(words: readonly string[], { cwd, path }: Surroundings): Checked {
  // Programs that scan PATH for agents call `--check` without a command.
  if (words.length === 0) {
    const how = "name the command: uwf-exec --check -- <command…>";
    return { ok: true, value: programReport(AGENT, { program: null, path: null, how }) };
  }
  const parsed = parseWords(words);
  if (!parsed.ok) return { ok: false, error: parsed.reason };
  const { command, cwd: folder } = parsed.words;
  const [program = ""] = command;
  return { ok: true, value: checkProgram(AGENT, program, { path, cwd: resolve(cwd, folder ?? ".") }) };
}
