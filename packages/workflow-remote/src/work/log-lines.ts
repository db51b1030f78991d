import { counted } from "@uncaged/cli-workflow/add-on";
import { isObject } from "@uncaged/json-cas";
import type { ThreadId } from "@uncaged/workflow-protocol";
import type { LogEntry, Storage } from "@uncaged/workflow-store";
import { readRunLines } from "@uncaged/workflow-store";
import type { LogLine } from "../types.js";
import { holdWords, rootWords } from "./words.js";

type Fields = Readonly<Record<string, unknown>>;

/** What a run's line has that no other root needs: all that its agent printed. */
const AT_HOME: ReadonlySet<string> = new Set(["stdout", "raw"]);

/** The lines of the runs of a step, for the remote: no node has what failed, and what it has cost. */
export function readRuns(
  storage: Storage,
  { thread, head }: { readonly thread: string; readonly head: string },
): readonly Fields[] {
  const lines = readRunLines(storage, { thread: thread as ThreadId, head });
  // A log that cannot be read keeps no step from being pushed.
  return (lines.ok ? lines.value : []).map((line) =>
    Object.fromEntries(Object.entries(line).filter(([name]) => !AT_HOME.has(name))),
  );
}

/** The tag of lines that report what happened at the remote itself. */
const TAG = "M6R0T8XE";

/**
 * A remote's log as lines of a log, in its order: for each run its own line, once, however often a worker has sent it.
 */
export function logLinesOf(events: readonly LogLine[]): readonly Omit<LogEntry, "line">[] {
  const printed = new Set<unknown>();
  return events.flatMap(({ thread: text, at: timestamp, entry }) => {
    const thread = text as ThreadId;
    const { runs, ...rest } = entry;
    const fresh = (Array.isArray(runs) ? runs : []).filter(isRunLine).filter(({ run }) => !printed.has(run));
    for (const { run } of fresh) printed.add(run);
    const lines = fresh.map((line) => ({ ...line, ...whereOf(rest, line), thread }));
    const own = { ...rest, tag: TAG, content: wordsOf(rest), timestamp, thread };
    // A run without its line, since the log of its root is gone or cut, is still a step.
    return [...lines, own] as unknown as readonly Omit<LogEntry, "line">[];
  });
}

/** What a worker has sent; the log of a day is named after its time. */
function isRunLine(line: unknown): line is Fields {
  if (!isObject(line) || typeof line.timestamp !== "number") return false;
  return !Number.isNaN(new Date(line.timestamp).getTime());
}

/** A run, and the root that it was in. */
function whereOf({ root, host, folder }: Fields, { content }: Fields): Fields {
  if (typeof root !== "string") return {};
  return { content: `${content}, at ${rootWords({ root, host, folder })}`, root, host, folder };
}

function wordsOf(entry: Fields): string {
  const { event, head, why, by, withdrawn } = entry;
  const at = typeof entry.root === "string" ? ` by ${rootWords(entry)}` : "";
  switch (event) {
    case "submitted":
      return `brought to the remote${after(entry.steps)}: the thread stands at ${head}`;
    case "step":
      return `${stepWords(entry)}pushed${at}${ranBefore(entry)}: the thread ${endWords(entry)} at ${head}`;
    case "answered":
      return `${stepWords(entry)}answered${typeof by === "string" ? ` by ${by}` : ""}: the thread ${endWords(entry)} at ${head}`;
    case "refused":
      return `${stepWords(entry)}${withdrawn === true ? "withdrawn" : "pushed too late"}${at}: \`uwf thread fork ${head}\` at that root goes on from it`;
    case "lost":
      return `taken${isObject(by) ? takerWords(by, entry) : ""} from ${rootWords(entry)}, which was silent for longer than its lease: a step that it had begun runs again`;
    case "held":
      return heldWords(entry);
    case "tried":
      return `tried${at} without a step`;
    case "killed":
      return `the thread was killed${isObject(entry.worker) ? `, and the step that ${rootWords(entry.worker)} had begun` : ""}`;
    case "paused":
      return `the thread was paused${typeof why === "string" ? `: ${why}` : ""}`;
    default:
      return `the thread was ${String(event)}`;
  }
}

function heldWords({ held, ...entry }: Fields): string {
  if (!isObject(held)) return "the thread waits";
  const at = held.for === "failure" && typeof entry.root === "string" ? `, at ${rootWords(entry)}` : "";
  return `the thread ${holdWords(held)}${at}`;
}

/** A machine whose disk was lost may have a new root in the place of the old one. */
function takerWords(by: Fields, lost: Fields): string {
  const taker = rootWords(by);
  return ` by ${taker}${taker === rootWords(lost) ? ", a new root there," : ""}`;
}

function after(steps: unknown): string {
  return typeof steps === "number" && steps > 0 ? ` after ${counted(steps, "step")}` : "";
}

/** The number and role of a step, where they are recorded. */
function stepWords({ step, role }: Fields): string {
  return typeof step === "number" && typeof role === "string" ? `step ${step}, ${role}, ` : "";
}

/** What came between the end of a step and its push. */
const ADOPTED: Readonly<Record<string, string>> = {
  worker: "whose worker was ended before it could push it",
  git: "after git had failed",
  database: "after the database had been away",
};

/** Why a step may have had another run before this one. */
function ranBefore({ adopted, lost }: Fields): string {
  if (isObject(lost)) return ` (${rootWords(lost)} may have run it too, before it was lost)`;
  return typeof adopted === "string" ? `, ${ADOPTED[adopted] ?? "which had finished it before"}` : "";
}

function endWords({ ended }: Fields): string {
  return typeof ended === "string" ? `has ended (${ended})` : "stands";
}
