import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import {
  findLocalWorkflows,
  findThread,
  LATEST,
  type ListedThread,
  loadConfig,
  openThreadList,
  readRegistry,
  readStartOf,
  readWorkflow,
  type Storage,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { agentsOnPath } from "../agents.js";
import { cut, oneLine, shortIds, taskLine } from "../human/index.js";
import type { CommandContext, CommandResult, OfferedOption } from "../line/index.js";
import { GROUPS, ROOT_WORDS, THREAD_ARGUMENTS, WORKFLOW_ARGUMENTS } from "./command-words.js";
import { workflowName } from "./known-ids.js";
import { text } from "./output.js";

type Candidate = {
  readonly value: string;
  /** What may be typed in its place: the other end of an id. */
  readonly also: string | null;
  /** A few words for shells that show them. */
  readonly about: string | null;
};

/** The first word of a shell that shows what candidates are. */
const DESCRIBED = "--described";

/** Candidates for the last of `words`, one per line. Never an error: a shell is waiting in the middle of a line. */
export async function complete(
  context: CommandContext,
  request: { readonly words: readonly string[]; readonly optionsOf: OptionsOf },
): CommandResult {
  const described = request.words[0] === DESCRIBED;
  const words = described ? request.words.slice(1) : request.words;
  const current = words.at(-1) ?? "";
  const asked = { ...context, described, optionsOf: request.optionsOf };
  const all = await candidates(asked, words.slice(0, -1), current);
  const lines = all.flatMap(({ value, also, about }) => {
    const shown = value.startsWith(current) ? value : also?.startsWith(current) ? also : null;
    if (shown === null) return [];
    return described && about !== null ? `${shown}\t${about}\n` : `${shown}\n`;
  });
  return text(lines.join(""));
}

/** The options of the command that words name. */
export type OptionsOf = (words: readonly string[]) => Promise<readonly OfferedOption[]>;

type Asked = CommandContext & { readonly described: boolean; readonly optionsOf: OptionsOf };

async function candidates(
  context: Asked,
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const command = before.slice(0, 2).join(" ");
  const option = before.at(-1) ?? "";
  if (current.startsWith("-")) return plain((await context.optionsOf(before)).map(({ name }) => name));
  if (option.startsWith("--")) {
    const known = (await context.optionsOf(before)).find(({ name }) => name === option);
    if (known !== undefined && known.choices !== null) return plain(known.choices);
  }
  if (before.length === 0) return plain(ROOT_WORDS);
  if (before.length === 1 && !OUTSIDE.has(command)) return plain(wordsOf(GROUPS, before[0] ?? ""));
  const opened = context.openStorage();
  if (!opened.ok) return [];
  const storage = opened.value;
  const { cwd } = context.host;
  if (THREAD_OPTIONS.has(option)) return threads(context, storage, command);
  if (option === "--workflow") return workflows(storage, cwd);
  if (option === "--agent") return agents(context, storage);
  if (option === "--role") return roles(storage, before[2] ?? "", cwd);
  if (option === "--until") return [...(await roles(storage, before[2] ?? "", cwd)), ...plain(["done"])];
  if (before.length === 2 && before[0] === PROMPT) return rolesOf(storage, before[1] ?? "");
  if (before.length !== 2 && command !== REMOVE && !OUTSIDE.has(command)) return [];
  if (THREAD_ARGUMENTS.has(command)) return threads(context, storage, command);
  return WORKFLOW_ARGUMENTS.has(command) ? workflows(storage, cwd) : [];
}

const THREAD_OPTIONS: ReadonlySet<string> = new Set(["--thread", "--instead-of"]);

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, also: null, about: null }));
}

/** What is typed may be called `toString`. */
function wordsOf(table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  return Object.hasOwn(table, name) ? (table[name] ?? []) : [];
}

/** It takes several threads, only ended ones, and none by a name that means another one when it is repeated. */
const REMOVE = "thread rm";

const PROMPT = "prompt";

/** Commands outside of the groups whose argument is a workflow. */
const OUTSIDE: ReadonlySet<string> = new Set(["run", PROMPT]);

/** They take no step any more. */
const ACTIVE_ONLY: ReadonlySet<string> = new Set(["thread step", "thread run", "thread kill"]);

