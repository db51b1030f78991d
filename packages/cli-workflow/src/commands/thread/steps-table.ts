import { programOf, type ThreadStepsOutput } from "@uncaged/workflow-protocol";
import type { ItemRenderer } from "../../render.js";
import {
  ago,
  left,
  lines,
  paintOn,
  right,
  type Screen,
  shrinking,
  summaryOf,
  tableWriter,
} from "../../screen/index.js";

type Item = ThreadStepsOutput["steps"][number];

const COLUMNS = [
  right("#"),
  shrinking("ROLE"),
  shrinking("WHY"),
  shrinking("AGENT"),
  right("WHEN"),
  left("STEP"),
  shrinking("OUTPUT"),
];

/** The start as a sentence, every step as a row. */
export function stepsRenderer(screen: Screen, name: string, reasons: readonly string[]): ItemRenderer {
  const { dim } = paintOn(screen);
  const table = tableWriter(screen, COLUMNS);
  let count = 0;
  const textOf = (item: Item): string => {
    if (!("role" in item)) return lines(screen, [`${name}: ${item.prompt}`]);
    count += 1;
    const { role, agent, timestamp, hash, output } = item;
    const when = { text: ago(timestamp, screen.now), paint: dim };
    const why = reasons[count - 1] ?? "";
    return table.add([String(count), role, why, programOf(agent), when, hash, summaryOf(output)]);
  };
  return {
    item: async (value) => textOf(value as Item),
    end: () => (count === 0 ? "no step has been taken yet\n" : table.end()),
  };
}
