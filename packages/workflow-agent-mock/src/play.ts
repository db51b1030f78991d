import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  type AgentContext,
  type AgentDefinition,
  type AgentReply,
  err,
  type Fault,
  ok,
  type Result,
  type SessionFacts,
} from "@uncaged/workflow-agent-kit";
import {
  chooseEntry,
  ENV,
  type Entry,
  parseScenario,
  type Scenario,
  withHashes,
} from "@uncaged/workflow-util";

/** What `uwf-mock --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-mock --scenario scenario.yaml"

Usage: uwf-mock [--scenario <file>] <thread-id> <role>

A uwf agent that plays a scenario, for demos and for tests without a network. The scenario is a YAML file: for each
role its replies. The n-th visit of a role in the thread plays the n-th, the last one repeats. A reply is what an agent
would say: a YAML header with the fields of the role's meta between two lines ---, then free text.

Options:
  --scenario <file>    the scenario; without it UWF_MOCK_SCENARIO names the file
  --version

Keys of the scenario:
  roles     for each role a list of entries
  expect    the roles in their order; another order is an error
  end       for \`uwf workflow test\`: $END or $FAIL
  prompt    for \`uwf workflow test\`: the task
  texts     texts by name; {{name}} in a reply is the hash of the stored text

Keys of an entry:
  reply          what the agent says; needed unless exitCode is not 0
  delayMs        waits before it replies
  exitCode       the exit code of the process
  stdoutNoise, stderr
                 printed before the hash, and to stderr
  sessionId      the session of the reply
  sessionLost    true: the session of the last visit is gone
  continue       replies when the header was not valid and is asked for again
  usage          {inputTokens, outputTokens, costUsd}

An example to paste into a shell, with <thread> replaced by the id that start prints:

cat > note.yaml <<'END'
name: note
description: Has a note reviewed.
roles:
  reviewer:
    description: Accepts or rejects
    goal: A clear note
    capabilities: []
    procedure: Read the note.
    output: The verdict
    meta: { type: object, required: [approved], properties: { approved: { type: boolean } } }
conditions:
  rejected:
    description: Once more
    expression: steps[-1].output.approved = false
graph:
  $START: [{ role: reviewer, condition: null }]
  reviewer: [{ role: reviewer, condition: rejected }, { role: $END, condition: null }]
END
cat > scenario.yaml <<'END'
expect: [reviewer, reviewer]
roles:
  reviewer:
    - reply: |
        ---
        approved: false
        ---
        The second sentence is unclear.
    - reply: |
        ---
        approved: true
        ---
        Clear now.
END
uwf thread start ./note.yaml -p "Review the note"
uwf thread run <thread> --agent "uwf-mock --scenario scenario.yaml"
uwf thread read <thread>
`;

const USAGE =
  "usage: uwf-mock [--scenario <file>] <thread-id> <role>; without the option UWF_MOCK_SCENARIO names the file";

const LARGEST = 16 * 1024 * 1024;

/** The scenario named by the command line, else by the environment. */
async function openScenario(
  { args, env }: Pick<AgentContext, "args" | "env">,
  cwd: string,
): Promise<Result<Scenario, Fault>> {
  const named = scenarioOption(args);
  if (!named.ok) return err({ code: "USAGE", reason: named.error, usage: USAGE });
  const path = named.value ?? env[ENV.mockScenario] ?? "";
  if (path === "") return err({ code: "USAGE", reason: "no scenario is named", usage: USAGE });
  const file = resolve(cwd, path);
  const text = read(file);
  if (!text.ok) return text;
  const parsed = await parseScenario(text.value, path);
  if (parsed.ok) return ok(parsed.scenario);
  const reason = parsed.problems.map((problem) => `\n  ${problem}`).join("");
  return err({ code: "INVALID_INPUT", what: `scenario ${path}`, reason });
}

/** `--scenario file` or `--scenario=file`, and nothing else. */
function scenarioOption(args: readonly string[]): Result<string | null, string> {
  const [first, second, ...rest] = args;
  if (first === undefined) return ok(null);
  if (first.startsWith("--scenario=") && second === undefined) {
    return ok(first.slice("--scenario=".length));
  }
  if (first !== "--scenario") return err(`unknown argument ${first}`);
  if (second === undefined || second === "") return err("--scenario needs a file");
  return rest[0] === undefined ? ok(second) : err(`unknown argument ${rest[0]}`);
}

