import { type Candidates, type Option, optionName } from "@uncaged/command-line";
import { agentsOnPath } from "@uncaged/workflow-engine";
import type { CasRef, ThreadId } from "@uncaged/workflow-protocol";
import {
  findLocalWorkflows,
  findThread,
  LATEST,
  type ListedThread,
  loadConfig,
  openThreadList,
  readNode,
  readRegistry,
  readStartNode,
  type Storage,
  workflowOfHead,
} from "@uncaged/workflow-store";
import {
  type CommandContext,
  type CommandResult,
  type CommandWords,
  EVERYWHERE,
  HELP_TOPICS,
  type Source,
} from "../line/index.js";
import { cut, oneLine, shortIds, taskLine } from "../screen/index.js";
import { WORDS } from "../words.made.js";
import { workflowName } from "./known-names.js";
import { text } from "./output.js";

/** The first word of what completion scripts ask. */
export const COMPLETE = "__complete";

type Candidate = { readonly value: string; readonly about: string | null; readonly also: string | null };

/** Columns of a description. */
const ABOUT = 60;

/** `about`: a few words for shells that show them; `also`: what may be typed in its place, the other end of an id. */
function candidate(value: string, about: string | null, also: string | null = null): Candidate {
  return { value, about: about === null ? null : cut(oneLine(about), ABOUT), also };
}

/** The first word of a shell that shows what candidates are. */
const DESCRIBED = "--described";

/** Candidates for the last of `words`, one per line. Never an error: a shell is waiting in the middle of a line. */
export async function complete(context: CommandContext, words: readonly string[]): CommandResult {
  const described = words[0] === DESCRIBED;
  const typed = described ? words.slice(1) : words;
  const current = typed.at(-1) ?? "";
  const all = await candidates({ ...context, described }, typed.slice(0, -1), current);
  const lines = all.flatMap(({ value, also, about }) => {
    const shown = value.startsWith(current) ? value : also?.startsWith(current) ? also : null;
    if (shown === null) return [];
    return described && about !== null ? `${shown}\t${about}\n` : `${shown}\n`;
  });
  return text(lines.join(""));
}

type Asked = CommandContext & { readonly described: boolean };

/** What may follow the words before: the next word of a path, an option, the value of one, or an argument. */
async function candidates(
  context: Asked,
  before: readonly string[],
  current: string,
): Promise<readonly Candidate[]> {
  const path = longestPath(before);
  const words = WORDS[path] ?? null;
  if (current.startsWith("-")) {
    const ofRoot = before.length === 0 ? ["--version"] : [];
    return plain([...optionNames(words), ...Object.keys(EVERYWHERE), ...ofRoot, "--help"]);
  }
  const last = before.at(-1) ?? "";
  if (last === "--format")
    return plain([...(words?.formats ?? EVERYWHERE[last]), ...(words?.moreFormats ?? [])]);
  if (isEverywhere(last)) return plain(EVERYWHERE[last]);
  if (words === null) return plain(nextWords(before));
  const option = valuedOption(words, last);
  const typed = typedArguments(before.slice(path.split(" ").length), words);
  const source = option === null ? candidatesOfArgument(words, typed.length) : option.candidates;
  if (source === null) return [];
  return typeof source === "string" ? fromSource(context, source as Source, typed[0] ?? "") : plain(source);
}

function isEverywhere(word: string): word is keyof typeof EVERYWHERE {
  return Object.hasOwn(EVERYWHERE, word);
}

/** The path of the command that these words begin with; empty where they name a group, or nothing. */
function longestPath(words: readonly string[]): string {
  const end = words.findIndex((word) => word.startsWith("-"));
  const names = end === -1 ? words : words.slice(0, end);
  const paths = names.map((_, index) => names.slice(0, names.length - index).join(" "));
  return paths.find((path) => Object.hasOwn(WORDS, path)) ?? "";
}

/** The next words of the paths that begin with these. */
function nextWords(before: readonly string[]): readonly string[] {
  const depth = before.length;
  const below = Object.keys(WORDS)
    .map((path) => path.split(" "))
    .filter((names) => names.length > depth && before.every((word, at) => word === names[at]));
  return [...new Set(below.map((names) => names[depth] ?? ""))];
}

function optionNames(words: CommandWords | null): readonly string[] {
  return Object.entries(words?.options ?? {}).map(([key, option]) => optionName(key, option));
}

/** The option of this name whose value comes next; `null`: there is none. */
function valuedOption({ options }: CommandWords, name: string): Option<unknown> | null {
  const named = Object.entries(options).find(
    ([key, option]) => name === optionName(key, option) || name === option.short,
  );
  return named?.[1].placeholder == null ? null : named[1];
}

/** The words of a line that are arguments. */
function typedArguments(line: readonly string[], words: CommandWords): readonly string[] {
  return line.filter((word, at) => {
    const before = line[at - 1] ?? "";
    return !word.startsWith("-") && !isEverywhere(before) && !takesNextWord(valuedOption(words, before));
  });
}

