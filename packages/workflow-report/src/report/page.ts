import { counted, duration } from "@uncaged/workflow-util";
import { graphSvg } from "../graph/index.js";
import { REPORT_SCRIPT, UI_SCRIPT } from "../page-texts.js";
import { fileButton, filesInPage, newBulk } from "./attachments.js";
import { cost, type Html, html, shellHtml, time, tokens } from "./html.js";
import { decisionHtml, failureHtml, type Look, stepHtml } from "./steps.js";
import { costTable, long } from "./tables.js";
import { idleMs, timelineOf } from "./timeline.js";
import type { ReportChild, ReportStep, Span, ThreadReport } from "./types.js";

export type ReportOptions = {
  /** Whether prompts, tool calls, command lines, folders and what agents wrote to stderr are shown. */
  readonly details: boolean;
  /** The address of the list of all threads, which the page links to. */
  readonly index: string | null;
};

/** The report as one HTML file that needs nothing else: the same report gives the same bytes. */
export async function reportHtml(report: ThreadReport, { details, index }: ReportOptions): Promise<string> {
  const bulk = newBulk();
  const { thread, state, workflow } = report;
  const texts = details ? bulk.add : () => null;
  const parts = sections(report, { prefix: "", details, texts, file: filesInPage() }, FIND);
  const blocks = await bulk.html();
  const body = html`<a class="skip" href="#steps">To the steps</a>
<header>
<h1>${workflow.name} <span class="state ${state}">${state}</span></h1>
${long(workflow.description, "text")}
<p class="small">thread <code>${thread}</code> of workflow <code>${workflow.hash}</code></p>
<nav aria-label="Parts of this report">${index === null ? null : html`<a href="${index}">Workflows and threads</a> `}<a href="#task">Task</a> <a href="#path">Path</a> <a href="#time">Time</a> <a href="#cost">Cost</a> <a href="#steps">Steps</a> <a href="#go-on">Check it, go on</a></nav>
</header>
<main>
${parts}
${goOnHtml(report)}
</main>
<footer><p class="small">Made by uwf.${details ? null : " Prompts, tool calls, command lines, folders and what agents wrote to stderr are left out."}</p></footer>
${KEYS}
${blocks}`;
  const title = `${workflow.name} ${thread.slice(-6)}: ${state}`;
  return shellHtml({ title, body, script: REPORT_SCRIPT, connects: false });
}

/** What a reader can check who has the storage root. */
function goOnHtml({ thread, steps, start }: ThreadReport): Html {
  return html`<section id="go-on" aria-labelledby="of-go-on"><h2 id="of-go-on">Check it, go on</h2>
<p>This page is a copy. uwf keeps each finished step as a node that is named by the hash of what it holds, and names the step before it: nobody can change a step without changing all that follow. On the machine whose store has the thread:</p>
<dl class="commands"><dt><code>uwf cas verify</code></dt><dd>checks every node of the store against its hash</dd>
<dt><code>uwf thread show ${thread}</code></dt><dd>says how the thread stands, and what can be done next</dd>
<dt><code>uwf thread read ${thread}</code></dt><dd>prints what this page says as text</dd>
<dt><code>uwf thread fork ${steps.at(-1)?.hash ?? start}</code></dt><dd>starts another thread that shares the history up to here; the id of an earlier step shares less of it</dd></dl>
</section>`;
}

/** The report without its page. The long texts are left to the page, which asks for them by the hash of their step. */
export function reportBody(report: ThreadReport): string {
  const texts = (step: ReportStep): Html | null =>
    step.texts === null ? html`<div class="bulk" data-step="${step.hash}"></div>` : null;
  return sections(report, { prefix: "", details: true, texts, file: fileButton }, null).html;
}

/** Hidden until the script shows it. */
const FIND = html`<form id="find" role="search" hidden>
<input type="search" id="query" aria-label="Search the steps" placeholder="Search the steps">
<label><input type="checkbox" id="deep"> in prompts, replies and tool calls too</label>
<label><input type="checkbox" id="failed"> failed only</label>
<output id="found" for="query"></output>
<button type="button" id="theme">Colours</button> <button type="button" id="help" aria-label="Keys">?</button>
</form>`;