/** The path is wrong or not readable; any other error is a disk failure, which may pass. */
const MISNAMED: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "EACCES", "ENAMETOOLONG"]);

function read(path: string): Result<string, Fault> {
  try {
    const { size } = statSync(path);
    if (size > LARGEST) return err({ code: "TOO_LARGE", what: path, size, limit: LARGEST });
    return ok(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    if (!MISNAMED.has(reason))
      return err({ code: "IO_FAILED", operation: "read", path, errno: reason, reason });
    return err({ code: "FILE_NOT_FOUND", path, reason });
  }
}

/** The session fields of an entry; `null` if it has none. */
function facts({ sessionId, usage }: Entry): Partial<SessionFacts> | null {
  return sessionId === null && usage === null ? null : { sessionId, usage };
}

/** The reply to the n-th correction of the header. */
function correct(entry: Entry, role: string, number: number): AgentReply {
  const { continue: corrections } = entry;
  const text = corrections[Math.min(number, corrections.length) - 1];
  if (text !== undefined) return { kind: "text", text, session: { sessionId: entry.sessionId } };
  return failure(role, "has no `continue` in its entry");
}

function lose(role: string, sessionId: string): AgentReply {
  return { ...failure(role, `has lost session ${sessionId}, as the scenario says,`), sessionLost: true };
}

function failure(role: string, outcome: string): Extract<AgentReply, { readonly kind: "failed" }> {
  return { kind: "failed", fault: { code: "AGENT_FAILED", command: "uwf-mock", role, outcome, stderr: "" } };
}

/** What an entry does besides replying; the binary passes the real functions. */
export type Stage = {
  /** The base of a relative scenario path. */
  readonly cwd: string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Resolves after `ms`, or as soon as `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Sets the exit code of the process. */
  readonly exitWith: (code: number) => void;
};

/** The two functions of the agent: the first call plays the entry, later ones its corrections. */
export function mockAgent(stage: Stage): Required<Pick<AgentDefinition, "run" | "continue">> {
  let played: Entry | null = null;
  let corrections = 0;
  const visit = async (context: AgentContext, resumed: string | null): Promise<AgentReply> => {
    const entry = await entryFor(context, stage);
    if ("kind" in entry) return entry;
    if (resumed !== null && entry.sessionLost) return lose(context.role, resumed);
    played = entry;
    return perform(entry, context, stage);
  };
  return {
    run: (context) => visit(context, null),
    continue: (sessionId, _message, context) => {
      if (played === null) return visit(context, sessionId);
      corrections += 1;
      return correct(played, context.role, corrections);
    },
  };
}

/** Plays the scenario's entry for this visit of the role. */
export async function play(context: AgentContext, stage: Stage): Promise<AgentReply> {
  return mockAgent(stage).run(context);
}

type Failed = Extract<AgentReply, { readonly kind: "failed" }>;

async function entryFor(context: AgentContext, stage: Stage): Promise<Entry | Failed> {
  const opened = await openScenario(context, stage.cwd);
  if (!opened.ok) return { kind: "failed", fault: opened.error };
  const scenario = opened.value;
  const choice = chooseEntry(scenario, context);
  if (choice.ok) return withHashes(choice.entry, scenario.texts, context.putText);
  return {
    kind: "failed",
    fault: { code: "INVALID_INPUT", what: `scenario ${scenario.file}`, reason: choice.reason },
  };
}

async function perform(entry: Entry, { role, signal }: AgentContext, stage: Stage): Promise<AgentReply> {
  const { reply, delayMs, exitCode, stdoutNoise, stderr } = entry;
  if (stderr !== null) stage.stderr(withNewline(stderr));
  if (stdoutNoise !== null) stage.stdout(withNewline(stdoutNoise));
  if (delayMs > 0) await stage.sleep(delayMs, signal);
  if (signal.aborted) throw new Error("it was interrupted");
  stage.exitWith(exitCode);
  const session = facts(entry);
  if (reply !== null) return { kind: "text", text: reply, session };
  const outcome = `exited with ${exitCode}, as the scenario says,`;
  const fault = { code: "AGENT_FAILED", command: "uwf-mock", role, outcome, stderr: "" } as const;
  return { kind: "failed", fault, session };
}

/** The hash must be on its own line. */
function withNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
