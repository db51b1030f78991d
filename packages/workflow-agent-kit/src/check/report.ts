import { sanitizeTerminal } from "@uncaged/workflow-util";
import type { CaseResult, Report } from "./types.js";

const MARKS = { ok: "ok", skipped: "skipped", failed: "FAILED" } as const;

/** One case as it is shown when it has ended. */
export function renderCase(result: CaseResult): string {
  const { name, status, says } = result;
  const fix = result.status === "failed" ? `\n${" ".repeat(24)}→ ${result.fix}` : "";
  return sanitizeTerminal(`${MARKS[status].padEnd(8)} ${name.padEnd(14)} ${says}${fix}\n`);
}

export function renderSummary({ cases }: Report): string {
  const count = (status: CaseResult["status"]): number => cases.filter((one) => one.status === status).length;
  const skips = count("skipped") === 0 ? "" : `, ${count("skipped")} skipped`;
  return `${count("ok")} ok${skips}, ${count("failed")} failed\n`;
}
