import { isHash } from "@uncaged/json-cas";
import type { RunReport } from "@uncaged/workflow-protocol";
import { readText } from "../files/index.js";
import { asUsage, parseRecord } from "../json/index.js";
import type { RunDir } from "./types.js";

/** What the agent told about the run; `null` when it told nothing. A bad field counts as not told. */
export function readReport(run: RunDir): RunReport | null {
  const text = readText(run.report);
  const record = text.ok && text.value !== null ? parseRecord(text.value) : null;
  if (record === null) return null;
  const { sessionId, usage, raw, refusal } = record;
  return {
    sessionId: typeof sessionId === "string" ? sessionId : null,
    usage: asUsage(usage),
    raw: isHash(raw) ? raw : null,
    refusal: asRefusal(refusal),
  };
}

function asRefusal(value: unknown): RunReport["refusal"] {
  if (typeof value !== "object" || value === null) return null;
  const { code, message, hint } = value as Readonly<Record<string, unknown>>;
  const isWhole = typeof code === "string" && typeof message === "string" && typeof hint === "string";
  return isWhole ? { code, message, hint } : null;
}
