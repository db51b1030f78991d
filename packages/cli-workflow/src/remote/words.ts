import type { FoundThread } from "@uncaged/workflow-remote";
import { ago } from "../human/index.js";

/** Of a document: of a thread, or of a line of the log. */
type Fields = Readonly<Record<string, unknown>>;

/** Where a root is, as people know it: machine and folder. */
export function rootWords({ root, host, folder }: Fields): string {
  return typeof host === "string" && typeof folder === "string" ? `${host}:${folder}` : `root ${root}`;
}

/** A failure that its worker tries again by itself. */
export function isTriedAgain({ for: what, code }: Fields): boolean {
  return what === "failure" && code === "GIT_FAILED";
}

/** What a thread waits for. */
export function holdWords(hold: Fields): string {
  const { for: what, role, question, code } = hold;
  const reason = question ?? code ?? null;
  const because = reason === null ? "" : `: ${reason}`;
  if (isTriedAgain(hold)) return `is tried again every 30 seconds${because}`;
  if (what === "failure") return `is put aside after a failure${because}`;
  const who = typeof role === "string" ? ` as ${role}` : "";
  return `waits for ${what === "answer" ? "an answer" : what}${who}${because}`;
}

/** A thread of the remote in a line. */
export function stateOf(
  { thread, steps, ended, held, paused, worker, changedAt }: FoundThread,
  now: number,
): string {
  return `${thread}  step ${steps}, ${ago(changedAt, now)}  ${ended ?? activeWords({ held, paused, worker })}`;
}

function activeWords({ held, paused, worker }: Pick<FoundThread, "held" | "paused" | "worker">): string {
  if (worker !== null && held === null)
    return `at ${rootWords(worker)}${paused === null ? "" : ", then it is paused"}`;
  if (paused !== null) return `paused${paused.why === null ? "" : `: ${paused.why}`}`;
  return held === null ? "ready" : holdWords(held);
}
