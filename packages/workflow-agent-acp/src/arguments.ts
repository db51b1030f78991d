import {
  err,
  missingProgram,
  ok,
  type ProgramReport,
  programReport,
  type Result,
  readLeadingOptions,
} from "@uncaged/workflow-agent-kit";
import { definedOnly, resolveCommand } from "@uncaged/workflow-util";
import { connect } from "./connection.js";
import { introduce } from "./session.js";

/** The protocol's kinds of tool calls. */
export const KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export type Kind = (typeof KINDS)[number];

/** uwf-acp's own arguments, after the gate. */
export type Options = {
  /** Always allowed. */
  readonly allow: ReadonlySet<Kind>;
  /** Never allowed; overrides `allow`. */
  readonly deny: ReadonlySet<Kind>;
  /** Commands that are always allowed, split into words; a last `*` matches any words. */
  readonly commands: readonly (readonly string[])[];
  readonly model: string | null;
  /** Without a message and without a running tool; `null` is no limit. */
  readonly idleSeconds: number | null;
  /** The agent's command; may be empty for `--check`. */
  readonly command: readonly string[];
};

export const USAGE =
  "usage: uwf-acp [--allow <kinds>] [--allow-command <command>]… [--deny <kinds>] [--model <model>] [--idle <seconds>] -- <command> [arguments…]";

export const HELP = `Usage: uwf-acp [options] -- <command> [arguments…] <thread-id> <role>
       uwf-acp --check -- <command> [arguments…]

A uwf agent that runs any agent that speaks the Agent Client Protocol. uwf appends the last two arguments.

  uwf thread step <thread-id> --agent "uwf-acp -- opencode acp"
  uwf thread step <thread-id> --agent "uwf-acp --deny fetch -- gemini --acp"

Options:
  --allow <kinds>            tool calls that are always allowed
  --allow-command <command>  a command that is always allowed: "npm test", or with any arguments: "npm run *";
                             repeatable
  --deny <kinds>             tool calls that are never allowed; overrides both
  --model <model>            the agent's id of the model
  --idle <seconds>           limit on its silence while no tool is running, 900 by default; 0: no limit
  --check                    check whether the agent responds

By default a call is allowed if every path in it stays inside the working folder. A command is rejected unless a rule
allows it. This is a fence, not a sandbox: it only sees calls for which the agent asks permission, so confine the agent
by "sandbox: bwrap" in config.yaml, and then allow it to execute.
Kinds, separated by commas: ${KINDS.join(" ")}, or all.
`;

const IDLE_SECONDS = 900;

const LONGEST_IDLE = 1_000_000;

const DEFAULTS: Omit<Options, "command"> = {
  allow: new Set(),
  deny: new Set(),
  commands: [],
  model: null,
  idleSeconds: IDLE_SECONDS,
};

type Change = Result<Partial<Omit<Options, "command">>, string>;

/** `[options] -- <command…>`; the error is a sentence. */
export function parseArguments(words: readonly string[]): Result<Options, string> {
  const read = readLeadingOptions(words, { flags: [], values: Object.keys(READERS) });
  if (!read.ok) return read;
  let options: Omit<Options, "command"> = DEFAULTS;
  for (const [name, value] of read.value.options) {
    const changed = READERS[name]?.(value, options);
    if (changed?.ok === false) return changed;
    options = { ...options, ...changed?.value };
  }
  return ok({ ...options, command: read.value.command });
}

const READERS: Readonly<Record<string, (value: string, earlier: Omit<Options, "command">) => Change>> = {
  "--allow": (value) => kindsIn("--allow", value, (allow) => ({ allow })),
  "--deny": (value) => kindsIn("--deny", value, (deny) => ({ deny })),
  "--model": (model) => ok({ model }),
  "--idle": (value) => {
    const seconds = Number(value);
    return !/^\d+$/.test(value) || seconds > LONGEST_IDLE
      ? err(`--idle takes whole seconds from 0 (no limit) to ${LONGEST_IDLE}, not ${value}`)
      : ok({ idleSeconds: seconds === 0 ? null : seconds });
  },
  // One command in plain words, without anything that a shell would expand.
  "--allow-command": (value, { commands }) => {
    const words = value.trim().split(/ +/);
    const named = words.at(-1) === "*" ? words.slice(0, -1) : words;
    return named.length > 0 && named.every(isPlain)
      ? ok({ commands: [...commands, words] })
      : err(
          `--allow-command takes one command in plain words, with a * at most as its last word, not ${value}`,
        );
  },
};

/** Whether every shell takes the word as it is, wherever it stands; zsh expands `=name` to the path of a program. */
function isPlain(word: string): boolean {
  return /^(?!=)[\w@%+=:,./-]+$/.test(word);
}

/**
 * Whether a rule of `--allow-command` names a command: exactly these words, or any after a last `*`. Words that a shell
 * could read in another way match nothing, so no agent can append to an allowed command.
 */
export function allowsCommand(rule: readonly string[], words: readonly string[]): boolean {
  const open = rule.at(-1) === "*";
  const named = open ? rule.slice(0, -1) : rule;
  if (open ? words.length < named.length : words.length !== named.length) return false;
  return named.every((text, index) => words[index] === text) && words.every(isPlain);
}

/** A comma-separated list of kinds. */
function kindsIn(
  option: string,
  value: string,
  change: (kinds: ReadonlySet<Kind>) => Partial<Omit<Options, "command">>,
): Change {
  const names = value.split(",").map((name) => name.trim());
  if (names.includes("all")) return ok(change(new Set(KINDS)));
  const unknown = names.find((name) => !isKind(name));
  return unknown === undefined
    ? ok(change(new Set(names.filter(isKind))))
    : err(`${option}: there is no kind "${unknown}"; the kinds are ${KINDS.join(", ")}, and all`);
}

export function isKind(name: unknown): name is Kind {
  return (KINDS as readonly unknown[]).includes(name);
}

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
    port.stderr(`error[USAGE]: ${parsed.error}\nhint: ${USAGE.replace("uwf-acp", "uwf-acp --check")}`);
    return BAD_USAGE;
  }
  const [program, ...args] = parsed.value.command;
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
  if (!greeted.ok) return { ...report(`it ${greeted.error.outcome}`), continues: null };
  const { agent, logins, canLoad, canResume } = greeted.value;
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
