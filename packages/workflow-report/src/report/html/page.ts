import { createHash } from "node:crypto";
import { counted, duration } from "@uncaged/workflow-util";
import { GRAPH_STYLE, graphSvg } from "../../graph/index.js";
import type { ReportChild, ThreadReport } from "../types.js";
import { type Html, html } from "./html.js";
import { failureHtml, type Look, stepHtml } from "./steps.js";
import { REPORT_STYLE } from "./style.js";
import { costTable, decisionHtml, long } from "./tables.js";
import { timelineOf } from "./timeline.js";
import { cost, STATES, time, tokens } from "./words.js";

export type ReportOptions = {
  /** Whether command lines and what agents wrote to stderr are shown. */
  readonly details: boolean;
};

/** The report as one HTML file that needs nothing else, and no script: the same report gives the same bytes. */
export function reportHtml(report: ThreadReport, { details }: ReportOptions): string {
  const style = `${REPORT_STYLE}${GRAPH_STYLE}`;
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const { name } = report.workflow;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${name} ${report.thread.slice(-6)}: ${STATES[report.state]}</title>
<style>${{ html: style }}</style>
</head>
<body>
<header>
<h1>${name} <span class="state ${report.state}">${STATES[report.state]}</span></h1>
<p class="small">thread <code>${report.thread}</code> of workflow <code>${report.workflow.hash}</code></p>
<nav aria-label="Parts of this report"><a href="#task">Task</a> <a href="#path">Path</a> <a href="#time">Time</a> <a href="#cost">Cost</a> <a href="#steps">Steps</a></nav>
</header>
<main>
${sections(report, { prefix: "", details })}
</main>
<footer><p class="small">Made by uwf.${details ? null : " Command lines and what agents wrote to stderr are left out."}</p></footer>
</body>
</html>
`;
  return page.html;
}

function sections(report: ThreadReport, look: Look): Html {
  return html`${factsHtml(report)}
<section id="task"><h2>Task</h2>
${long(report.task, "text")}
</section>
<section id="path"><h2>Path</h2>
<div class="wide">${svgOf(report, look)}</div>
</section>
<section id="time"><h2>Time</h2>
<div class="wide">${timelineOf(report, look.prefix)}</div>
<p class="small">Time in which nothing worked is shortened. ${spentWords(report)}</p>
</section>
<section id="cost"><h2>Cost</h2>
${costTable(report)}
${report.failed === null ? html`<p class="small">The log could not be read: failed runs are not known.</p>` : null}
</section>
<section id="steps"><h2>Steps</h2>
${stepsHtml(report, look)}
</section>`;
}

function svgOf({ graph }: ThreadReport, { prefix }: Look): Html {
  return { html: graphSvg(graph, { id: `${prefix}graph`, style: false }) };
}

function factsHtml(report: ThreadReport): Html {
  const { startedAt, lastAt, steps, failed, held, total, workMs } = report;
  return html`<dl class="facts-list">
<div><dt>Started</dt><dd>${time(startedAt)} UTC</dd></div>
<div><dt>${report.state === "active" ? "Last step" : "Until"}</dt><dd>${time(lastAt)} UTC</dd></div>
<div><dt>Steps</dt><dd>${steps.length}${failed === null || failed === 0 ? null : html`, <span class="bad">${counted(failed, "failed run")}</span>`}</dd></div>
<div><dt>Agents worked</dt><dd>${duration(workMs)} of ${duration(lastAt - startedAt)}</dd></div>
<div><dt>Cost</dt><dd>${cost(total)}</dd></div>
<div><dt>Tokens</dt><dd>${tokens(total)}</dd></div>
${held === null ? null : html`<div><dt>Waits for</dt><dd>${held.role ?? "a person who has paused it"}${held.question === null ? null : html`<details class="long"><summary>what is asked</summary><div class="text">${held.question}</div></details>`}</dd></div>`}
</dl>`;
}

function spentWords({ workMs, lastAt, startedAt }: ThreadReport): string {
  return `Agents worked for ${duration(workMs)} in ${duration(lastAt - startedAt)}.`;
}

function stepsHtml(report: ThreadReport, look: Look): Html {
  const { decision, steps, failures, children } = report;
  const open = children.map((child, at) => childHtml(child, { ...look, prefix: `${look.prefix}c${at}-` }));
  return html`${
    decision.length === 0
      ? null
      : html`<details class="step"><summary><span class="n">0</span> <strong>$START</strong></summary><div class="inside">${decisionHtml(decision)}</div></details>
`
  }${steps.map((step) => stepHtml(step, look, childHtml))}${
    failures.length === 0
      ? null
      : html`<h3>Failed runs since the last step</h3>
${failures.map((failure) => failureHtml(failure, look))}`
  }${
    open.length === 0
      ? null
      : html`<h3>Threads that the next step has started</h3>
${open}`
  }`;
}

/** A thread inside of the one that started it. */
function childHtml({ role, item, report }: ReportChild, look: Look): Html {
  const { workflow, thread, state, steps } = report;
  const name = item === null ? role : `${role} ${item + 1}`;
  return html`<details class="thread"><summary><strong>${name}</strong>: ${workflow.name} <span class="state ${state}">${STATES[state]}</span> <span class="facts">${counted(steps.length, "step")} · ${cost(report.total)} · <code>${thread.slice(-6)}</code></span></summary>
<div class="inside">
${factsHtml(report)}
<h4>Task</h4>
${long(report.task, "text")}
<div class="wide">${svgOf(report, look)}</div>
${stepsHtml(report, look)}
</div></details>
`;
}
