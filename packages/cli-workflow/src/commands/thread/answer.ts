import { argument, flag, list, option, type Request, text } from "@uncaged/command-line";
import type { JsonValue } from "@uncaged/json-cas";
import { exampleOf, outputExample, outputFields } from "@uncaged/workflow-agent-kit";
import {
  type Asked,
  type Given,
  parse,
  readFieldAnswer,
  readQuestion,
  readTextAnswer,
  step,
  threadFailure,
} from "@uncaged/workflow-engine";
import {
  type AnswerShowOutput,
  commandLine,
  err,
  type Fault,
  fault,
  LIMITS,
  ok,
  type Result,
  type StepOutput,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  descendantsOf,
  findHeld,
  readFamily,
  readHeads,
  readParents,
  type Storage,
} from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import {
  type CommandContext,
  defineRootCommand,
  HASH,
  NAME,
  PATH,
  ROLE,
  STEP_FAULTS,
  THREAD,
  WAIT_OPTION,
  waitMsOf,
} from "../../line/index.js";
import { counted, lines, nextCommand, type Screen } from "../../screen/index.js";
import { userName } from "../../user-name.js";
import { readGivenText, type TextKind } from "../given-text.js";
import { readShortIds } from "../known-names.js";
import { document, documentWith, misused, text as printed } from "../output.js";
import { edited } from "./answer-edit.js";

const OPTIONS = {
  field: list(text("name=value"), "one field of the answer; may be repeated"),
  file: option(PATH, "the answer as Markdown with a header, YAML or JSON; - is stdin", { short: "-f" }),
  edit: flag("write the answer in $VISUAL or $EDITOR"),
  show: flag("print the question and the fields, change nothing"),
  head: option(HASH, "only if the thread still is at this head"),
  role: option(ROLE, "only if the question is for this role"),
  by: option(NAME, "who answers (default: $USER)"),
  takeOver: flag("answer in the place of an agent"),
  ...WAIT_OPTION,
};

type AnswerRequest = Request<Record<never, never>, typeof OPTIONS> & {
  readonly thread: string;
  /** Whether the thread is on the remote, so that the commands that are shown for copying ask there. */
  readonly remote: boolean;
};

export const command = defineRootCommand({
  path: "thread answer",
  summary: "answer as the person whom the thread waits for",
  arguments: { thread: argument(THREAD) },
  options: OPTIONS,
  examples: [
    "uwf thread answer 01KAJ5E8 --show",
    'uwf thread answer 01KAJ5E8 --field approved=true --field comments="ship it"',
    "uwf thread answer 01KAJ5E8 -f answer.md",
    "uwf thread answer 01KAJ5E8 --edit",
  ],
  exits: [...STEP_FAULTS, "NOT_ASKED", "INVALID_ANSWER", "QUESTION_GONE"],
  sample: {
    line: 'thread answer ZQ5N --field approved=false --field comments="at what time?"',
    prints: `answered as editor
next: uwf thread run ZQ5N`,
  },
  onRemote: {},
  // A step whose agent is the person who types. An answer that is invalid or too late is not stored.
  run: async (context, given, storage) => {
    // The request has it, where the add-on of remotes runs this on its copy of the thread.
    const request: AnswerRequest = { remote: false, ...given };
    const options = { agents: [], cwd: null, expect: null, retries: null, until: null };
    const raw = { ...options, thread: request.thread, waitMs: waitMsOf(request) };
    const parsed = parse(raw, context.host);
    if (!parsed.ok) return parsed;
    const asked = await readQuestion({ ...context, storage }, request, parsed.value);
    if (!asked.ok) return asked;
    if (request.show) return shown(context, asked.value, request.remote);
    const by = request.by ?? userName(context.host.env);
    const content = await givenAnswer(context, request, asked.value, by);
    if (!content.ok) return content;
    const { thread, head, role } = asked.value;
    const via = request.edit ? "edit" : request.file === null ? "field" : "file";
    const answer = { head, role, ...content.value, via, by, takeOver: request.takeOver } as const;
    const output = await step({ ...context, storage, watch: null }, { ...parsed.value, thread, answer });
    if (!output.ok) return output;
    return documentWith(output.value, threadFailure(output.value), (screen) =>
      answeredWords(screen, storage, output.value, role),
    );
  },
});

const USAGE = "see `uwf help thread answer`";

const ANSWER: TextKind = {
  name: "the answer",
  limit: LIMITS.reply,
  missing: "the answer is missing: give --field, -f <file> or --edit",
  both: "give --field, -f or --edit, not several of them",
  usage: USAGE,
};

