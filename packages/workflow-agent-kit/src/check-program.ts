import { err, ok, type Result } from "@uncaged/json-cas";
import { resolveCommand } from "@uncaged/workflow-util";

/** What an agent's `--check` prints of the program that it drives. */
export type ProgramReport = {
  readonly agent: string;
  /** `null`: none is needed, or none is named. */
  readonly program: string | null;
  readonly installed: boolean;
  readonly path: string | null;
  /** As the program reports it; `null`: unknown. */
  readonly version: string | null;
  /** `null`: not known without a prompt. */
  readonly loggedIn: boolean | null;
  /** What is wrong, or what to do. */
  readonly how: string;
};

/**
 * Looks up a program as a run would; runs nothing. `cwd` is the folder that relative names begin at. An agent that needs
 * no program (`null`) is installed.
 */
export function checkProgram(
  agent: string,
  program: string | null,
  { cwd, path }: { readonly cwd: string; readonly path: string },
): ProgramReport {
  if (program === null)
    return { ...programReport(agent, { program, path: null, how: "it needs no program" }), installed: true };
  const found = resolveCommand(program, { path, cwd });
  if (found.ok) return programReport(agent, { program, path: found.value, how: "it can be started" });
  const { error } = found;
  const how = error.code === "AGENT_NOT_STARTABLE" ? error.reason : `it is not on PATH (${path})`;
  return programReport(agent, { program, path: null, how });
}

/** Installed is what has a path; version and login are unknown. */
export function programReport(
  agent: string,
  { program, path, how }: Pick<ProgramReport, "program" | "path" | "how">,
): ProgramReport {
  return { agent, program, installed: path !== null, path, version: null, loggedIn: null, how };
}

/** The report of an agent whose program is not there. */
export function missingProgram(agent: string, program: string): ProgramReport {
  const how = `install ${program}, and make sure that it is on PATH`;
  return programReport(agent, { program, path: null, how });
}

/** The longest timer, in seconds. */
const LONGEST_S = 2_147_483;

/** The value of an option `--timeout <seconds>`, in ms, or a sentence about what is wrong with it. */
export function timeoutMsOf(seconds: string): Result<number, string> {
  return /^[1-9]\d*$/.test(seconds) && Number(seconds) <= LONGEST_S
    ? ok(Number(seconds) * 1000)
    : err(`--timeout is a number of seconds from 1 to ${LONGEST_S}, not "${seconds}"`);
}
