import type { ReportStep, ReportTransition } from "../types.js";
import { type Html, html } from "./html.js";

// Why a role was next: a report says it at the step before it, at $START of the first one.

/** Which way it went on, where there was a choice. */
export function nextHtml({ decision }: ReportStep): Html | null {
  const taken = decision.find((each) => each.taken);
  if (taken === undefined || (taken.condition === null && decision.length === 1)) return null;
  return html`<span class="mark">${taken.condition ?? "otherwise"} → ${taken.role}</span> `;
}

/** Which transitions were looked at, and which of them was taken. */
export function decisionHtml(decision: readonly ReportTransition[]): Html {
  const [first] = decision;
  if (first?.condition === null) return html`<p>→ <strong>${first.role}</strong>, always</p>`;
  const rows = decision.map((transition) => {
    const { role, condition, expression, error, taken } = transition;
    return html`<tr class="${taken ? "taken" : ""}"><th scope="row">${condition ?? "otherwise"}</th><td>${expression === null ? null : html`<code>${expression.trim()}</code>`}</td><td class="value">${error ?? valueWords(transition, decision)}</td><td class="target">→ ${taken ? html`<strong>${role}</strong>` : role}</td></tr>
`;
  });
  return html`<div class="wide"><table class="decision">
<thead><tr><th scope="col">condition</th><th scope="col">expression</th><th scope="col">value</th><th scope="col">leads to</th></tr></thead>
<tbody>${rows}</tbody>
</table></div>`;
}

function valueWords(
  { condition, value, role, taken }: ReportTransition,
  decision: readonly ReportTransition[],
): string {
  if (condition === null) return "";
  if (value !== null) return JSON.stringify(value);
  const next = decision.find((each) => each.taken)?.role;
  // Nobody has evaluated it, but the thread went on: where one transition leads there, that says what it was.
  const isKnown =
    next !== undefined && decision.filter((each) => each.role === next && each.value !== false).length === 1;
  if (!isKnown) return "not evaluated for this report";
  return taken && role === next ? "true: the thread went this way" : "false: the thread went on elsewhere";
}
