import { isObject } from "@uncaged/json-cas";
import type { ThreadId } from "@uncaged/workflow-protocol";
import type { LogLine } from "@uncaged/workflow-remote";
import type { LogEntry, Storage } from "@uncaged/workflow-store";
import { readRunLines } from "@uncaged/workflow-store";

type Fields = Readonly<Record<string, unknown>>;

/** What a run's line has that no other root needs: all that its agent printed. */
const AT_HOME: ReadonlySet<string> = new Set(["stdout", "raw"]);

/** Of the runs of a step, for the remote: what failed and what it has cost is in no node. */
export function runsOf(
  storage: Storage,
  { thread, head }: { readonly thread: string; readonly head: string },
): readonly Fields[] {
  const lines = readRunLines(storage, { thread: thread as ThreadId, head });
  // A log that cannot be read keeps no step from being pushed.
  return (lines.ok ? lines.value : []).map((line) =>
    Object.fromEntries(Object.entries(line).filter(([name]) => !AT_HOME.has(name))),
  );
}

/** Of the lines that tell what happened at the remote itself. */
const TAG = "M6R0T8XE";

/** A remote's log as lines of a log, oldest first: of every run its own line, once, however often a worker has told it. */
export function logLinesOf(events: readonly LogLine[]): readonly Omit<LogEntry, "line">[] {
  const told = new Set<unknown>();
  return events.flatMap(({ thread: text, at: timestamp, entry }) => {
    const thread = text as ThreadId;
    const { runs, ...rest } = entry;
    const lines = (Array.isArray(runs) ? runs : []).filter(isObject).filter(({ run }) => !told.has(run));
    for (const { run } of lines) told.add(run);
    const own = { ...rest, tag: TAG, content: wordsOf(rest), timestamp, thread };
    // A run without its line, since the log of its root is gone or cut, is still a step.
    return [...lines, own] as unknown as readonly Omit<LogEntry, "line">[];
  });
}

function wordsOf(entry: Fields): string {
  const { event, root, host, head, why, adopted } = entry;
  const at =
    typeof root === "string" ? ` by root ${root}${typeof host === "string" ? ` on ${host}` : ""}` : "";
  switch (event) {
    case "submitted":
      return `the thread was brought to the remote, at ${head}`;
    case "step":
      return `pushed${at}${adopted === true ? ", where an earlier worker had left it" : ""}: the thread stands at ${head}`;
    case "answered":
      return `answered: the thread stands at ${head}`;
    case "refused":
      return `pushed too late${at}: ${head} is kept, and the thread does not lead there`;
    case "lost":
      return `taken from root ${root}, which was silent for longer than its lease`;
    case "held":
      return heldWords(isObject(entry.held) ? entry.held : {});
    case "tried":
      return `tried${at} without a step`;
    case "paused":
      return `the thread was paused${typeof why === "string" ? `: ${why}` : ""}`;
    default:
      return `the thread was ${String(event)}`;
  }
}

function heldWords({ for: what, role, question }: Fields): string {
  const asked = typeof question === "string" ? `: ${question}` : "";
  if (what === "failure") return `put aside, since its step failed${asked}`;
  return `waits for ${what === "answer" ? "an answer" : String(what)}${typeof role === "string" ? ` as ${role}` : ""}${asked}`;
}