const KEYS = html`<dialog id="keys" aria-label="Keys">
<dl><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next, previous step</dd><dt><kbd>o</kbd></dt><dd>open or close it</dd><dt><kbd>g</kbd> <kbd>G</kbd></dt><dd>first, last step</dd><dt><kbd>/</kbd></dt><dd>search</dd><dt><kbd>f</kbd></dt><dd>failed only</dd><dt><kbd>t</kbd></dt><dd>colours</dd><dt><kbd>?</kbd></dt><dd>this list</dd></dl>
<button type="button" id="close">Close</button>
</dialog>`;

function sections(report: ThreadReport, look: Look, find: Html | null): Html {
  return html`${factsHtml(report)}
<section id="task" aria-labelledby="of-task"><h2 id="of-task">Task</h2>
${long(report.task, "text")}
</section>
<section id="path" aria-labelledby="of-path"><h2 id="of-path">Path</h2>
<div class="beside"><div class="wide">${svgOf(report, look)}</div>
${conditionsHtml(report)}</div>
</section>
<section id="time" aria-labelledby="of-time"><h2 id="of-time">Time</h2>
<div class="wide">${timelineOf(report, look.prefix)}</div>
<p class="small">${colourWords(report)} Grey is time in which no agent worked: it is drawn short, however long it was. ${spentWords(report)}</p>
</section>
<section id="cost" aria-labelledby="of-cost"><h2 id="of-cost">Cost</h2>
${costTable(report)}
${report.failed === null ? html`<p class="small">The log could not be read: failed runs are not known.</p>` : null}
</section>
<section id="steps" aria-labelledby="of-steps"><h2 id="of-steps">Steps</h2>
${find}
${stepsHtml(report, look)}
</section>`;
}

function svgOf({ graph }: ThreadReport, { prefix }: Look): Html {
  return { html: graphSvg(graph, { id: `${prefix}graph`, style: false }) };
}

function factsHtml(report: ThreadReport): Html {
  const { startedAt, lastAt, steps, failed, held, total, workMs, askedMs } = report;
  return html`<dl class="facts-list">
<div><dt>Started</dt><dd>${time(startedAt)} UTC</dd></div>
<div><dt>${LAST[report.state] ?? "Last step"}</dt><dd>${time(lastAt)} UTC</dd></div>
<div><dt>Steps</dt><dd>${steps.length}${failed === null || failed === 0 ? null : html`, <span class="bad">${counted(failed, "failed run")}</span>`}</dd></div>
<div><dt>Agents worked</dt><dd>${duration(workMs)} of ${duration(lastAt - startedAt)}</dd></div>
${askedMs === 0 ? null : html`<div><dt>Waited for people</dt><dd>${duration(askedMs)}</dd></div>`}
<div><dt>Cost</dt><dd>${cost(total)}</dd></div>
<div><dt>Tokens</dt><dd>${tokens(total)}</dd></div>
${held === null ? null : html`<div><dt>Waits for</dt><dd>${held.role ?? "a person who has paused it"}${held.question === null ? null : html`<details class="long"><summary>what is asked</summary><div class="text">${held.question}</div></details>`}</dd></div>`}
</dl>`;
}

/** What the last thing was that is known of a thread. */
const LAST: Readonly<Partial<Record<ThreadReport["state"], string>>> = {
  ended: "Ended at $END",
  failed: "Ended at $FAIL",
  killed: "Killed",
};

/** What the conditions mean that the picture names. */
function conditionsHtml({ graph }: ThreadReport): Html | null {
  const transitions = graph.edges.flatMap((edge) => edge.transitions);
  const conditions = new Map(transitions.map((each) => [each.condition, each]));
  conditions.delete(null);
  if (conditions.size === 0) return null;
  return html`<dl class="conditions">${[...conditions].map(
    ([name, { description, expression }]) =>
      html`<dt>${name}</dt><dd>${description ?? ""}${expression === null ? null : html`<br><code>${expression.trim()}</code>`}</dd>
`,
  )}</dl>`;
}

