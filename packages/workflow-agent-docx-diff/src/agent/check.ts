import { err, ok, type Result } from "@uncaged/json-cas";
import { resolveCommand } from "@uncaged/workflow-util";
import { parseOptions } from "./options.js";

type Surroundings = { readonly cwd: string; readonly path: string };

/** The report that every agent's `--check` prints; version and login are unknown for a program of others. */
export type Report = {
  readonly agent: "uwf-docx-diff";
  readonly program: string | null;
  readonly installed: boolean;
  readonly path: string | null;
  readonly version: null;
  readonly loggedIn: null;
  /** What is wrong, or what to do. */
  readonly how: string;
};

/** `uwf-docx-diff --check [options]`: looks up the program; runs nothing. A sentence if the options are wrong. */
export function check(args: readonly string[], { cwd, path }: Surroundings): Result<Report, string> {
  const options = parseOptions(args);
  if (!options.ok) return options;
  const report = {
    agent: "uwf-docx-diff",
    program: null,
    path: null,
    version: null,
    loggedIn: null,
  } as const;
  const { command } = options.value;
  if (command === null) return ok({ ...report, installed: true, how: "it needs no program" });
  const [program] = command;
  const found = resolveCommand(program, { path, cwd });
  if (found.ok)
    return ok({ ...report, program, installed: true, path: found.value, how: "it can be started" });
  const { error } = found;
  if (error.code !== "AGENT_NOT_FOUND" && error.code !== "AGENT_NOT_STARTABLE") return err(error.code);
  const how = error.code === "AGENT_NOT_STARTABLE" ? error.reason : `it is not on PATH (${path})`;
  return ok({ ...report, program, installed: false, how });
}
