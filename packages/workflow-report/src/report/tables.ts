import { duration, money } from "@uncaged/workflow-util";
import { cost, type Html, html, tokens } from "./html.js";
import { isNothing, totalOf } from "./model.js";
import type {
  DifferentLine,
  DiffPart,
  DocumentDifference,
  OutputField,
  RoleCost,
  ThreadReport,
} from "./types.js";

/** Where time and money went. */
export function costTable({ roles, total }: ThreadReport): Html {
  const most = Math.max(0, ...roles.map(({ sum }) => sum.costUsd ?? 0));
  const longest = Math.max(0, ...roles.map(({ durationMs }) => durationMs));
  const row = ({ role, steps, failures, durationMs, sum, below }: RoleCost, depth: number): Html => {
    const isFree = isNothing(sum);
    return html`<tr class="depth-${Math.min(depth, DEEPEST)}"><th scope="row">${depth === 0 ? "" : "↳ "}${role}</th><td class="number">${steps}</td><td class="number">${failures === 0 ? "" : html`<span class="bad">${failures}</span>`}</td><td class="number">${durationMs === 0 ? "" : duration(durationMs)}</td><td>${share(durationMs, longest)}</td><td class="number">${isFree ? "" : tokens(sum)}</td><td class="number">${isFree ? "" : cost(sum)}</td><td>${share(sum.costUsd ?? 0, most)}</td></tr>
${below.map((each) => row(each, depth + 1))}`;
  };
  return html`<div class="wide"><table class="costs">
<thead><tr><th scope="col">role</th><th scope="col" class="number">steps</th><th scope="col" class="number">failed runs</th><th scope="col" class="number">time of agents</th><td></td><th scope="col" class="number">tokens</th><th scope="col" class="number">cost</th><td></td></tr></thead>
<tbody>${roles.map((each) => row(each, 0))}</tbody>
<tfoot><tr><th scope="row">all</th><td class="number">${totalOf(roles.map(({ steps }) => steps))}</td><td class="number">${totalOf(roles.map(({ failures }) => failures))}</td><td class="number">${duration(totalOf(roles.map(({ durationMs }) => durationMs)))}</td><td></td><td class="number">${tokens(total)}</td><td class="number">${cost(total)}</td><td></td></tr></tfoot>
</table></div>`;
}

/** Roles of threads in threads are indented so far. */
const DEEPEST = 3;

/** A bar as long as this part of the largest. */
function share(value: number, most: number): Html | null {
  if (most === 0 || value === 0) return null;
  const width = Math.round((value / most) * 600) / 10;
  return html`<svg class="share" width="60" height="8" aria-hidden="true"><rect width="${width}" height="8" rx="2"/></svg>`;
}

/** A step's output, and what changed since the role's previous visit. */
export function outputTable(fields: readonly OutputField[]): Html {
  const rows = fields.map(
    (field) =>
      html`<tr class="${field.change ?? ""}"><th scope="row">${field.path === "" ? "output" : field.path}${mark(field)}</th><td>${field.diff === null ? long(field.value, field.kind) : html`<div class="text">${field.diff.map(partHtml)}</div>`}</td></tr>
`,
  );
  return html`<div class="wide"><table class="output"><tbody>${rows}</tbody></table></div>`;
}

function mark({ change }: OutputField): Html | null {
  return change === null || change === "same" ? null : html` <span class="mark">${change}</span>`;
}

/** Words that are there, and words that were. */
export function partHtml({ kind, text }: DiffPart): Html {
  if (kind === "new") return html`<ins>${text}</ins>`;
  return kind === "gone" ? html`<del>${text}</del>` : html`${text}`;
}

/** Characters that are shown at once, and at all. */
const SHORT = 1500;
const LONGEST = 50_000;

/** A text of any length. */
export function long(text: string, kind: "text" | "data"): Html {
  if (text.length <= SHORT) return html`<div class="${kind}">${text}</div>`;
  const rest = text.length > LONGEST ? `\n[${text.length - LONGEST} more characters]` : "";
  return html`<details class="long"><summary>${text.slice(0, 200).replace(/\s+/g, " ")}… <span class="mark">${text.length} characters</span></summary><div class="${kind}">${text.slice(0, LONGEST)}${rest}</div></details>`;
}

/** Characters of a reply whose whole text is among the long ones. */
const EXCERPT = 1500;

export function excerpt(text: string): Html {
  if (text.length <= EXCERPT) return long(text, "text");
  return html`<div class="text">${text.slice(0, EXCERPT)}\n[${text.length - EXCERPT} more characters, below]</div>`;
}

/** The cost of one step in a few characters. */
export function stepCost(costUsd: number | null, free: boolean): string {
  if (free) return "";
  return costUsd === null ? "cost unknown" : money(costUsd);
}

/** Lines that are shown at once. */
const SHOWN = 20;

/** What differs between the documents of a step. */
export function differenceHtml({ summary, lines, more }: DocumentDifference): Html {
  const left = lines.length - SHOWN + more;
  const rest = html`<details class="long"><summary>${left} more</summary>${linesHtml(lines.slice(SHOWN))}${more === 0 ? null : html`<p class="small">and ${more} more</p>`}</details>`;
  return html`<h3>What differs in the document</h3>
<p>${summary}</p>
${linesHtml(lines.slice(0, SHOWN))}${left > 0 ? rest : null}`;
}

function linesHtml(lines: readonly DifferentLine[]): Html {
  let above: string | null = null;
  const shown = lines.map(({ heading, label, parts, isFormatOnly }) => {
    const title =
      heading === above || heading === null
        ? null
        : html`<h4 dir="auto">${heading}</h4>
`;
    above = heading;
    const note = isFormatOnly ? html` <span class="mark">only its format</span>` : null;
    return html`${title}<div class="difference"><span class="small">${label}</span><div class="text" dir="auto">${parts.map(partHtml)}${note}</div></div>
`;
  });
  return html`${shown}`;
}
