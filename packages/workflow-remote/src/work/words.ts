import { ago, left, renderTable, right, type Screen, shrinking } from "@uncaged/cli-workflow/add-on";
import { ENDED_AS } from "@uncaged/workflow-engine";
import type { CasRef, SeenState } from "@uncaged/workflow-protocol";
import type { FoundThread } from "../types.js";

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

/** Threads of the remote as a table. */
export function threadTable(
  screen: Screen,
  threads: readonly FoundThread[],
  nameOf: (workflow: CasRef) => string,
): string {
  return renderTable(
    screen,
    COLUMNS,
    threads.map(({ thread, workflow, steps, changedAt, ended, ...state }) => [
      ...[thread, nameOf(workflow as CasRef), String(steps), ago(changedAt, screen.now)],
      ended === null ? activeWords(state) : ENDED_AS[ended],
    ]),
  );
}

const COLUMNS = [left("ID"), shrinking("WORKFLOW"), right("STEPS"), right("CHANGED"), left("STATE")];

/** Begins with the state, in the words that every other screen has for it. */
function activeWords({ held, paused, worker }: Pick<FoundThread, "held" | "paused" | "worker">): string {
  const word = (state: SeenState, more: string): string => `${state}: ${more}`;
  if (worker !== null && held === null)
    return word("running", `at ${rootWords(worker)}${paused === null ? "" : ", then it is paused"}`);
  if (paused !== null) return word("held", `paused${paused.why === null ? "" : `: ${paused.why}`}`);
  if (held === null) return "active" satisfies SeenState;
  return word(held.for === "failure" ? "failing" : "held", holdWords(held));
}