function shown(
  { format }: CommandContext,
  { thread, head, role, meta, question }: Asked,
  remote: boolean,
): ReturnType<typeof printed> {
  const fields = outputFields(meta);
  if (format !== null)
    return document({ thread, head, role, question, fields, schema: meta } satisfies AnswerShowOutput);
  const lines = [question, "## Fields", "", ...fields, ""];
  const example = outputExample(meta);
  if (example !== null) lines.push("An answer looks like this:", "", "```yaml", `${example}\`\`\``, "");
  // At a remote others may answer meanwhile, and the next question may be of the same role.
  const only = remote ? ` --head ${head} --remote` : "";
  lines.push("To answer:", "", `    ${readyCommand(thread, meta)}${only}`, "");
  return printed(sanitizeTerminal(lines.join("\n")));
}

async function givenAnswer(
  context: CommandContext,
  { field, file, edit, remote }: AnswerRequest,
  asked: Asked,
  by: string,
): Promise<Result<Given, Fault>> {
  const ways = [field.length > 0, file !== null, edit].filter(Boolean).length;
  if (ways > 1) return misused(ANSWER.both, USAGE);
  if (ways === 0) {
    const usage = `\`uwf thread answer ${asked.thread} --show${remote ? " --remote" : ""}\` prints what is asked, and an answer to copy`;
    return misused(ANSWER.missing, usage);
  }
  const about = { meta: asked.meta, by, at: context.host.now() };
  if (edit) return edited(context.host, asked, remote, (raw) => readTextAnswer(raw, about));
  const source = file === "-" ? { text: "-", file: null } : { text: null, file };
  const read = file === null ? null : readGivenText(context.host, source, ANSWER);
  if (read?.ok === false) return read;
  const given = read === null ? readFieldAnswer(field, about, USAGE) : ok(readTextAnswer(read.value, about));
  if (!given.ok) return given;
  const { thread, role } = asked;
  return given.value.ok
    ? given.value
    : err(fault("INVALID_ANSWER", { thread, role, violations: given.value.error, remote }));
}

/** What has become of the thread, and who is asked next. */
async function answeredWords(
  screen: Screen,
  storage: Storage,
  { thread, done }: StepOutput,
  role: string,
): Promise<string> {
  const idOf = await readShortIds(storage);
  const { top, asks } = await readKin(storage, thread);
  const [first] = asks;
  const ended = done ? `; thread ${thread} has ended` : "";
  const others = counted(asks.length, "question in the same tree is", "questions in the same tree are");
  const own = done ? `uwf thread read ${idOf(thread)}` : `uwf thread run ${idOf(thread)}`;
  const goesOn = top === null ? own : `uwf thread run ${idOf(top)}`;
  return (
    lines(screen, [
      `answered as ${role}${ended}`,
      top === null ? null : `thread ${idOf(top)}, which has started it, goes on from there`,
      first === undefined ? null : `${others} open`,
    ]) + nextCommand(screen, first === undefined ? goesOn : `uwf thread answer ${idOf(first)} --show`)
  );
}

/** The thread above all that have started it, and those in its tree that ask a person. */
type Kin = { readonly top: ThreadId | null; readonly asks: readonly ThreadId[] };

/** What cannot be read is left out: the answer is recorded, and this only leads on. */
async function readKin(storage: Storage, thread: ThreadId): Promise<Kin> {
  const above = readParents(storage, thread);
  const family = readFamily(storage);
  const top = (above.ok ? above.value.at(-1) : null) ?? null;
  const tree = family.ok && top !== null ? [top, ...descendantsOf(family.value, top)] : [thread];
  const heads = await readHeads(storage);
  const asks: ThreadId[] = [];
  for (const each of tree) {
    const head = heads.ok ? heads.value.get(each) : undefined;
    const held = head === undefined ? null : await findHeld(storage, { thread: each, head });
    if (held?.ok && held.value?.for === "answer") asks.push(each);
  }
  return { top, asks };
}

/** More fields than these are easier to fill in an editor. */
const MOST_FIELDS = 4;

/** A command with a valid answer: a person who copies it only changes the values. */
function readyCommand(thread: ThreadId, meta: JsonValue): string {
  const fields = Object.entries(exampleOf(meta) ?? {}).filter(([name]) => !FACTS.has(name));
  const isPlain = fields.every(([, value]) => typeof value !== "object" && !/\n/.test(String(value)));
  const words = ["uwf", "thread", "answer", thread];
  if (fields.length === 0 || fields.length > MOST_FIELDS || !isPlain)
    return commandLine([...words, "--edit"]);
  return commandLine([...words, ...fields.flatMap(([name, value]) => ["--field", `${name}=${value}`])]);
}

/** Fields that uwf fills in if the answer does not give them. */
const FACTS: ReadonlySet<string> = new Set(["answeredBy", "answeredAt", "timedOut"]);
