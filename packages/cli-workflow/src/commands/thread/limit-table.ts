import type { ThreadLimitOutput } from "@uncaged/workflow-protocol";
import {
  counted,
  left,
  lines,
  money,
  type Paint,
  paintOn,
  type Row,
  renderTable,
  right,
  type Screen,
} from "../../screen/index.js";

/** What is spent of what may be. */
export function limitTable(screen: Screen, { limits, spent }: ThreadLimitOutput): string {
  const paint = paintOn(screen);
  const { maxSteps, maxCostUsd, maxMinutes } = limits;
  const isUnknown = spent.costUsd === 0 && spent.unknownCost > 0;
  const rows = [
    rowOf("steps", spent.steps, maxSteps, String, paint),
    rowOf("cost", spent.costUsd, maxCostUsd, money, paint, isUnknown),
    rowOf("agent minutes", spent.minutes, maxMinutes, String, paint),
  ];
  const unknown = `the cost of ${counted(spent.unknownCost, "run")} is unknown: the agent does not report it`;
  return (
    renderTable(screen, [left(""), right("SPENT"), right("LIMIT")], rows) +
    lines(screen, [spent.unknownCost === 0 ? null : { text: unknown, paint: paint.dim }])
  );
}

function rowOf(
  name: string,
  spent: number,
  limit: number | null,
  words: (value: number) => string,
  paint: Paint,
  isUnknown = false,
): Row {
  const isReached = limit !== null && spent >= limit;
  return [
    name,
    { text: isUnknown ? "?" : words(spent), paint: isReached ? paint.bad : paint.strong },
    limit === null ? { text: "none", paint: paint.dim } : words(limit),
  ];
}