/** Of the bars that are there. */
function colourWords({ spans }: ThreadReport): Html {
  const kinds = Object.entries(COLOURS).filter(([kind]) => spans.some((span) => span.kind === kind));
  return html`${kinds.map(([kind, words]) => html`<svg class="timeline" width="10" height="10" aria-hidden="true"><rect class="${kind}" width="10" height="10" rx="2"/></svg> ${words} `)}`;
}

const COLOURS = {
  step: "an agent worked.",
  threads: "threads that the step has started were going on.",
  failure: "a run failed.",
  answer: "a person was asked.",
} satisfies Readonly<Record<Span["kind"], string>>;

function spentWords({ workMs, askedMs, spans, lastAt, startedAt }: ThreadReport): string {
  const asked = askedMs === 0 ? "" : `, people were asked for ${duration(askedMs)}`;
  const idle = idleMs(spans, { from: startedAt, to: lastAt });
  return `Of ${duration(lastAt - startedAt)}, agents worked for ${duration(workMs)}${asked}, and nothing was going on for ${duration(idle)}.`;
}

function stepsHtml(report: ThreadReport, look: Look): Html {
  const { decision, steps, failures, children } = report;
  const open = children.map((child, at) => childHtml(child, { ...look, prefix: `${look.prefix}c${at}-` }));
  return html`${
    decision.length === 0
      ? null
      : html`<details class="step start"><summary><span class="n">0</span> <strong>$START</strong></summary><div class="inside">${decisionHtml(decision)}</div></details>
`
  }${steps.map((step) => stepHtml(step, look, childHtml))}${
    failures.length === 0
      ? null
      : html`<h3>Failed runs since the last step</h3>
${failures.map((failure, at) => failureHtml(failure, look, failures[at + 1]?.timestamp ?? null))}`
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
  return html`<details class="thread"><summary><strong>${name}</strong> ${workflow.name} <span class="state ${state}">${state}</span> <span class="facts">${counted(steps.length, "step")} · ${cost(report.total)} · <code>${thread}</code></span></summary>
<div class="inside">
${factsHtml(report)}
<h3>Task</h3>
${long(report.task, "text")}
<h3>Path</h3>
<div class="beside"><div class="wide">${svgOf(report, look)}</div>
${conditionsHtml(report)}</div>
<h3>Cost</h3>
${costTable(report)}
<h3>Steps</h3>
${stepsHtml(report, look)}
</div></details>
`;
}

/** The page of `uwf ui`. It holds nothing of any thread: its script asks for that, and has to show its token. */
export function uiHtml(): string {
  const body = html`<header>
<h1><a href="#/">uwf</a></h1>
<p id="state" role="status"></p>
</header>
<main>
<section id="list" aria-labelledby="of-list"><h2 id="of-list">Threads</h2>
<div class="wide"><table class="threads"><thead><tr><th scope="col">thread</th><th scope="col">workflow</th><th scope="col">state</th><th scope="col" class="number">steps</th><th scope="col" class="number">cost</th></tr></thead>
<tbody id="rows"></tbody></table></div>
<p><span id="count" class="small"></span> <button type="button" id="more" hidden>Show more</button></p>
<h2>Start a thread</h2>
<fieldset><label>Workflow <select id="workflow"></select></label>
<label>Task <textarea id="task" rows="4"></textarea></label>
<button type="button" id="start">Start</button></fieldset>
</section>
<section id="thread" aria-labelledby="name" hidden>
<p><a href="#/">All threads</a></p>
<h2><span id="name"></span> <span id="standing" class="state"></span></h2>
<div class="actions"><button type="button" id="step">Step</button> <button type="button" id="run">Run</button> <button type="button" id="pause">Pause</button> <button type="button" id="resume">Resume</button> <button type="button" id="kill">Kill</button> <select id="fork-from" aria-label="Step to fork from"></select> <button type="button" id="fork">Fork</button></div>
<div id="question"></div>
<div id="report"></div>
</section>
</main>
`;
  return shellHtml({ title: "uwf", body, script: UI_SCRIPT, connects: true });
}
