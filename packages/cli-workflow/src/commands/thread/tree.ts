import { type ThreadViews, undecidedWords, withThreadViews } from "@uncaged/workflow-engine";
import {
  type ChildLine,
  type Fault,
  type Held,
  ok,
  type Result,
  type SeenState,
  type ThreadId,
  type ThreadTreeItem,
} from "@uncaged/workflow-protocol";
import { type Family, type ListedThread, openThreadList, type Storage } from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { cut, firstLine, heldState, oneLine, paintOf, paintOn, type Screen } from "../../screen/index.js";
import { readShortIds } from "../known-names.js";
import { document, text } from "../output.js";

/** Who has started whom, and who waits for what: the trees with an active thread, with `all` every tree. */
export async function threadTree(context: CommandContext, storage: Storage, all: boolean): CommandResult {
  const read = await withThreadViews(storage, async (views) => {
    const trees = await readTrees(storage, views, all);
    const left = undecidedWords(views.undecided());
    if (left !== null) context.warn(left);
    return trees;
  });
  if (!read.ok) return read;
  const { trees } = read.value;
  const { screen } = context;
  if (screen !== null) return text(await pictureOn(screen, storage, read.value));
  if (context.format !== null) return document(trees);
  return text(pictureOf(trees, PLAIN));
}

type Trees = {
  readonly trees: readonly ThreadTreeItem[];
  /** Those of which no thread is active, and which are not among them. */
  readonly over: number;
};

async function readTrees(storage: Storage, views: ThreadViews, all: boolean): Promise<Result<Trees, Fault>> {
  const look = await openLook(storage, views);
  if (!look.ok) return look;
  const { family, known, ended } = look.value;
  const isRoot = (thread: ThreadId): boolean => {
    const line = family.parentOf(thread);
    return line === null || !known.has(line.parent);
  };
  // Before anything is read of them: most threads have ended.
  const isActive = (thread: ThreadId): boolean =>
    !ended(thread) || family.childrenOf(thread).some(({ child }) => known.has(child) && isActive(child));
  const roots = [...known].filter(isRoot);
  const shown = all ? roots : roots.filter(isActive);
  const trees = await each(shown, (thread) => readTree(look.value, thread, null));
  return ok({ trees, over: roots.length - shown.length });
}

/** What is read once for all threads; `known` in order. */
type Look = {
  readonly family: Family;
  readonly state: (thread: ThreadId) => ListedThread | null;
  readonly views: ThreadViews;
  readonly known: ReadonlySet<ThreadId>;
  readonly ended: (thread: ThreadId) => boolean;
};

async function openLook(storage: Storage, views: ThreadViews): Promise<Result<Look, Fault>> {
  const family = views.family();
  if (!family.ok) return family;
  const list = await openThreadList(storage, { all: true });
  if (!list.ok) return list;
  const { ids, state, ended } = list.value;
  return ok({ family: family.value, state, views, known: new Set(ids), ended });
}

/** One after the other: each is read from disk. */
async function each<T, U>(all: readonly T[], read: (one: T) => Promise<U | null>): Promise<readonly U[]> {
  const found: U[] = [];
  for (const one of all) {
    const item = await read(one);
    if (item !== null) found.push(item);
  }
  return found;
}

/** More are a tree's to show. */
const MOST_CHILDREN = 12;

/** Those of these threads, children of one, that can be read: a line for each, as in its tree. */
export async function childLines(
  screen: Screen,
  storage: Storage,
  children: readonly { readonly thread: ThreadId }[],
): Promise<readonly string[]> {
  const words = await wordsOn(screen, storage);
  const items = await withThreadViews(storage, async (views) => {
    const look = await openLook(storage, views);
    if (!look.ok) return null;
    return each(children.slice(0, MOST_CHILDREN), ({ thread }) =>
      readTree(look.value, thread, look.value.family.parentOf(thread)),
    );
  });
  if (items === null) return [];
  const left = children.length - MOST_CHILDREN;
  const rest = left > 0 ? [`and ${left} more: \`uwf thread list --tree --all\``] : [];
  return [...items.map((item) => lineOf(item, { ...words, room: Number.POSITIVE_INFINITY })), ...rest];
}

