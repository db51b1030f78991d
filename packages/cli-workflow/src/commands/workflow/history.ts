import { argument } from "@uncaged/command-line";
import type { WorkflowHistoryItem } from "@uncaged/workflow-protocol";
import { defineRootCommand, REGISTERED } from "../../line/index.js";
import { ago, type ColumnOf, left, paintOn, right, type Screen, tableOf } from "../../screen/index.js";
import { document } from "../output.js";
import { readName } from "./names.js";

/** Every change of a name, newest first. */
export const command = defineRootCommand({
  path: "workflow history",
  summary: "print the versions that a name has pointed to, newest first",
  arguments: { name: argument(REGISTERED) },
  examples: ["uwf workflow history solve-issue"],
  sample: {
    line: "workflow history solve-issue",
    prints: `   VERSION        BEFORE     SINCE
→  1MV05XPK04K7N          14 s ago`,
  },
  run: async (context, { name }, storage) => {
    const known = await readName(storage, context.host.cwd, name);
    if (!known.ok) return known;
    const { now, lines } = known.value;
    // A name given by an earlier version of uwf has no recorded history.
    const unrecorded = { hash: now, previous: null, source: null, at: null };
    const items = (lines.length === 0 ? [unrecorded] : lines).map(
      ({ hash, previous, source, at }): WorkflowHistoryItem => {
        return { hash, previous, current: hash === now, source, at };
      },
    );
    return document(items, (screen) => historyTable(screen, items));
  },
});

function historyTable(screen: Screen, items: readonly WorkflowHistoryItem[]): string {
  const { good, dim } = paintOn(screen);
  const columns: readonly ColumnOf<WorkflowHistoryItem>[] = [
    [left(""), ({ current }) => ({ text: current ? "→" : "", paint: good })],
    [left("VERSION"), ({ hash }) => hash ?? { text: "removed", paint: dim }],
    [left("BEFORE"), ({ previous }) => previous ?? ""],
    [right("SINCE"), ({ at }) => ({ text: at === null ? "?" : ago(at, screen.now), paint: dim })],
  ];
  return tableOf(screen, columns, items);
}