/** Whether the word after it is its value. `--wait` takes only a number, which nothing is completed to. */
function takesNextWord(option: Option<unknown> | null): boolean {
  return option?.placeholder?.startsWith("<") ?? false;
}

/** Where candidates for an argument come from; the last argument may be one of several. */
function candidatesOfArgument({ arguments: all }: CommandWords, position: number): Candidates {
  const parts = Object.values(all);
  const last = parts.at(-1);
  const repeats = last?.takes === "some" || last?.takes === "any";
  return (parts[position] ?? (repeats ? last : undefined))?.candidates ?? null;
}

/** @param first - the first argument on the line, whose roles may be asked for */
async function fromSource(context: Asked, source: Source, first: string): Promise<readonly Candidate[]> {
  if (source === "topics") return plain([...nextWords([]), ...Object.keys(HELP_TOPICS)]);
  const opened = context.openStorage();
  if (!opened.ok) return [];
  const storage = opened.value;
  const { cwd } = context.host;
  switch (source) {
    case "threads":
    case "active threads":
    case "ended threads":
      return threads(context, storage, source);
    case "workflows":
      return workflows(storage, cwd);
    case "agents":
      return agents(context, storage);
    case "roles of the workflow":
      return readRoles(storage, first);
    case "roles of the thread":
      return roles(storage, first, cwd);
    case "roles of the thread, done":
      return [...(await roles(storage, first, cwd)), ...plain(["done"])];
  }
}

function plain(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => candidate(value, null));
}

/** Threads that are described: each costs two reads, and a person does not choose from more. */
const MOST_DESCRIBED = 100;

/** Newest first, described by their short ids, and `latest`. Of ended ones none is offered by a name that changes its meaning. */
async function threads(
  { described }: Asked,
  storage: Storage,
  which: "threads" | "active threads" | "ended threads",
): Promise<readonly Candidate[]> {
  const list = await openThreadList(storage, { all: which !== "active threads" });
  if (!list.ok || list.value.ids.length === 0) return [];
  const { ids, state: anyState, everyId, ended } = list.value;
  const isEnded = which === "ended threads";
  const state = (thread: ThreadId): ListedThread | null => {
    const known = anyState(thread);
    return isEnded && known?.kind !== "ended" ? null : known;
  };
  const latest = candidate(LATEST, "the newest thread of this folder");
  const idOf = shortIds(everyId(), ended);
  if (!described) {
    const known = ids.filter((thread) => state(thread) !== null);
    const named = known.map((thread) => candidate(thread, null, idOf(thread)));
    return isEnded ? named : [...named, latest];
  }
  const found: Candidate[] = [];
  for (const thread of ids.toReversed()) {
    if (found.length === MOST_DESCRIBED) break;
    const known = state(thread);
    if (known !== null) found.push(candidate(idOf(thread), aboutThread(storage, known), thread));
  }
  return isEnded ? found : [latest, ...found];
}

function aboutThread(storage: Storage, { head }: ListedThread): string | null {
  const start = readStartNode(storage.cas, head);
  if (!start.ok) return null;
  const { workflow, prompt } = start.value.payload;
  return `${workflowName(storage, workflow)}: ${taskLine(prompt)}`;
}

async function workflows(storage: Storage, cwd: string): Promise<readonly Candidate[]> {
  const registry = await readRegistry(storage);
  const hashes = new Map(registry.ok ? Object.entries(registry.value) : []);
  const local = findLocalWorkflows(cwd).map(({ name }) => name);
  const names = [...new Set([...hashes.keys(), ...local])].sort();
  return names.map((name) => {
    const hash = hashes.get(name);
    const stored = hash === undefined ? null : readNode(storage.cas, "workflow", hash);
    return candidate(name, stored?.ok ? stored.value.payload.description : null);
  });
}

/** Aliases of config.yaml, then the agents on PATH that have none. */
async function agents({ host }: Asked, storage: Storage): Promise<readonly Candidate[]> {
  const loaded = await loadConfig(storage);
  const aliases = Object.entries((loaded.ok ? loaded.value.config?.agents : null) ?? {});
  const commands = new Set(aliases.map(([, { command }]) => command));
  return [
    ...aliases.map(([alias, { command, args }]) => candidate(alias, [command, ...(args ?? [])].join(" "))),
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
async function readRoles(storage: Storage, name: string): Promise<readonly Candidate[]> {
  const registry = await readRegistry(storage);
  const hash = registry.ok && Object.hasOwn(registry.value, name) ? registry.value[name] : undefined;
  return hash === undefined ? [] : rolesIn(storage, hash);
}

function rolesIn(storage: Storage, hash: CasRef): readonly Candidate[] {
  const workflow = readNode(storage.cas, "workflow", hash);
  if (!workflow.ok) return [];
  return Object.entries(workflow.value.payload.roles).map(([role, { description }]) =>
    candidate(role, description),
  );
}