/** Threads that are described: each costs two reads, and nobody chooses from more. */
const MOST_DESCRIBED = 100;

/** Newest first, described by their short ids, and `latest`. */
async function threads(
  { described }: Asked,
  storage: Storage,
  command: string,
): Promise<readonly Candidate[]> {
  const list = await openThreadList(storage, { all: !ACTIVE_ONLY.has(command) });
  if (!list.ok || list.value.ids.length === 0) return [];
  const { ids, state: anyState, everyId, ended } = list.value;
  const isRemove = command === REMOVE;
  const state = (thread: ThreadId): ListedThread | null => {
    const known = anyState(thread);
    return isRemove && known?.kind !== "ended" ? null : known;
  };
  const latest = { value: LATEST, also: null, about: "the newest thread of this folder" };
  const idOf = shortIds(everyId(), ended);
  if (!described) {
    const known = ids.filter((thread) => state(thread) !== null);
    const named = known.map((thread) => ({ value: thread, also: idOf(thread), about: null }));
    return isRemove ? named : [...named, latest];
  }
  const found: Candidate[] = [];
  for (const thread of ids.toReversed()) {
    if (found.length === MOST_DESCRIBED) break;
    const known = state(thread);
    if (known !== null) found.push({ value: idOf(thread), also: thread, about: aboutThread(storage, known) });
  }
  return isRemove ? found : [latest, ...found];
}

/** Columns of a description. */
const ABOUT = 60;

function aboutThread(storage: Storage, { head }: ListedThread): string | null {
  const start = readStartOf(storage.cas, head);
  if (!start.ok) return null;
  const { workflow, prompt } = start.value.payload;
  return cut(oneLine(`${workflowName(storage, workflow)}: ${taskLine(prompt)}`), ABOUT);
}

async function workflows(storage: Storage, cwd: string): Promise<readonly Candidate[]> {
  const registry = await readRegistry(storage);
  const hashes = new Map(registry.ok ? Object.entries(registry.value) : []);
  const local = findLocalWorkflows(cwd).map(({ name }) => name);
  const names = [...new Set([...hashes.keys(), ...local])].sort();
  return names.map((name) => {
    const hash = hashes.get(name);
    const stored = hash === undefined ? null : readWorkflow(storage.cas, hash);
    const about = stored?.ok ? cut(oneLine(stored.value.payload.description), ABOUT) : null;
    return { value: name, also: null, about };
  });
}

/** Aliases of config.yaml, then the agents on PATH that have none. */
async function agents({ host }: Asked, storage: Storage): Promise<readonly Candidate[]> {
  const loaded = await loadConfig(storage);
  const aliases = Object.entries((loaded.ok ? loaded.value.config?.agents : null) ?? {});
  const commands = new Set(aliases.map(([, { command }]) => command));
  return [
    ...aliases.map(([alias, { command, args }]) => ({
      value: alias,
      also: null,
      about: cut(oneLine([command, ...(args ?? [])].join(" ")), ABOUT),
    })),
    ...plain(agentsOnPath(host.env.PATH ?? "").filter((name) => !commands.has(name))),
  ];
}

/** The roles of a thread's workflow. */
async function roles(storage: Storage, thread: string, cwd: string): Promise<readonly Candidate[]> {
  const found = await findThread(storage, thread, cwd);
  const hash = found.ok ? workflowOfHead(storage.cas, found.value.head) : found;
  return hash.ok ? rolesIn(storage, hash.value) : [];
}

/** Of a registered workflow. */
async function rolesOf(storage: Storage, name: string): Promise<readonly Candidate[]> {
  const registry = await readRegistry(storage);
  const hash = registry.ok && Object.hasOwn(registry.value, name) ? registry.value[name] : undefined;
  return hash === undefined ? [] : rolesIn(storage, hash);
}

function rolesIn(storage: Storage, hash: CasRef): readonly Candidate[] {
  const workflow = readWorkflow(storage.cas, hash);
  if (!workflow.ok) return [];
  return Object.entries(workflow.value.payload.roles).map(([role, { description }]) => ({
    value: role,
    also: null,
    about: cut(oneLine(description), ABOUT),
  }));
}
