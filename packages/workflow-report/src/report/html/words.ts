import type { UsageSum } from "@uncaged/workflow-protocol";
import { count, counted, duration, money } from "@uncaged/workflow-util";
import { type Html, html } from "./html.js";

/** A time in UTC, the same wherever the report is read. */
export function time(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")}</time>`;
}

/** A cost with what is missing in it. */
export function cost({ costUsd, unknown }: UsageSum): string {
  if (costUsd === null) return "unknown";
  return unknown.cost > 0
    ? `${money(costUsd)} and ${counted(unknown.cost, "run")} of unknown cost`
    : money(costUsd);
}

export function tokens({
  inputTokens,
  outputTokens,
}: Pick<UsageSum, "inputTokens" | "outputTokens">): string {
  if (inputTokens === null || outputTokens === null) return "unknown";
  return `${count(inputTokens)} in, ${count(outputTokens)} out`;
}

export function took(ms: number | null): string {
  return ms === null ? "" : duration(ms);
}
