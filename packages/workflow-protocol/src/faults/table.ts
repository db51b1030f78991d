import { faultMessage, shownIds, suggest } from "@uncaged/json-cas";
import { shellWord } from "../command.js";
import { type HeldThread, waitWords, wayOn } from "../held.js";
import type { RemovedThread } from "../outputs.js";
import { type ReachedLimit, raiseCommand, reachedText } from "../spending.js";
import type { HistoryReason } from "../workflow.js";
import type { CasFaultOf, ExitCode, FaultSpec, Whose } from "./faults.js";
import { type Problem, problemLine } from "./problems.js";
import { canRetry, hintFor, isOfMachine, type ReportedFault, type Why } from "./reason.js";

// One row per failure: when it is met, exit code, whether a retry helps, whose it is, the sentence, what to do next.
// docs/errors.md and `uwf help exit-codes` are made from these rows.

/** For a command that was written as for a shell. */
function oneProgram(command: string): string {
  const [program = ""] = command.trim().split(/\s+/);
  return `a command in config.yaml is one program and never split: \`command: ${program}\`, and the other words in \`args\``;
}

/** The option that a command for a thread of the remote ends with. */
function onRemote({ remote = false }: { readonly remote?: boolean }): string {
  return remote ? " --remote" : "";
}

type Row<Fields> = FaultSpec<Fields>;

/** A row: its exit code, whose the failure is, its texts; without `retryable` no retry helps. */
function row<Fields>(
  exit: Row<Fields>["exit"],
  whose: Row<Fields>["whose"],
  rest: Pick<Row<Fields>, "when" | "message" | "hint"> & Partial<Pick<Row<Fields>, "retryable">>,
): Row<Fields> {
  return { exit, retryable: false, whose, ...rest };
}

/** The reason where a file was expected; the hint goes by it. */
export const IS_FOLDER = "it is a folder";

function yamlKey(name: string): string {
  return /^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name);
}

/** Where routing failed. The moderator does not know nodes: its caller adds them. */
type Routing = {
  readonly workflow: string;
  readonly role: string;
  /** The node that nothing leads on from. */
  readonly head: string | null;
  /** The same node if the step has just been recorded. */
  readonly recorded: string | null;
};
type Condition = Routing & { readonly condition: string; readonly expression: string };

function afterStep(fields: Routing): string {
  return fields.recorded === null ? "" : `; the step before it is recorded as ${fields.recorded}`;
}

const TOO_LONG = /too long for this system/;

/** An agent refuses the words that config.yaml gives it, or for want of something that is not here, or its task. */
function ofRefusal(
  { refusal: { code, reason, message } }: { readonly refusal: ReportedFault },
  of: (code: string) => Whose,
): Whose {
  // A prompt that its program was to take as an argument.
  if (TOO_LONG.test(message)) return "thread";
  const whose = of(code);
  if (whose === "copy") return whose;
  return code === "USAGE" || whose === "machine" || isOfMachine(reason) ? "machine" : "either";
}

/** Of a shell, an interpreter or a launcher: the program is not there, or cannot be executed. */
const NO_PROGRAM = /^exited with 12[67]$/;

function ofFailure({ reason, outcome }: Pick<Why, "reason"> & { readonly outcome: string }): Whose {
  return isOfMachine(reason ?? null) || NO_PROGRAM.test(outcome) ? "machine" : "either";
}

/** What the storage root keeps of one thread. */
const OF_THREAD = /[\\/]runs[\\/][0-9A-Z]{26}[\\/]/;

function ofFile({ file }: { readonly file: string }): Whose {
  return OF_THREAD.test(file) ? "copy" : "machine";
}

/** Project settings are in the thread's folder. */
const IN_PROJECT = /[\\/]\.workflows[\\/]config\.yaml$/;

function ofConfig({ file }: { readonly file: string }): Whose {
  return IN_PROJECT.test(file) ? "thread" : "machine";
}

function at(fields: Condition): string {
  return `condition ${fields.condition} (${fields.expression}) after ${fields.role} in workflow ${fields.workflow}`;
}

/** A damaged run.json may hide a result that has been paid for; a cwd.json can simply be set again. */
function repairOf(file: string): string {
  const placed = /\/runs\/([^/]+)\/cwd\.json$/.exec(file)?.[1];
  if (placed !== undefined) {
    return `repair the file, or change to the folder where the agents should work and set it again: \`uwf thread step ${placed} --cwd .\``;
  }
  const held = /\/runs\/([^/]+)\/(hold|pause|notes|limits|spent)\.jsonl?$/.exec(file);
  if (held?.[2] === "pause") return `\`uwf thread resume ${held[1]}\` removes it, and lets the thread go on`;
  if (held?.[2] === "notes") {
    return `repair the file, or remove it (\`rm ${shellWord(file)}\`) and write it again: \`uwf thread note ${held[1]} <text>\``;
  }
  if (held?.[2] === "limits")
    return `remove the file (\`rm ${shellWord(file)}\`), and set the limits again: \`uwf thread limit ${held[1]} --max-steps 200\``;
  if (held?.[2] === "spent")
    return `repair the file, or remove it (\`rm ${shellWord(file)}\`): uwf then takes the spending from the history and the log`;
  if (held !== null)
    return `remove the file (\`rm ${shellWord(file)}\`): the next step determines again what the thread waits for`;
  const thread = /\/runs\/([^/]+)\/[^/]+\/run\.json$/.exec(file)?.[1];
  return thread === undefined
    ? "repair the file by hand or from a backup"
    : `repair the file, or end the thread (\`uwf thread kill ${thread}\`) and fork its last step (\`uwf thread steps ${thread}\`)`;
}

/** The steps have been paid for: they are continued under the corrected workflow. */
function correct({ workflow, head }: Routing): string {
  return `correct the workflow, register it (\`uwf workflow put <file.yaml>\`), and continue from here: \`uwf thread fork ${head ?? "<head>"} --workflow ${shellWord(workflow)}\``;
}

/** The id of a thread that has taken another one's place has the same end. */
function anEndOf([first = "", ...others]: readonly string[]): string {
  const end = first.slice(-4);
  return others.some((id) => id.endsWith(end))
    ? `, or the complete id: ${first} or ${others.join(" or ")}`
    : `; the last four of an id are enough, as in ${end}`;
}

function blockedHint(blocker: HeldThread | null, first: string): string {
  const all = "`uwf thread list --held` shows every thread that waits";
  if (blocker === null) return `\`uwf thread step ${first}\` takes that one on; ${all}`;
  const { thread, held } = blocker;
  const way = wayOn(blocker, (id) => id) ?? `uwf thread show ${thread}`;
  const words = waitWords(held, thread, (other) => `thread ${other}`);
  return `thread ${thread} ${words}: \`${way}\`; ${all}`;
}

