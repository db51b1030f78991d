import { findLocalWorkflows, listThreads, readRegistry, type Storage } from "@uncaged/workflow-store";
import { text } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { GROUPS, OPTIONS, ROOT_WORDS, THREAD_ARGUMENTS, WORKFLOW_ARGUMENTS } from "./words.js";

/** Candidates for the last of `words`, one per line. Never an error: a shell is waiting in the middle of a line. */
export async function complete(
  context: CommandContext,
  request: { readonly words: readonly string[] },
): CommandResult {
  const words = request.words;
  const current = words.at(-1) ?? "";
  const all = await candidates(context, words.slice(0, -1), current);
  const matching = all.filter((each) => each.startsWith(current));
  return text(matching.map((each) => `${each}\n`).join(""));
}

async function candidates(
  context: CommandContext,
  before: readonly string[],
  current: string,
): Promise<readonly string[]> {
  const command = before.slice(0, 2).join(" ");
  if (current.startsWith("-")) {
    const [outside = ""] = before;
    const own = wordsOf(OPTIONS, Object.hasOwn(OPTIONS, outside) ? outside : command);
    return [...own, "--format", "--error-format", "--help"];
  }
  if (before.at(-1) === "--format") return ["json", "yaml"];
  if (before.at(-1) === "--error-format") return ["text", "json"];
  if (before.length === 0) return ROOT_WORDS;
  if (before.length === 1) return wordsOf(GROUPS, before[0] ?? "");
  const storage = context.openStorage();
  if (!storage.ok) return [];
  if (before.at(-1) === "--thread") return threadIds(storage.value, command);
  if (before.at(-1) === "--workflow") return workflowNames(storage.value, context.host.cwd);
  if (before.length !== 2) return [];
  if (THREAD_ARGUMENTS.has(command)) return threadIds(storage.value, command);
  return WORKFLOW_ARGUMENTS.has(command) ? workflowNames(storage.value, context.host.cwd) : [];
}

/** What is typed may be called `toString`. */
function wordsOf(table: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  return Object.hasOwn(table, name) ? (table[name] ?? []) : [];
}

async function threadIds(storage: Storage, command: string): Promise<readonly string[]> {
  const endedToo = command !== "thread step" && command !== "thread run" && command !== "thread kill";
  const threads = await listThreads(storage, { all: endedToo });
  return threads.ok ? threads.value.map((state) => state.thread) : [];
}

async function workflowNames(storage: Storage, cwd: string): Promise<readonly string[]> {
  const registry = await readRegistry(storage);
  const names = registry.ok ? Object.keys(registry.value) : [];
  return [...new Set([...names, ...findLocalWorkflows(cwd).map((each) => each.name)])].sort();
}