/** `null`: it has never come to be, or has gone since the list was read. */
async function readTree(
  look: Look,
  thread: ThreadId,
  line: ChildLine | null,
): Promise<ThreadTreeItem | null> {
  const state = look.known.has(thread) ? look.state(thread) : null;
  if (state === null) return null;
  const view = await look.views.of(state);
  const kin = view.kin();
  // Every thread has one parent at most, so that no branch comes back to itself.
  const children = await each(
    (kin.ok ? kin.value.children : []).filter(({ child }) => child !== thread),
    (below) => readTree(look, below.child, below),
  );
  return {
    thread,
    workflow: view.name,
    role: line?.role ?? null,
    item: line?.item ?? null,
    state: view.state,
    runs: RUN_STATES.has(view.state) ? view.next : null,
    held: view.held,
    children,
  };
}

/** Those of a thread that has a run at its head. */
const RUN_STATES: ReadonlySet<SeenState> = new Set(["running", "abandoned"]);

/** How ids and states are written. */
type Words = {
  readonly idOf: (thread: ThreadId) => string;
  readonly painted: (state: SeenState, text: string) => string;
  /** Columns of a line. */
  readonly room: number;
};

const PLAIN: Words = {
  idOf: (thread) => thread,
  painted: (_, text) => text,
  room: Number.POSITIVE_INFINITY,
};

async function pictureOn(screen: Screen, storage: Storage, { trees, over }: Trees): Promise<string> {
  if (trees.length > 0) return pictureOf(trees, await wordsOn(screen, storage));
  if (over === 0) return "no threads; `uwf thread start <workflow> -p <task>` starts one\n";
  const which = over === 1 ? "the only thread has" : `all ${over} threads have`;
  return `${which} ended; \`uwf thread list --tree --all\` shows ${over === 1 ? "it" : "them"}\n`;
}

async function wordsOn(screen: Screen, storage: Storage): Promise<Words> {
  const paint = paintOn(screen);
  const idOf = await readShortIds(storage);
  return { idOf, painted: (state, text) => paintOf(state, paint)(text), room: screen.width };
}

function pictureOf(trees: readonly ThreadTreeItem[], words: Words): string {
  return trees.map((tree) => `${linesOf(tree, words).join("\n")}\n`).join("");
}

/** Columns of a state at least. */
const NARROWEST = 20;

/** Columns of a branch. */
const INDENT = 3;

/** A line for the thread, then those below it. */
function linesOf(item: ThreadTreeItem, words: Words): readonly string[] {
  const below = item.children.flatMap((child, index) => {
    const isLast = index === item.children.length - 1;
    const [first = "", ...rest] = linesOf(child, { ...words, room: words.room - INDENT });
    return [`${isLast ? "└─ " : "├─ "}${first}`, ...rest.map((line) => `${isLast ? "   " : "│  "}${line}`)];
  });
  return [lineOf(item, words), ...below];
}

function lineOf(item: ThreadTreeItem, { idOf, painted, room }: Words): string {
  const { thread, workflow, role, item: index, state, held } = item;
  const place = role === null ? "" : ` as ${role}${index === null ? "" : ` ${index + 1}`}`;
  const words = oneLine(state === "held" && held !== null ? heldWords(held, thread, idOf) : stateWords(item));
  const before = `${idOf(thread)}  ${workflow ?? "?"}${place}: `;
  return `${before}${painted(state, cut(words, Math.max(room - before.length, NARROWEST)))}`;
}

function stateWords({ state, runs, held }: ThreadTreeItem): string {
  if (state === "failed") return "ended as failed";
  if (runs === null) return state;
  if (state === "abandoned") return `abandoned: the uwf of ${runs} is gone`;
  return `${runs} is running${held?.for === "resume" ? ", then it is paused" : ""}`;
}

function heldWords(held: Held, thread: ThreadId, idOf: (thread: ThreadId) => string): string {
  const words = heldState(held, thread, idOf);
  return held.question === null ? words : `${words}: ${firstLine(held.question)}`;
}