function playedWords({
  role,
  player,
}: {
  readonly role: string | null;
  readonly player: string | null;
}): string {
  if (role === null) return "its next step ends it";
  if (player === null) return `no person plays ${role}, and no agent is configured for it`;
  return player === "workflow"
    ? `another workflow plays ${role}, in a thread below it`
    : `an agent plays ${role}`;
}

/** The first line of what is asked, after a colon. */
function asked(text: string | null): string {
  const [line = ""] = (text ?? "").trim().split("\n", 1);
  return line === "" ? "" : `: ${line}`;
}

function misfit({ step, role, violations }: Misfit): string {
  return violations.map((violation) => `\n  ${step} (${role}): ${violation}`).join("");
}

type Misfit = { readonly step: string; readonly role: string; readonly violations: readonly string[] };

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? "" : "s"}`;
}

const ENDED: Readonly<Record<HistoryReason, string>> = {
  end: "has ended",
  failed: "has ended as failed",
  killed: "was killed",
};

const SIGNAL_EXIT: Readonly<Record<string, ExitCode>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Characters of a thread id; a hash has 13. */
const THREAD_ID = 26;

const HASH = 13;

/** Folders of PATH that a sentence names. */
const FOLDERS_SHOWN = 3;

function shownPath(path: string): string {
  const folders = [...new Set(path.split(":"))];
  const more = folders.length - FOLDERS_SHOWN;
  return more <= 1 ? path : `${folders.slice(0, FOLDERS_SHOWN).join(":")} and ${more} more folders`;
}

function problemList(problems: readonly Problem[], file: string): string {
  return problems.map((problem) => `\n  ${problemLine(problem, file)}`).join("");
}

export const FAULTS = {
  BUG: row<{ readonly reason: string }>(1, "either", {
    when: "uwf itself failed; the stack trace is shown with `UWF_DEBUG=1`",
    message: (f) => `this is a bug in uwf: ${f.reason}`,
    hint: () => "run it again with UWF_DEBUG=1 and report the stack trace",
  }),

  USAGE: row<{ readonly reason: string; readonly usage: string }>(2, "command", {
    when: "an unknown or unsuitable flag, argument or command",
    message: (f) => f.reason,
    hint: (f) => f.usage,
  }),
  MALFORMED_THREAD_ID: row<{ readonly value: string; readonly reason: string }>(2, "command", {
    when: "not a ULID: too short, too long, a character outside the alphabet, or above `7ZZZ…`",
    message: (f) =>
      f.value !== "latest" && suggest(f.value, ["latest"]) !== null
        ? `"${f.value}" is not a thread id, did you mean "latest"?`
        : `"${f.value}" is not a thread id: ${f.reason}`,
    hint: () =>
      "a thread id has 26 characters, of which the last four are enough: see `uwf thread list --all`; " +
      "`latest` is the newest of this folder",
  }),
  MALFORMED_HASH: row<CasFaultOf<"MALFORMED_HASH">>(2, "command", {
    when: "not 13 characters of the alphabet, and no prefix of at least 4",
    message: faultMessage,
    hint: (f) =>
      f.value === "latest" || f.value.length === THREAD_ID
        ? `that is a thread; the hashes of its steps are in \`uwf thread steps ${f.value}\``
        : "a hash has 13 characters of 0-9 A-Z without I L O U, or is a prefix of at least 4",
  }),
  AMBIGUOUS_PREFIX: row<CasFaultOf<"AMBIGUOUS_PREFIX">>(2, "command", {
    when: "an abbreviated id matches several (for a thread: as a prefix, or as a suffix of at least 4); the sentence lists up to twenty, `data` all",
    message: faultMessage,
    hint: (f) =>
      f.candidates.every((id) => id.length === THREAD_ID)
        ? `give more characters${anEndOf(f.candidates)}`
        : "give more characters, or the complete id",
  }),
  PREFIX_TOO_SHORT: row<{
    readonly prefix: string;
    readonly shortest: number;
    readonly candidates: readonly string[];
  }>(2, "command", {
    when: "a command that changes a thread (`step`, `run`, `answer`, `note`, `pause`, `resume`, `limit` with a value, `push`, `kill`, `rm`, `unlock`) needs at least 4 characters of its id, even if fewer are unique; the sentence lists the candidates",
    message: (f) =>
      `"${f.prefix}" is too short for a command that changes a thread: it needs ${f.shortest} characters, and could mean ${shownIds(f.candidates)}`,
    hint: (f) =>
      `give the complete id, or at least ${f.shortest} characters of its beginning or end that no other has, as in ${f.candidates[0]?.slice(-f.shortest)}`,
  }),
  MALFORMED_AGENT_COMMAND: row<{ readonly text: string; readonly reason: string }>(2, "command", {
    when: "`--agent` is not one program with its arguments: an unbalanced quote, or `&&`, a pipe or `>` outside of quotes, which need a shell",
    message: (f) => `--agent "${f.text}" is not one program with its arguments: ${f.reason}`,
    hint: () => "quote it as for a shell, or name an alias of config.yaml",
  }),

  THREAD_NOT_FOUND: row<{
    readonly thread: string;
    /** Only for a thread that existed and was removed. */
    readonly removed?: RemovedThread;
  }>(3, "command", {
    when: "no active or ended thread has this id; if it was removed, the sentence says so, and `data.removed` has the time and its head",
    message: (f) =>
      f.removed
        ? `thread ${f.thread} was removed at ${new Date(f.removed.at).toISOString()}`
        : `there is no thread ${f.thread}`,
    hint: (f) =>
      f.removed
        ? `as long as \`uwf cas gc\` has not removed its nodes, a new thread can continue from its head: \`uwf thread fork ${f.removed.head}\``
        : "see `uwf thread list --all`",
  }),
  NO_LATEST_THREAD: row<{ readonly folder: string }>(3, "command", {
    when: "a thread was given as `latest`, and none was started in this folder or above it in the same project",
    message: (f) => `no thread was started in ${f.folder}`,
    hint: () => "`uwf thread list --all` shows the threads of every folder; name one by its id",
  }),
  WORKFLOW_NOT_FOUND: row<{
    readonly name: string;
    readonly suggestion: string | null;
    /** A file of the project that has the name, where a registered workflow is wanted. */
    readonly file?: string;
  }>(3, "command", {
    when: "no file, hash, local or registered workflow has this name",
    message: (f) =>
      `there is no workflow ${f.name}${f.suggestion === null ? "" : `, did you mean "${f.suggestion}"?`}`,
    hint: (f) =>
      f.file === undefined
        ? "see `uwf workflow list`, or register one with `uwf workflow put <file.yaml>`"
        : `${f.file} is not registered: \`uwf workflow put ${shellWord(f.file)}\` does that`,
  }),
  NOT_ON_REMOTE: row<{ readonly thread: string }>(3, "command", {
    when: "the remote has no such thread",
    message: (f) => `the remote has no thread ${f.thread}`,
    hint: (f) =>
      `${f.thread === "latest" ? "`latest` is a thread of this storage root; " : ""}name one by its id, or at least 4 characters of its beginning or end: \`uwf thread list --all --remote\``,
  }),
  GIT_REF_UNKNOWN: row<{ readonly url: string; readonly ref: string }>(3, "thread", {
    when: "the repository of a thread of a remote (`submit --workspace`) has no such branch, tag or commit; the thread is held until it is resumed",
    message: (f) => `the repository ${f.url} has no ${f.ref}`,
    hint: () => "name a branch, a tag, or a commit by its whole hash; `git ls-remote` lists the first two",
  }),
  NODE_MISSING: row<CasFaultOf<"NODE_MISSING">>(3, "thread", {
    when: "no node has this hash",
    message: faultMessage,
    hint: (f) =>
      f.hash.length < HASH
        ? `no hash begins with this; if it is a thread, the hashes of its steps are in \`uwf thread steps ${f.hash}\``
        : "check the hash and the storage root; `uwf cas list` shows what is there",
  }),
  FILE_NOT_FOUND: row<{ readonly path: string; readonly reason: string }>(3, "command", {
    when: "a given file cannot be read",
    message: (f) => `cannot read ${f.path}: ${f.reason}`,
    hint: (f) => (f.reason === IS_FOLDER ? "name a file in it" : "check the path"),
  }),
  NO_SCENARIO: row<{ readonly workflow: string; readonly file: string }>(3, "command", {
    when: "`workflow test`: no scenario lies beside the workflow, and none is named",
    message: (f) =>
      `workflow ${f.workflow} has no scenario: there is no ${f.workflow}.scenario.yaml and no ${f.workflow}.*.scenario.yaml beside ${f.file}`,
    hint: (f) =>
      `\`uwf workflow test ${shellWord(f.file)} --update\` writes one, or name one with --scenario`,
  }),

  INVALID_WORKFLOW: row<{ readonly file: string; readonly problems: readonly Problem[] }>(4, "command", {
    when: "the workflow file breaks the rules; every problem with file, line and column",
    message: (f) =>
      `${f.file} is not a valid workflow, ${f.problems.length} problem${f.problems.length === 1 ? "" : "s"}:${problemList(f.problems, f.file)}`,
    hint: (f) =>
      f.file === "(stdin)"
        ? "nothing was stored"
        : `nothing was stored; \`uwf workflow validate ${shellWord(f.file)}\` shows each place in the file`,
  }),
  INVALID_CONFIG: row<{ readonly file: string; readonly problems: readonly Problem[] }>(4, ofConfig, {
    when: "config.yaml, or `.workflows/config.yaml` of the project, breaks its schema; key, line and column",
    message: (f) => `${f.file} is not valid:${problemList(f.problems, f.file)}`,
    hint: () => "correct the file, then check it with `uwf doctor`",
  }),
  SCENARIOS_FAILED: row<{ readonly failed: number; readonly total: number }>(4, "command", {
    when: "`workflow test`: a step of a scenario differs from what it expects; the result is on stdout",
    message: (f) => `${f.failed} of ${count(f.total, "scenario")} failed`,
    hint: () =>
      "correct the workflow, or what the scenario says; the result shows the first wrong step of each",
  }),
  FILE_EXISTS: row<{ readonly path: string; readonly instead: string }>(4, "command", {
    when: "a file that a command would write exists already; nothing was written",
    message: (f) => `${f.path} exists already`,
    hint: (f) => `nothing was written; ${f.instead}`,
  }),
  INVALID_INPUT: row<{
    readonly what: string;
    readonly reason: string;
    /** What is right, where the reason does not say so already. */
    readonly hint?: string;
  }>(4, "command", {
    when: "an invalid value: a prompt that is empty, not UTF-8 or contains NUL, a hash of the wrong node, a malformed time or name",
    message: (f) => `${f.what}: ${f.reason}`,
    hint: (f) => f.hint ?? `correct ${f.what}`,
  }),
  TOO_LARGE: row<{
    readonly what: string;
    /** Bytes; `null` where reading stopped at the limit. */
    readonly size: number | null;
    readonly limit: number;
  }>(4, "thread", {
    when: "over one of the size limits",
    message: (f) =>
      f.size === null
        ? `${f.what} is larger than ${f.limit} bytes, the limit`
        : `${f.what} is ${f.size} bytes, the limit is ${f.limit}`,
    hint: () => "make it smaller, or move most of it into files that the agent reads",
  }),
  STEPS_DO_NOT_FIT: row<{
    /** As it was named. */
    readonly workflow: string;
    readonly problems: readonly Misfit[];
    /** The newest node before the first of them. */
    readonly fits: string;
  }>(4, "command", {
    when: "a fork under another workflow has steps whose role does not exist there, or whose output is not valid there",
    message: (f) =>
      `${count(f.problems.length, "step")} of the thread ${f.problems.length === 1 ? "does" : "do"} not fit the workflow ${f.workflow}:${f.problems.map(misfit).join("")}`,
    hint: (f) =>
      `nothing was written; correct the workflow, or continue from before these steps: \`uwf thread fork ${f.fits} --workflow ${shellWord(f.workflow)}\``,
  }),
  WRONG_NODE_TYPE: row<{ readonly hash: string; readonly expected: string; readonly got: string }>(
    4,
    "thread",
    {
      when: "the node exists, but the command needs another type",
      message: (f) => `node ${f.hash} is a ${f.got}, not a ${f.expected}`,
      hint: (f) => `give the hash of a ${f.expected}`,
    },
  ),
  NO_AGENT: row<{ readonly workflow: string; readonly role: string; readonly ofChild: boolean }>(
    4,
    "machine",
    {
      when: "neither `--agent` nor an override nor `defaultAgent` says which agent plays the role",
      message: (f) => `no agent is configured for role ${f.role} of workflow ${f.workflow}`,
      hint: (f) =>
        f.ofChild
          ? `--agent does not reach child threads: \`uwf setup --agent <command>\`, or agentOverrides.${yamlKey(f.workflow)}.${yamlKey(f.role)} in config.yaml`
          : "choose one for this step with --agent <command>, or for all steps: `uwf setup --agent <command>`",
    },
  ),
  ALIAS_UNDEFINED: row<{
    /** The project's settings, which name it. */
    readonly file: string;
    readonly missing: readonly {
      readonly workflow: string;
      readonly role: string;
      readonly alias: string;
      readonly line: number;
      readonly column: number;
    }[];
    /** Whether config.yaml has `agents`: a key may stand there once. */
    readonly hasAgents: boolean;
  }>(4, "machine", {
    when: "`.workflows/config.yaml` of the project gives a role to an alias that the user's own config.yaml does not define",
    message: (f) =>
      f.missing
        .map(({ workflow, role, alias, line, column }) => {
          const place = `${f.file}:${line}:${column}`;
          return `${place}: ${role} of ${workflow} is to be played by the agent "${alias}", which your config.yaml does not define`;
        })
        .join("\n"),
    hint: (f) => {
      const names = [...new Set(f.missing.map(({ alias }) => alias))];
      const lines = names.map((name) => `\n  ${yamlKey(name)}: { command: <program>, args: [] }`).join("");
      const place = f.hasAgents ? "below `agents:` in config.yaml" : "to config.yaml";
      const key = f.hasAgents ? "" : "\nagents:";
      return `run \`uwf setup\` in that project, or add ${place} of the storage root:${key}${lines}`;
    },
  }),
  NOT_REMOVABLE: row<{
    readonly thread: string;
    /** The thread that it belongs to, which is there; `null`: it has not ended. */
    readonly parent: string | null;
  }>(4, "command", {
    when: "`thread rm` of a thread that has not ended, or of a child whose parent still exists",
    message: (f) =>
      f.parent === null
        ? `thread ${f.thread} cannot be removed: it has not ended`
        : `thread ${f.thread} cannot be removed: thread ${f.parent}, which started it, keeps it`,
    hint: (f) =>
      f.parent === null
        ? `nothing was removed; end it first: \`uwf thread kill ${f.thread}\``
        : `nothing was removed; remove it together with its parent: \`uwf thread rm ${f.parent}\``,
  }),
  NOT_ASKED: row<{
    readonly thread: string;
    /** `null`: its next step ends it. */
    readonly role: string | null;
    /** Who plays it; `null`: no agent is configured. */
    readonly player: "agent" | "workflow" | null;
    /** The thread below it where a person is asked. */
    readonly instead: string | null;
    /** Whether the thread is one of the remote. */
    readonly remote: boolean;
  }>(4, "command", {
    when: "`thread answer` for a role that no person plays, without `--take-over`; if another thread asks, the hint names it",
    message: (f) => `thread ${f.thread} asks no question at its head: ${playedWords(f)}`,
    hint: (f) => {
      if (f.instead !== null)
        return `thread ${f.instead}, below it, asks: \`uwf thread answer ${f.instead} --show${onRemote(f)}\``;
      const step = f.remote
        ? `leave it to the workers (\`uwf thread show ${f.thread} --remote\` shows its state)`
        : `step it (\`uwf thread step ${f.thread}\`)`;
      const place = f.player === "workflow" ? "the place of that workflow" : "the agent's place";
      return f.role === null ? step : `${step}, or answer in ${place} with --take-over`;
    },
  }),
  INVALID_ANSWER: row<{
    readonly thread: string;
    readonly role: string;
    readonly violations: readonly string[];
    /** Whether the thread is one of the remote. */
    readonly remote: boolean;
  }>(4, "command", {
    when: "a person's answer violates the role's `meta`; every violation is listed, nothing is stored",
    message: (f) =>
      `the answer as ${f.role} is not valid:${f.violations.map((line) => `\n  ${line}`).join("")}`,
    hint: (f) =>
      `nothing was stored; \`uwf thread answer ${f.thread} --show${onRemote(f)}\` shows the fields`,
  }),
  KEY_TAKEN: row<{ readonly key: string; readonly thread: string }>(4, "command", {
    when: "`thread start --key` with a key that belongs to a thread with another workflow or task",
    message: (f) =>
      `the key ${shellWord(f.key)} belongs to thread ${f.thread}, which has another workflow or task`,
    hint: (f) => `use another key, or go on with that thread: \`uwf thread show ${f.thread}\``,
  }),
  TOO_DEEP: row<{ readonly parent: string; readonly limit: number }>(4, "thread", {
    when: "a child thread deeper than `maxDepth` (config.yaml, 3)",
    message: (f) =>
      `thread ${f.parent} is already ${f.limit} deep in threads that started one another, and may not start another`,
    hint: (f) =>
      `if this is meant, raise the limit in config.yaml (maxDepth: ${f.limit + 1}); \`uwf thread list --tree\` shows which thread started which`,
  }),
  REMOTE_NOT_SET: row<Record<never, never>>(4, "machine", {
    when: "`UWF_REMOTE_URL` is not set",
    message: () => "no remote is named: UWF_REMOTE_URL is not set",
    hint: () => "set it to the address of a database: `uwf help remotes` has the forms",
  }),
  REMOTE_NOT_INSTALLED: row<Record<never, never>>(4, "machine", {
    when: "the package @uncaged/workflow-remote is not installed beside uwf",
    message: () => "remotes need the package @uncaged/workflow-remote, which is not installed beside uwf",
    hint: () =>
      "it is not on the npm registry yet. In a checkout of uwf, run `npm pack --workspaces --pack-destination tarballs`; then, where uwf is installed, `npm install <checkout>/tarballs/*.tgz` (with --global if uwf is)",
  }),
  WORKER_UNFIT: row<{
    readonly thread: string;
    /** The sentence of the fault, its hint and its exit code. */
    readonly reason: string;
    readonly hint: string;
    readonly exit: ExitCode;
    /** How many threads have failed here in a row; `null`: the fault itself is the machine's. */
    readonly inRow: number | null;
  }>({ among: [1, 4, 6, 7, 74], of: ({ exit }) => exit }, "machine", {
    when: "a worker ends because every thread would fail there: no agent, no key or credit, no network, a full disk, a damaged storage root; or because three different threads in a row have failed; other workers can take the thread; the exit code is that of the fault",
    message: (f) =>
      f.inRow === null
        ? `this worker cannot step thread ${f.thread} or any other: ${f.reason}`
        : `${f.inRow} threads in a row have failed at this worker, the last of them ${f.thread}: ${f.reason}`,
    hint: (f) =>
      `${f.hint}. Then start the worker again; the thread is ready for others${f.inRow === null ? "" : ", and `uwf thread resume --remote --failed` resumes the failed ones"}`,
  }),
  GIT_UNUSABLE: row<{ readonly reason: string }>(4, "machine", {
    when: "a thread of a remote works in a git repository, and the worker's machine has no git, or one before 2.31; the worker ends with `WORKER_UNFIT`",
    message: (f) => `git cannot be used: ${f.reason}`,
    hint: () => "install git where the worker runs; only threads with a --workspace need it",
  }),
  GIT_BRANCH_MOVED: row<{ readonly url: string; readonly branch: string; readonly thread: string }>(
    4,
    "thread",
    {
      when: "another client has changed the branch `uwf/<thread>` of a thread's repository, and the thread's commits do not follow from it; a finished step stays in the worker's root, which pushes it when the thread is resumed",
      message: (f) =>
        `another client has changed the branch ${f.branch} of ${f.url}: it has commits that thread ${f.thread} lacks, or lacks some of its own`,
      hint: () => "merge what is missing into the branch, or delete it, then resume the thread",
    },
  ),
  REMOTE_NOT_READY: row<{
    readonly found: number | null;
    readonly needed: number | null;
    /** Where an embedded database should be and is not; `null`: there is one. */
    readonly folder: string | null;
  }>(4, "machine", {
    when: "the remote has no uwf tables, or those of another version; or the address names a folder without a database, which only `remote init` makes",
    message: (f) =>
      f.folder !== null
        ? `there is no database in ${f.folder}`
        : f.found === null || f.needed === null || f.found === 0
          ? "the remote has no tables of uwf"
          : `the remote's tables have version ${f.found}, this uwf needs version ${f.needed}`,
    hint: (f) =>
      (f.found ?? 0) > (f.needed ?? 0)
        ? "update uwf and @uncaged/workflow-remote here: a newer one has changed the tables"
        : `${f.folder === null ? "create or update them" : "if UWF_REMOTE_URL is right, make one"}: \`uwf remote init\``,
  }),
  NO_API_KEY: row<{ readonly variable: string }>(4, "machine", {
    when: "(agents) the model's API key is in neither `.env` nor the environment",
    message: (f) => `the model has no API key: ${f.variable} is not set`,
    hint: (f) => `add a line ${f.variable}=… to .env of the storage root, or set the variable`,
  }),
  AGENT_NOT_FOUND: row<{
    readonly command: string;
    readonly path: string;
    readonly suggestion: string | null;
  }>(4, "machine", {
    when: "the agent's program is not on PATH",
    message: (f) =>
      `agent ${f.command} was not found on PATH (${shownPath(f.path)})${f.suggestion === null ? "" : `, did you mean "${f.suggestion}"?`}`,
    hint: (f) =>
      /\s/.test(f.command)
        ? oneProgram(f.command)
        : "install it, give its full path, or choose another with --agent (`uwf doctor` lists those on PATH); cron's PATH is shorter than your shell's",
  }),
  AGENT_NOT_STARTABLE: row<{ readonly command: string; readonly reason: string }>(4, "machine", {
    when: "the agent's program is not executable, a directory, or lacks its interpreter",
    message: (f) => `agent ${f.command} cannot be started: ${f.reason}`,
    hint: (f) =>
      TOO_LONG.test(f.reason)
        ? "Linux takes 128 KiB for one argument or variable, and 2 MiB for all of them: shorten the agent's `args`, put a long text into a file, or unset large variables"
        : /the limit of|out of memory/.test(f.reason)
          ? "a limit on files, processes or memory is reached: raise it (`ulimit -a` shows the limits), then step again"
          : /\s/.test(f.command) && f.reason.startsWith("there is no file")
            ? oneProgram(f.command)
            : `check that ${f.command} is an executable file (chmod +x)`,
  }),
  AGENT_UNUSABLE: row<{ readonly command: string; readonly reason: string; readonly hint: string }>(
    4,
    "machine",
    {
      when: "the agent's program exists, but is not an agent (`claude` instead of `uwf-claude`), has no command to run (`uwf-exec` alone), or drives a program that is not installed",
      message: (f) => `${f.command} cannot play a role: ${f.reason}`,
      hint: (f) => f.hint,
    },
  ),
  SANDBOX_UNAVAILABLE: row<{ readonly command: string; readonly reason: string }>(4, "machine", {
    when: "the agent's `sandbox` is not available: bwrap is not installed, the system allows no namespaces, or a path of `writable` does not exist or is `/`; the agent was not started",
    message: (f) => `agent ${f.command} cannot be started in its sandbox: ${f.reason}`,
    hint: () =>
      "on Debian and Ubuntu `apt-get install bubblewrap` installs bwrap; if that is not possible, or the system allows no namespaces, remove `sandbox` from this agent in config.yaml of the storage root",
  }),
  AGENT_REFUSED: row<{
    readonly command: string;
    readonly role: string;
    /** What the agent says of it. */
    readonly refusal: ReportedFault;
  }>(4, ofRefusal, {
    when: "the agent rejects its configuration: a wrong option, a mistyped scenario; the agent writes sentence and hint",
    message: (f) => `agent ${f.command} cannot work as ${f.role}: ${f.refusal.message}`,
    hint: (f) => f.refusal.hint ?? `correct this agent's args in config.yaml, or --agent`,
  }),
  OLDER_ROOT: row<{ readonly root: string }>(4, "machine", {
    when: "the storage root was written by the original uwf: it has `workflows.yaml` and no `registry.yaml`; `uwf cas get`, `walk`, `list` and `verify` read its nodes, every other command stops",
    message: (f) =>
      `the storage root ${f.root} was written by the original uwf (its names are in workflows.yaml): this uwf can read its nodes, but neither its threads nor its workflows`,
    hint: (f) =>
      `leave it as it is, and \`export UNCAGED_WORKFLOW_STORAGE_ROOT=<new folder>\`; there \`uwf cas import --from-root ${shellWord(f.root)}\` takes its nodes over, and \`uwf workflow put <file.yaml>\` registers its workflows again`,
  }),
  ROOT_NOT_TRUSTED: row<{
    readonly root: string;
    /** The root, or a part of it. */
    readonly path: string;
    readonly uid: number;
    /** Everybody may write it. */
    readonly isOpen: boolean;
  }>(4, "machine", {
    when: "the storage root, its config.yaml, `.env` or `runs/` belongs to another user or is writable by every user; `UWF_TRUSTED_ROOTS` lists roots to trust anyway",
    message: (f) =>
      `the storage root ${f.root} is not trusted: ${f.isOpen ? `every user may write ${f.path}` : `${f.path} belongs to another user (uid ${f.uid})`}, and its files name the commands that uwf runs`,
    hint: (f) =>
      f.isOpen
        ? `check config.yaml; then close it: \`chmod o-w ${shellWord(f.path)}\`, or trust it as it is: \`export UWF_TRUSTED_ROOTS=${shellWord(f.root)}\``
        : `check config.yaml; then trust it: \`export UWF_TRUSTED_ROOTS=${shellWord(f.root)}\``,
  }),
  FOLDER_UNUSABLE: row<{ readonly thread: string; readonly reason: string }>(4, "either", {
    when: "the folder in which the thread's agents work is gone or not readable, or `runs/<thread>/cwd.json` is damaged; `uwf thread step <thread> --cwd .` moves the thread to the current folder for good",
    message: (f) => `the agents of thread ${f.thread} cannot work in its folder: ${f.reason}`,
    hint: (f) =>
      `restore it, or change to the folder where they should work and move the thread there: \`uwf thread step ${f.thread} --cwd .\``,
  }),
  WORKTREE_UNUSABLE: row<{ readonly thread: string; readonly reason: string; readonly hint: string }>(
    4,
    "either",
    {
      when: "`uwf-worktree` cannot make the thread's git worktree, or something else is in its place",
      message: (f) => `thread ${f.thread} cannot work in a worktree of its own: ${f.reason}`,
      hint: (f) => f.hint,
    },
  ),
  UNKNOWN_TYPE: row<CasFaultOf<"UNKNOWN_TYPE">>(4, "thread", {
    when: "a node's type is not a schema in this store",
    message: faultMessage,
    hint: () => "store its schema first: `uwf cas schema put <file.json>`",
  }),
  INVALID_PAYLOAD: row<CasFaultOf<"INVALID_PAYLOAD">>(4, "thread", {
    when: "a payload violates the schema of its type; every violation",
    message: faultMessage,
    hint: (f) => `see the schema: \`uwf cas schema get ${f.type}\``,
  }),
  NOT_STORABLE: row<CasFaultOf<"NOT_STORABLE">>(4, "thread", {
    when: "a value that JSON cannot carry: NaN, undefined, lone surrogates, too deep",
    message: faultMessage,
    hint: () => "only JSON values can be stored",
  }),
  INVALID_SCHEMA: row<CasFaultOf<"INVALID_SCHEMA">>(4, "thread", {
    when: "not a JSON Schema that json-cas accepts; every problem",
    message: faultMessage,
    hint: () => "write JSON Schema 2020-12 without remote references",
  }),

  CONDITION_FAILED: row<Condition & { readonly reason: string }>(5, "thread", {
    when: "a condition's expression does not parse, throws, or hits a limit",
    message: (f) => `${at(f)} failed: ${f.reason}${afterStep(f)}`,
    hint: correct,
  }),
  CONDITION_NOT_BOOLEAN: row<Condition & { readonly value: string; readonly missing: readonly string[] }>(
    5,
    "thread",
    {
      when: "a condition evaluated to something other than true or false, including no value",
      message: (f) => {
        const missing =
          f.missing.length === 0 ? "" : `; it read ${f.missing.join(", ")}, which does not exist`;
        return `${at(f)} gave ${f.value} instead of true or false${missing}${afterStep(f)}`;
      },
      hint: (f) =>
        f.missing.length === 0
          ? `make the expression return true or false; ${correct(f)}`
          : `a missing field makes = and != false and $not undefined: write $exists(x) and x = …; ${correct(f)}`,
    },
  ),
  NO_TRANSITION: row<Routing & { readonly tried: readonly string[] }>(5, "thread", {
    when: "every condition of a role's transitions is false, and there is no fallback",
    message: (f) =>
      `no transition matches after ${f.role} in workflow ${f.workflow}${f.tried.length === 0 ? "" : `; false: ${f.tried.join(", ")}`}${afterStep(f)}`,
    hint: (f) => `add a last transition with condition: null; ${correct(f)}`,
  }),
  UNKNOWN_CONDITION: row<Routing & { readonly condition: string }>(5, "thread", {
    when: "a transition names a condition that does not exist",
    message: (f) =>
      `workflow ${f.workflow} has no condition ${f.condition}, which ${f.role} names${afterStep(f)}`,
    hint: correct,
  }),
  UNKNOWN_ROLE: row<Routing & { readonly target: string }>(5, "thread", {
    when: "a transition leads to a role that does not exist",
    message: (f) => `workflow ${f.workflow} has no role ${f.target}, which ${f.role} leads to${afterStep(f)}`,
    hint: correct,
  }),

  AGENT_FAILED: row<
    Why & {
      readonly command: string;
      readonly role: string;
      /** `exited with 3`, `was ended by SIGKILL`. */
      readonly outcome: string;
      /** The end of its stderr; uwf has already shown it. */
      readonly stderr: string;
    }
  >(6, ofFailure, {
    when: "the agent exited with a status other than 0, or died by a signal; `data.reason` says why; retrying does not help with `auth`, `quota`, and failures that the agent reports as not retryable",
    retryable: canRetry,
    message: (f) => f.message ?? `agent ${f.command} ${f.outcome} as ${f.role}`,
    hint: (f) => f.hint ?? hintFor(f),
  }),
  AGENT_TIMEOUT: row<{
    readonly command: string;
    readonly role: string;
    readonly limit: "timeoutSeconds" | "idleSeconds";
    readonly seconds: number;
  }>(6, "either", {
    when: "the agent hit `timeoutSeconds` or `idleSeconds`",
    retryable: true,
    message: (f) =>
      f.limit === "timeoutSeconds"
        ? `agent ${f.command} ran longer than ${f.seconds} s as ${f.role} and was ended`
        : `agent ${f.command} gave no sign of life for ${f.seconds} s as ${f.role} and was ended`,
    hint: (f) => `step again, or raise ${f.limit} of this agent in config.yaml`,
  }),
  AGENT_BAD_RESULT: row<{ readonly command: string; readonly role: string; readonly problem: string }>(
    6,
    "either",
    {
      when: "the agent's last line is not the hash of a StepNode that continues this head in this role",
      retryable: true,
      message: (f) => `agent ${f.command} returned no valid StepNode as ${f.role}: ${f.problem}`,
      hint: () =>
        "the head has not moved; an agent prints the hash of its StepNode as the last line of stdout",
    },
  ),
  EXTRACT_FAILED: row<{
    readonly role: string;
    readonly violations: readonly string[];
    readonly raw: string;
  }>(6, "either", {
    when: "(agents) the reply has no valid structured output and no model could extract it; the sentence lists every violation, the answer of the model's endpoint, and where the raw reply is stored",
    retryable: true,
    message: (f) =>
      `the reply as ${f.role} has no valid structured output:${f.violations.map((violation) => `\n  ${violation}`).join("")}\nthe raw reply is kept as ${f.raw}`,
    hint: (f) => `read it with \`uwf cas get ${f.raw}\`; step again to retry`,
  }),

  STORE_DAMAGED: row<{ readonly file: string; readonly reason: string }>(7, ofFile, {
    when: "a file of the storage root cannot be parsed or has the wrong shape",
    message: (f) => `${f.file} is damaged: ${f.reason}`,
    hint: (f) => `nothing was changed; ${repairOf(f.file)}`,
  }),
  CHAIN_DAMAGED: row<{ readonly head: string; readonly node: string; readonly reason: string }>(7, "copy", {
    when: "a node of a thread's history is missing, damaged or of the wrong type",
    message: (f) => `the history of ${f.head} is damaged at node ${f.node}: ${f.reason}`,
    hint: () =>
      "nothing was changed; restore the node from a backup or import an export that has it; `uwf cas verify` lists every damaged node",
  }),
  NODE_DAMAGED: row<CasFaultOf<"NODE_DAMAGED">>(7, "copy", {
    when: "a node's file does not match its hash, or is not a node",
    message: faultMessage,
    hint: () =>
      "nothing was changed; restore the node from a backup or import an export that has it; `uwf cas verify` lists every damaged node",
  }),
  PACK_DAMAGED: row<CasFaultOf<"PACK_DAMAGED">>(7, "machine", {
    when: "a pack of nodes, or its index, cannot be read: `reindex` rebuilds an index",
    message: faultMessage,
    hint: () =>
      "nothing was changed; `uwf cas reindex` rebuilds the index of a pack; restore the pack itself from a backup, or import an export that has its nodes",
  }),
  HASH_COLLISION: row<CasFaultOf<"HASH_COLLISION">>(7, "thread", {
    when: "two different contents have the same hash; the second was not stored",
    message: faultMessage,
    hint: () =>
      "nothing was changed; this does not happen by accident: find out where the stored node came from, or change the content slightly",
  }),
  UNSUPPORTED_FORMAT: row<CasFaultOf<"UNSUPPORTED_FORMAT">>(7, "machine", {
    when: "the store was written by a newer version",
    message: faultMessage,
    hint: () => "use the version of uwf that wrote this storage root, or a newer one",
  }),

  THREAD_ENDED: row<{ readonly thread: string; readonly reason: HistoryReason; readonly remote?: true }>(
    8,
    "thread",
    {
      when: "the thread has ended or was killed; a loop is done",
      message: (f) => `thread ${f.thread} ${ENDED[f.reason]}`,
      hint: (f) =>
        `read it with \`uwf thread read ${f.thread}${onRemote(f)}\`; to continue from one of its steps, ${f.remote ? `bring it here with \`uwf thread fetch ${f.thread}\`, ` : ""}find it with \`uwf thread steps ${f.thread}\` and fork it`,
    },
  ),

  RUN_UNFINISHED: row<{
    readonly thread: string;
    readonly steps: number;
    /** The option that bounds the command. */
    readonly limit: "--max-steps" | "--max-cost" | "--timeout";
    /** Whether it was not given. */
    readonly isDefault: boolean;
    /** Whether --agent was given; its words may hold a key. */
    readonly withAgent: boolean;
  }>(9, "thread", {
    when: "`thread run` reached `--max-steps` (200 without it), `--max-cost` or `--timeout`, and the thread has not ended; its last state is on stdout",
    retryable: true,
    message: (f) =>
      `thread ${f.thread} has not ended after ${f.steps} step${f.steps === 1 ? "" : "s"}, the limit ${f.isDefault ? "without" : "of"} ${f.limit}${f.limit === "--max-steps" ? "" : " is reached"}`,
    hint: (f) =>
      `run it again to continue: \`uwf thread run ${f.thread}\`${f.withAgent ? " with the same --agent" : ""}${f.isDefault ? "; --max-steps sets another limit" : ""}`,
  }),

  WAITING_FOR_ANSWER: row<{
    readonly thread: string;
    readonly role: string;
    /** `null`: the role's goal and procedure say what is to be answered. */
    readonly question: string | null;
  }>(9, "thread", {
    when: "the role or its agent asks a person; nothing was started",
    message: (f) => `thread ${f.thread} waits for an answer as ${f.role}${asked(f.question)}`,
    hint: (f) =>
      `see what is asked with \`uwf thread answer ${f.thread} --show\`, then answer it with --field <name>=<value>, -f <file> or --edit`,
  }),
  WAITING_FOR_THREADS: row<{
    readonly thread: string;
    readonly role: string;
    readonly threads: readonly string[];
    /** One of them, or of those below, that waits itself; `null`: they only have to be stepped. */
    readonly blocker: HeldThread | null;
  }>(9, "thread", {
    when: "the role's agent waits for other threads, and none of them has moved",
    retryable: true,
    message: (f) => `thread ${f.thread} waits as ${f.role} for ${f.threads.join(", ")}`,
    hint: (f) => blockedHint(f.blocker, f.threads[0] ?? f.thread),
  }),
  WAITING: row<{ readonly thread: string; readonly role: string; readonly question: string | null }>(
    9,
    "thread",
    {
      when: "the role's agent waits for something that only it can check",
      retryable: true,
      message: (f) => `thread ${f.thread} waits as ${f.role}${asked(f.question)}`,
      hint: (f) => `step it again later: \`uwf thread step ${f.thread}\` asks its agent whether it can go on`,
    },
  ),
  THREAD_PAUSED: row<{ readonly thread: string; readonly why: string | null; readonly remote: boolean }>(
    9,
    "thread",
    {
      when: "a person has paused the thread",
      message: (f) => `thread ${f.thread} is paused${asked(f.why)}`,
      hint: (f) => `let it go on with \`uwf thread resume ${f.thread}${onRemote(f)}\``,
    },
  ),
  THREAD_ON_REMOTE: row<{ readonly thread: string; readonly head: string }>(9, "thread", {
    when: "the thread was pushed to the remote, fetched from it, or leased by a worker of this root: workers step it, and a second step here would run its agent twice",
    message: (f) => `thread ${f.thread} goes on at the remote, where workers step it`,
    hint: (f) =>
      `\`uwf thread show ${f.thread} --remote\` shows its state there; answer, pause, resume and kill take --remote, too. \`uwf thread fork ${f.head}\` starts a separate thread here`,
  }),

  LIMIT_REACHED: row<ReachedLimit & { readonly thread: string }>(9, "thread", {
    when: "the thread, or one above it, has spent what its limits allow; `thread limit` raises them",
    message: (f) =>
      `thread ${f.thread} has reached a limit${f.of === f.thread ? "" : ` of thread ${f.of}`}: ${reachedText(f)}`,
    hint: (f) =>
      `\`uwf thread usage ${f.of} --table\` shows the cost of each step; \`${raiseCommand(f)}\` lets it go on`,
  }),

  THREAD_FAILED: row<{ readonly thread: string }>(10, "thread", {
    when: "the workflow led to `$FAIL`; the last state is on stdout",
    message: (f) => `thread ${f.thread} has ended as failed: its workflow led to $FAIL`,
    hint: (f) =>
      `see why with \`uwf thread read ${f.thread}\`; to continue from an earlier step, find it with \`uwf thread steps ${f.thread}\` and fork it`,
  }),

  IO_FAILED: row<CasFaultOf<"IO_FAILED">>(74, "machine", {
    when: "a file-system call failed: disk full, no permission, read-only",
    retryable: true,
    message: faultMessage,
    hint: (f) =>
      f.path === "stdout"
        ? "only the output is lost, the command has done its work; `uwf thread list` shows the state of each thread"
        : f.errno === "ENOENT" && f.operation === "write"
          ? "create the missing folder, then repeat the command"
          : f.reason.includes("no hard links")
            ? "uwf needs them: set UNCAGED_WORKFLOW_STORAGE_ROOT to a folder on a local disk, e.g. ext4, xfs, btrfs or APFS"
            : f.errno === "EACCES"
              ? "`uwf doctor` lists what this user may not write, and the command that mends it"
              : "check free space, permissions and mount options of the storage root, then repeat the command",
  }),
  AGENT_IO_FAILED: row<{
    readonly command: string;
    readonly role: string;
    /** What the agent says of it; a full disk may have kept it from saying anything. */
    readonly problem: string | null;
  }>(74, "machine", {
    when: "the agent exited with 74: it could not write; not repeated by `retries`",
    retryable: true,
    message: (f) =>
      `agent ${f.command} as ${f.role} could not write: ${f.problem ?? "it exited with 74 (I/O error)"}`,
    hint: () =>
      "check free space and permissions of the storage root, then step again; `uwf doctor` checks both",
  }),
  STORAGE_ROOT_UNUSABLE: row<{ readonly path: string; readonly reason: string }>(74, "machine", {
    when: "the storage root is a file, or cannot be determined",
    message: (f) => `the storage root ${f.path} cannot be used: ${f.reason}`,
    hint: () => "set UNCAGED_WORKFLOW_STORAGE_ROOT to a folder that you can write",
  }),

  GIT_FAILED: row<{ readonly url: string; readonly action: string; readonly reason: string }>(74, "either", {
    when: "git could not fetch from a thread's repository, or push to it; the worker tries again every 30 seconds, and does not run a finished step again",
    retryable: true,
    message: (f) => `git could not ${f.action} ${f.url}: ${f.reason}`,
    hint: () =>
      "check that the address is right, and that git may do this on the worker's machine without a prompt: with a credential helper or an SSH key",
  }),
  REMOTE_FAILED: row<{ readonly reason: string; readonly sqlstate: string | null }>(74, "machine", {
    when: "the remote's database cannot be reached, or refused a statement; a worker that is already running tries again by itself",
    retryable: true,
    message: (f) =>
      `the remote's database failed: ${f.reason}${f.sqlstate === null ? "" : ` (${f.sqlstate})`}`,
    hint: () => "check that it runs, and that UWF_REMOTE_URL has the right address, user and password",
  }),
  THREAD_BUSY: row<{ readonly thread: string; readonly holder: string }>(75, "thread", {
    when: "another process holds the thread, or its agent still runs",
    retryable: true,
    message: (f) => `thread ${f.thread} is busy: ${f.holder}`,
    hint: (f) =>
      `wait for it (\`uwf thread step ${f.thread} --wait\`) or end it and give the thread up (\`uwf thread kill ${f.thread}\`); \`uwf thread unlock ${f.thread}\` shows who holds it, and --force releases the lock of a process that is gone but cannot be checked from here`,
  }),
  REMOTE_BUSY: row<{ readonly thread: string }>(75, "thread", {
    when: "a worker has the thread of the remote",
    retryable: true,
    message: (f) => `a worker has thread ${f.thread} of the remote`,
    hint: () => "wait until it has finished its step, then check the thread's state before you try again",
  }),
  REMOTE_IN_USE: row<{ readonly folder: string; readonly holder: string }>(75, "machine", {
    when: "another process uses the embedded database, which serves one at a time",
    retryable: true,
    message: (f) => `the database in ${f.folder} is in use by ${f.holder}`,
    hint: () =>
      "a folder serves one process at a time: repeat the command when that one has ended. A worker uses it until it ends; to run commands beside a worker, set UWF_REMOTE_URL to a server",
  }),
  WORKER_BUSY: row<{ readonly root: string; readonly holder: string }>(75, "machine", {
    when: "another worker uses the storage root",
    retryable: true,
    message: (f) => `another worker uses the storage root ${f.root}: ${f.holder}`,
    hint: () => "let that one do more at a time (--jobs), or give this one a storage root of its own",
  }),
  ROOT_NAME_TAKEN: row<{ readonly worker: string; readonly silence: number; readonly wait: number }>(
    75,
    "machine",
    {
      when: "the remote knows another worker under the name of this storage root: one root is a copy of the other",
      retryable: true,
      message: (f) =>
        `the remote knows another worker under the name of this storage root, ${f.worker}, last heard from ${f.silence} s ago`,
      hint: (f) =>
        `this root and that one are copies of each other: delete root.json in one of them while its worker is stopped, and it gets another name; if that worker has ended, start this one again in ${f.wait} s`,
    },
  ),
  RATE_LIMITED: row<{ readonly command: string; readonly role: string; readonly retryAfter: number }>(
    75,
    "machine",
    {
      when: "the agent hit a rate limit that lasts longer than the step may wait; `data.retryAfter` is in seconds",
      retryable: true,
      message: (f) =>
        `agent ${f.command} as ${f.role} reached the provider's rate limit, which ends in ${f.retryAfter} s`,
      hint: (f) => hintFor({ reason: "rate-limit", retryAfter: f.retryAfter }),
    },
  ),
  HEAD_MOVED: row<{ readonly thread: string; readonly expected: string; readonly found: string }>(
    75,
    "thread",
    {
      when: "another process moved the head while the agent ran, or the head is not the one that `--expect` names; the store is consistent",
      retryable: true,
      message: (f) => `the head of thread ${f.thread} moved from ${f.expected} to ${f.found} in the meantime`,
      hint: () => "step again to continue from the new head",
    },
  ),
  QUESTION_GONE: row<{ readonly thread: string; readonly head: string; readonly by: string | null }>(
    75,
    "thread",
    {
      when: "the thread had moved on before the answer came; if a person had answered, the sentence says who",
      message: (f) =>
        f.by === null
          ? `thread ${f.thread} has moved on from ${f.head}: the answer came too late`
          : `thread ${f.thread} has moved on from ${f.head}: ${f.by} has answered`,
      hint: (f) => `see what was answered with \`uwf thread read ${f.thread}\``,
    },
  ),
  CLAIM_LOST: row<{
    readonly thread: string;
    /** Where the storage root was when the step began, if it is there no longer. */
    readonly movedFrom: string | null;
  }>(75, "thread", {
    when: "a person released this step's lock by force, or moved the storage root, while its agent ran; the head has not moved, and the next step, at the root's new place, adopts the run's result",
    retryable: true,
    message: ({ thread, movedFrom }) =>
      movedFrom === null
        ? `this process lost the lock of thread ${thread} while it was working`
        : `the storage root was moved away from ${movedFrom} during a step of thread ${thread}`,
    hint: ({ thread, movedFrom }) =>
      movedFrom === null
        ? `the lock was released by force; the head has not moved, and \`uwf thread step ${thread}\` continues from it`
        : `the head has not moved: \`uwf thread step ${thread}\` at the root's new place continues from it and uses the agent's result`,
  }),
  LOCK_BUSY: row<CasFaultOf<"LOCK_BUSY">>(75, "machine", {
    when: "a lock was not released in time",
    retryable: true,
    message: faultMessage,
    hint: () =>
      "repeat the command; `uwf thread unlock --index` shows who holds the index lock, and --force releases the lock of a process that is gone but cannot be checked from here",
  }),

  INTERRUPTED: row<{
    readonly signal: string;
    /** The new head when the step was recorded before the end. */
    readonly recorded: string | null;
  }>({ among: [129, 130, 143], of: (f) => SIGNAL_EXIT[f.signal] ?? 143 }, "command", {
    when: "a signal ended the command; a result that arrived in time was used",
    retryable: true,
    message: (f) =>
      `interrupted by ${f.signal}${f.recorded === null ? "" : `; the step was recorded as ${f.recorded}`}`,
    hint: () => "repeat the command to continue",
  }),
} as const;
