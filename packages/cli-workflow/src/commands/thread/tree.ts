import {
  type ChildLine,
  type Fault,
  type Held,
  ok,
  type Result,
  type ThreadId,
  type ThreadTreeItem,
} from "@uncaged/workflow-protocol";
import {
  type Family,
  type ListedThread,
  openThreadList,
  readFamily,
  readWorkflow,
  type Storage,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { document, text } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/** Who has started whom, and what waits for whom: the trees that have an active thread, with `all` the others too. */
export async function threadTree(context: CommandContext, { all }: { readonly all: boolean }): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const trees = await readTrees(storage.value, all);
  if (!trees.ok) return trees;
  if (context.format !== null) return document(trees.value);
  return text(sanitizeTerminal(trees.value.map((tree) => `${linesOf(tree).join("\n")}\n`).join("")));
}

async function readTrees(storage: Storage, all: boolean): Promise<Result<readonly ThreadTreeItem[], Fault>> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const list = await openThreadList(storage, { all: true });
  if (!list.ok) return list;
  const known = new Set(list.value.ids);
  const look = { storage, family: family.value, state: list.value.state, known };
  const isRoot = (thread: ThreadId): boolean => {
    const line = family.value.parentOf(thread);
    return line === null || !known.has(line.parent);
  };
  const trees = list.value.ids.filter(isRoot).flatMap((thread) => treeOf(look, thread, null) ?? []);
  return ok(all ? trees : trees.filter(isActive));
}

type Look = {
  readonly storage: Storage;
  readonly family: Family;
  readonly state: (thread: ThreadId) => ListedThread | null;
  readonly known: ReadonlySet<ThreadId>;
};

/** `null`: it has never come to be, or has gone since the list was read. */
function treeOf(look: Look, thread: ThreadId, line: ChildLine | null): ThreadTreeItem | null {
  const state = look.known.has(thread) ? look.state(thread) : null;
  if (state === null) return null;
  // Every thread has one parent at most, so that no branch comes back to itself.
  const children = look.family
    .childrenOf(thread)
    .filter(({ child }) => child !== thread)
    .flatMap((each) => treeOf(look, each.child, each) ?? []);
  return {
    thread,
    workflow: nameOf(look.storage, state),
    role: line?.role ?? null,
    item: line?.item ?? null,
    state: state.kind === "ended" ? state.reason : state.kind,
    held: state.kind === "active" ? state.held : null,
    children,
  };
}

function nameOf(storage: Storage, { head }: ListedThread): string | null {
  const hash = workflowOfHead(storage.cas, head);
  const workflow = hash.ok ? readWorkflow(storage.cas, hash.value) : hash;
  return workflow.ok ? workflow.value.payload.name : null;
}

function isActive({ state, children }: ThreadTreeItem): boolean {
  return state === "active" || state === "damaged" || children.some(isActive);
}

/** A line for the thread, then those below it. */
function linesOf(item: ThreadTreeItem): readonly string[] {
  const below = item.children.flatMap((child, index) => {
    const isLast = index === item.children.length - 1;
    const [first = "", ...rest] = linesOf(child);
    return [`${isLast ? "└─ " : "├─ "}${first}`, ...rest.map((line) => `${isLast ? "   " : "│  "}${line}`)];
  });
  return [lineOf(item), ...below];
}

function lineOf({ thread, workflow, role, item, state, held }: ThreadTreeItem): string {
  const place = role === null ? "" : ` as ${role}${item === null ? "" : ` ${item + 1}`}`;
  return `${thread}  ${workflow ?? "?"}${place}: ${held === null ? STATES[state] : heldWords(held)}`;
}

const STATES: Readonly<Record<ThreadTreeItem["state"], string>> = {
  active: "active",
  damaged: "damaged",
  end: "ended",
  failed: "ended as failed",
  killed: "killed",
};

function heldWords({ for: what, question, threads }: Held): string {
  const asked = question === null ? "" : `: ${question.split("\n", 1)[0]}`;
  switch (what) {
    case "answer":
      return `waits for an answer${asked}`;
    case "threads":
      return `waits for ${threads.length === 1 ? (threads[0] ?? "") : `${threads.length} threads`}`;
    case "resume":
      return `paused${asked}`;
    default:
      return `waits for a change${asked}`;
  }
}
