import { isAbsolute } from "node:path";
import { isHash } from "@uncaged/json-cas";
import {
  asUsage,
  FAILURE_REASONS,
  isSessionId,
  type ReportedFault,
  type RunReport,
} from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { parseRecord } from "./record.js";
import { type RunDir, runFileTail } from "./run-dir.js";

/** Reports are far smaller; a longer file is not one. */
const LONGEST_REPORT = 64 * 1024;
const LONGEST_MESSAGE = 8000;
const LONGEST_HINT = 1000;
const LONGEST_CODE = 64;
const LONGEST_WORDS = 200;

/** A rate limit that ends later is as good as one without a time. */
const LONGEST_RETRY_AFTER = 31 * 24 * 3600;

/** Reads what the agent reported about its run; `null` without a report. A bad field counts as missing. */
export function readReport(run: RunDir): RunReport | null {
  const text = attempt(() => runFileTail(run.report, LONGEST_REPORT));
  const record = parseRecord((text.ok ? text.value : null) ?? "");
  if (record === null) return null;
  const { sessionId, cwd, model, usage, extractUsage, raw, fault, words } = record;
  return {
    ...sessionIn(sessionId, cwd),
    model: typeof model === "string" ? model : null,
    usage: asUsage(usage),
    extractUsage: asUsage(extractUsage),
    raw: isHash(raw) ? raw : null,
    fault: asFault(fault),
    words: typeof words === "string" ? words.slice(0, LONGEST_WORDS) : null,
  };
}

/** Drops a session whose folder is missing or relative: a relative one depends on the reader's own folder. */
function sessionIn(sessionId: unknown, cwd: unknown): Pick<RunReport, "sessionId" | "cwd"> {
  const isWhole = isSessionId(sessionId) && typeof cwd === "string" && isAbsolute(cwd);
  return isWhole ? { sessionId, cwd } : { sessionId: null, cwd: null };
}

function asFault(value: unknown): ReportedFault | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { code, reason, retryAfter, retryable, message, hint }: Readonly<Record<string, unknown>> = {
    ...value,
  };
  if (typeof code !== "string" || typeof message !== "string" || message.trim() === "") return null;
  return {
    code: code.slice(0, LONGEST_CODE),
    reason: FAILURE_REASONS.find((known) => known === reason) ?? null,
    retryAfter: isWait(retryAfter) ? Math.ceil(retryAfter) : null,
    retryable: retryable !== false,
    message: message.slice(0, LONGEST_MESSAGE),
    hint: typeof hint === "string" && hint.trim() !== "" ? hint.slice(0, LONGEST_HINT) : null,
  };
}

function isWait(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LONGEST_RETRY_AFTER;
}
