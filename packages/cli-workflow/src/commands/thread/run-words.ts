import { ENDED_AS } from "@uncaged/workflow-engine";
import { counted, duration, money, paintOf, paintOn, type Screen } from "../../screen/index.js";
import type { LastState } from "./run-to-end.js";

type Run = LastState & {
  readonly until: string | null;
  readonly elapsedMs: number;
  /** With the threads below it and failed runs; `null`: not known. */
  readonly costUsd: number | null;
};

/** What a run came to: `ended: 4 steps, 42 s, $0.12`. Why it stopped early is an error's to say. */
export function runWords(
  screen: Screen,
  { output, steps, costUsd, why, held, until, elapsedMs }: Run,
): string {
  const paint = paintOn(screen);
  const spent = [counted(steps, "step"), duration(elapsedMs), ...(costUsd === null ? [] : [money(costUsd)])];
  const state = output.done ? ENDED_AS[output.reason] : null;
  const how =
    state !== null
      ? `${paintOf(state, paint)(state)}: `
      : held === null && why === "until"
        ? `next is ${paint.strong(until ?? "")}: `
        : "";
  return state === null && steps === 0 && how === "" && costUsd === null
    ? ""
    : `${how}${paint.dim(spent.join(", "))}\n`;
}
