import { isObject, type JsonValue, parseJson } from "@uncaged/json-cas";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import type { Completion, SessionFacts } from "@uncaged/workflow-agent-kit";
import { readFile } from "./document.js";

/** Bytes of that file. */
const LONGEST = 64 * 1024;

/** What a program has used, as it says it; unknown is `null`. */
export type Used = Pick<SessionFacts, "model" | "usage">;

const UNKNOWN: Used = { model: null, usage: null };

/** Adds up a model's answers, and after each one writes the sum to `path`; `null`: no caller asked for it. */
export function countTo(path: string | null, model: string): (answer: Completion) => void {
  let sum: Used["usage"] = { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0 };
  return ({ tokens, costUsd }) => {
    if (path === null) return;
    // One answer of unknown size makes the sum unknown.
    if (tokens === null || sum === null) sum = null;
    else
      sum = {
        inputTokens: sum.inputTokens + tokens.input,
        outputTokens: sum.outputTokens + tokens.output,
        totalTokens: sum.totalTokens + tokens.input + tokens.output,
        costUsd: sum.costUsd === null || costUsd === null ? null : sum.costUsd + costUsd,
      };
    const sums = sum === null ? {} : { ...sum, totalTokens: undefined };
    writeFileAtomic(path, Buffer.from(`${JSON.stringify({ model, ...sums })}\n`), { mode: null });
  };
}

/** What such a file says: `{"model", "inputTokens", "outputTokens", "costUsd"}`. What cannot be understood is unknown. */
export function readUsed(path: string): Used {
  const record = jsonIn(path);
  if (!isObject(record)) return UNKNOWN;
  const { model, inputTokens, outputTokens, costUsd } = record;
  const isKnown = isCount(inputTokens) && isCount(outputTokens);
  return {
    model: typeof model === "string" && model !== "" ? model : null,
    usage: isKnown
      ? {
          inputTokens,
          outputTokens,
          totalTokens: inputTokens + outputTokens,
          costUsd: typeof costUsd === "number" && costUsd >= 0 ? costUsd : null,
        }
      : null,
  };
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function jsonIn(path: string): JsonValue {
  const read = readFile(path, LONGEST);
  // Most programs write no such file.
  if (!read.ok) return null;
  try {
    return parseJson(read.value.toString("utf8"));
  } catch {
    return null;
  }
}
