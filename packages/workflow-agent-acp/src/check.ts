import { missingProgram, type ProgramReport, programReport } from "@uncaged/workflow-agent-kit";
import { definedOnly, resolveCommand } from "@uncaged/workflow-util";
import { parseArguments, USAGE } from "./arguments.js";
import { connect } from "./connection.js";
import { introduce } from "./session.js";

/** `continues`: whether a role that is visited again can resume its session; `null`: unknown. */
type Report = ProgramReport & { readonly continues: boolean | null };

type CheckPort = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** ms until the agent answered. */
  readonly startMs: number;
  readonly graceMs: number;
  /** Prints the report; gives the exit code, which is another one where that fails. */
  readonly print: (text: string, exitCode: number) => number;
  readonly stderr: (line: string) => void;
};

/** Exit code: the agent cannot work. */
const NOT_READY = 6;

const BAD_USAGE = 2;

/** Only startup messages are expected. */
const LINE_BYTES = 1024 * 1024;

export function isCheck(words: readonly string[]): boolean {
  return words[0] === "--check";
}

/**
 * `--check [options] -- <command…>`: starts the agent, sends initialize and stops it; no session, no prompt.
 * Prints one JSON document; the exit code is 0 when the agent answers.
 */
export async function runCheck(words: readonly string[], port: CheckPort): Promise<number> {
  const parsed = parseArguments(words.slice(1));
  if (!parsed.ok) {
    port.stderr(`error[USAGE]: ${parsed.reason}\nhint: ${USAGE.replace("uwf-acp", "uwf-acp --check")}`);
    return BAD_USAGE;
  }
  const [program, ...args] = parsed.options.command;
  const report = program === undefined ? NO_COMMAND : await inspectAgent(program, args, port);
  return port.print(`${JSON.stringify(report, null, 2)}\n`, report.continues === null ? NOT_READY : 0);
}

/** Without a command there is no agent; programs that scan PATH for agents call `--check` like that. */
const NO_COMMAND: Report = {
  ...programReport("uwf-acp", {
    program: null,
    path: null,
    how: "name the agent's command: uwf-acp --check -- <command> [arguments…]",
  }),
  continues: null,
};

async function inspectAgent(program: string, args: readonly string[], port: CheckPort): Promise<Report> {
  const found = resolveCommand(program, { path: port.env.PATH ?? "", cwd: port.cwd });
  if (!found.ok) return { ...missingProgram("uwf-acp", program), continues: null };
  const path = found.value;
  const greeted = await greet(path, args, port);
  const report = (how: string): ProgramReport => programReport("uwf-acp", { program, path, how });
  if (!greeted.ok) return { ...report(`it ${greeted.failure.outcome}`), continues: null };
  const { agent, logins, canLoad, canResume } = greeted.introduced;
  const how = logins.length === 0 ? "it names no way to log in" : `log in by: ${logins.join(", ")}`;
  return { ...report(how), version: agent, continues: canLoad || canResume };
}

async function greet(command: string, args: readonly string[], port: CheckPort) {
  const { startMs, graceMs, cwd } = port;
  const limits = { startMs, idleMs: null, graceMs, cancelMs: 0, lineBytes: LINE_BYTES };
  const connection = connect({
    command,
    args,
    cwd,
    env: definedOnly(port.env),
    limits,
    onNotification: () => {},
    onRequest: () => null,
    onLog: port.stderr,
    heartbeat: () => {},
    busy: () => false,
  });
  const introduced = await introduce({ connection, limits, cwd }, port.version);
  connection.kill("SIGTERM");
  await connection.close();
  return introduced;
}
