import { argument } from "@uncaged/command-line";
import type { WorkflowHistoryItem } from "@uncaged/workflow-protocol";
import { readRegistry } from "@uncaged/workflow-store";
import { defineCommand, REGISTERED } from "../../line/index.js";
import { ago, left, paintOn, type Row, renderTable, right, type Screen } from "../../screen/index.js";
import { document } from "../output.js";
import { currentOf, readNameHistory, unknownName } from "./names.js";

/** Every change of a name, newest first. */
export const command = defineCommand({
  path: "workflow history",
  summary: "print the versions that a name has pointed to, newest first",
  arguments: { name: argument(REGISTERED) },
  examples: ["uwf workflow history solve-issue"],
  exits: ["OLDER_ROOT"],
  sample: {
    line: "workflow history solve-issue",
    prints: `   VERSION        BEFORE     SINCE
→  1MV05XPK04K7N          14 s ago`,
  },
  run: async (context, { name }) => {
    const storage = context.openStorage();
    if (!storage.ok) return storage;
    const lines = readNameHistory(storage.value, name);
    if (!lines.ok) return lines;
    const registry = await readRegistry(storage.value);
    if (!registry.ok) return registry;
    const now = currentOf(registry.value, name);
    if (lines.value.length === 0 && now === null)
      return unknownName(context.host.cwd, name, Object.keys(registry.value));
    const items = lines.value.map(
      ({ hash, previous, source, at }): WorkflowHistoryItem => ({
        hash,
        previous,
        current: hash === now,
        source,
        at,
      }),
    );
    // A name given by an earlier version of uwf has no recorded history.
    const first: WorkflowHistoryItem[] =
      items.length === 0 ? [{ hash: now, previous: null, current: true, source: null, at: null }] : [];
    const all = [...items, ...first];
    return document(all, (screen) => historyTable(screen, all));
  },
});

function historyTable(screen: Screen, items: readonly WorkflowHistoryItem[]): string {
  const paint = paintOn(screen);
  const rows = items.map(
    ({ hash, previous, current, at }): Row => [
      { text: current ? "→" : "", paint: paint.good },
      hash ?? { text: "removed", paint: paint.dim },
      previous ?? "",
      { text: at === null ? "?" : ago(at, screen.now), paint: paint.dim },
    ],
  );
  return renderTable(screen, [left(""), left("VERSION"), left("BEFORE"), right("SINCE")], rows);
}
