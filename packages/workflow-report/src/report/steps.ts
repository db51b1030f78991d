import { addedSums, programOf } from "@uncaged/workflow-protocol";
import { counted, duration, summaryOf } from "@uncaged/workflow-util";
import { filesHtml, type ShowFile } from "./attachments.js";
import { cost, type Html, html, time, tokens, took } from "./html.js";
import { differenceHtml, excerpt, long, outputTable, partHtml, stepCost } from "./tables.js";
import type {
  FailureFacts,
  ReportAnswer,
  ReportChild,
  ReportStep,
  ReportTransition,
  ThreadReport,
} from "./types.js";

export type Look = {
  /** Begins every id of a thread. */
  readonly prefix: string;
  /** Whether command lines, folders and what agents wrote to stderr are shown. */
  readonly details: boolean;
  /** What the page's script puts a step's prompt, reply and tool calls in place of; `null`: it has none. */
  readonly texts: (step: ReportStep, id: string) => Html | null;
  readonly file: ShowFile;
};

/** Draws a thread inside of the one that started it. */
type DrawChild = (child: ReportChild, look: Look) => Html;

/** One step: a line that says what came out of it, and everything else behind it. */
export function stepHtml(step: ReportStep, look: Look, drawChild: DrawChild): Html {
  const { number, role, visit, output, agent, model, durationMs, usage, free, failures, inherited } = step;
  const spent =
    step.children.length === 0
      ? [took(durationMs), stepCost(usage?.costUsd ?? null, free)]
      : spentBy(step.children);
  const who = [programOf(agent), model].filter((word) => word !== null).join(", ");
  const facts = [step.answer === null ? who : answerFacts(step.answer), ...spent].filter(
    (word) => word !== "",
  );
  const id = `${look.prefix}s${number}`;
  const texts = look.texts(step, id);
  return html`<details class="step"${isFailed(step) ? html` data-failed` : null}><summary><span class="n">${number}</span> <strong>${role}</strong>${visit === 1 ? null : html` <span class="mark">visit ${visit}</span>`}${failures.length === 0 ? null : html` <span class="mark bad">${counted(failures.length, "failed run")}</span>`}${inherited ? html` <span class="mark">of another thread</span>` : null} <span class="said">${oneLine(summaryOf(output))}</span> ${nextHtml(step)}<span class="facts">${facts.join(" · ")}</span></summary>
<div class="inside" id="${id}">
${failures.length === 0 ? null : html`<h3>Failed runs before it</h3>${failures.map((failure, at) => failureHtml(failure, look, startOf(failures[at + 1] ?? step)))}`}
${step.answer === null ? null : answerHtml(step.answer)}
<h3>Output${step.previous === null ? null : html`, compared with <a href="#${look.prefix}s${step.previous}">step ${step.previous}</a>`}</h3>
${outputTable(step.fields())}
${filesHtml(step.files, look.file, id)}${step.difference === null ? null : differenceHtml(step.difference)}
${replyHtml(step, texts !== null)}
${step.children.length === 0 ? null : html`<h3>Threads that it has started</h3>${step.children.map((child, at) => drawChild(child, { ...look, prefix: `${look.prefix}s${number}c${at}-` }))}`}
${
  texts === null
    ? null
    : html`<h3>${textsWords(step)}</h3>
${texts}`
}
${step.decision.length === 0 ? null : html`<h3>What was decided next</h3>${decisionHtml(step.decision)}`}
<p class="small">recorded ${time(step.timestamp)} UTC · ${look.details ? agent : programOf(agent)}${look.details && step.cwd !== null ? html` · in ${step.cwd}` : null}${usage === null ? null : html` · ${tokens(usage)} tokens`}${step.extract === null ? null : html` · output read by ${step.extract.model ?? "a model"}`} · <code>${step.hash}</code> · <a href="#${id}">link to this step</a></p>
</div></details>
`;
}

/** What the agent said beside its output, and what changed in it; the whole of a long one is among the texts. */
function replyHtml(step: ReportStep, hasTexts: boolean): Html | null {
  const reply = step.reply?.trim() ?? "";
  if (reply === "") return null;
  const diff = step.replyDiff();
  if (diff !== null)
    return html`<h3>Reply, compared with step ${step.previous}</h3><div class="text">${diff.map(partHtml)}</div>`;
  return html`<h3>Reply</h3>${hasTexts ? excerpt(reply) : long(reply, "text")}`;
}

/** What the long texts of a step are. */
function textsWords({ texts }: ReportStep): string {
  const isReplyOnly = texts?.every(({ title }) => title === "Reply") ?? false;
  return isReplyOnly ? "The whole reply as it came" : "Prompt, whole reply and tool calls";
}

/** When its run was started. */
function startOf({ timestamp, durationMs }: Pick<FailureFacts, "timestamp" | "durationMs">): number {
  return timestamp - (durationMs ?? 0);
}

function answerFacts({ by, at, askedAt, timedOut }: ReportAnswer): string {
  const waited = waitedWords(at, askedAt);
  return timedOut ? `nobody answered within ${waited}` : `${by} after ${waited}`;
}

function waitedWords(at: number | null, askedAt: number | null): string {
  return at === null || askedAt === null ? "an unknown time" : duration(Math.max(0, at - askedAt));
}

/** How long the threads of a step worked, and what they cost. */
function spentBy(children: readonly ReportChild[]): readonly string[] {
  const reports = children.map(({ report }) => report);
  const names = [...new Set(reports.map(({ workflow }) => workflow.name))];
  const total = addedSums(reports.map((report) => report.total));
  const worked = reports.reduce((sum, { workMs }) => sum + workMs, 0);
  return [names.join(", "), `worked ${duration(worked)}`, cost(total)];
}

/** A step that cost a failed run, or whose threads did not come to their end. */
function isFailed({ failures, children }: ReportStep): boolean {
  return failures.length > 0 || children.some(({ report }) => hasFailed(report));
}

function hasFailed({ state, failed, steps }: ThreadReport): boolean {
  return state === "failed" || state === "killed" || (failed ?? 0) > 0 || steps.some(isFailed);
}

/** Characters of a summary. */
const SUMMARY = 160;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= SUMMARY ? line : `${line.slice(0, SUMMARY)}…`;
}

function answerHtml({ by, at, via, question, askedAt, timedOut }: ReportAnswer): Html {
  const who = timedOut
    ? "nobody answered in time"
    : html`answered by <strong>${by}</strong>${VIA[via] ?? ` (${via})`}`;
  return html`<h3>Answer</h3>
<p>${who}, ${at === null ? "at an unknown time" : html`${time(at)} UTC`}, ${waitedWords(at, askedAt)} after the question</p>
<details class="long"><summary>The question</summary><div class="text">${question}</div></details>`;
}

/** How an answer was given: the name is the one that was said there. */
const VIA: Readonly<Record<string, string>> = {
  field: " on the command line",
  file: " from a file",
  edit: " in an editor",
};

/** A run without a step; `next` is when the one after it was started, `null`: there is none yet. */
export function failureHtml(failure: FailureFacts, { details }: Look, next: number | null): Html {
  const { message, role, agent, code, durationMs, timestamp, stderr, outcome, usage, free } = failure;
  const paid = stepCost(usage?.costUsd ?? null, free);
  return html`<div class="failure"><p class="text"><strong>${role ?? "a run"}</strong> ${outcome === "abandoned" ? "was abandoned" : "failed"}: ${message}</p>
<p class="small">${time(timestamp)} UTC${agent === null ? null : html` · ${details ? agent : programOf(agent)}`}${code === null ? null : html` · ${code}`}${durationMs === null ? null : html` · ${duration(durationMs)}`}${paid === "" ? null : html` · ${paid}`}${next === null ? null : html` · run again ${duration(Math.max(0, next - timestamp))} later`}</p>
${details && stderr !== null && stderr !== "" ? html`<div class="data">${stderr}</div>` : null}</div>
`;
}

// Why a role was next: a report says it at the step before it, at $START of the first one.

/** Which way it went on, where there was a choice. */
function nextHtml({ decision }: ReportStep): Html | null {
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
  // It was not evaluated, but the thread went on: if only one transition leads there, that one was taken.
  const isKnown =
    next !== undefined && decision.filter((each) => each.role === next && each.value !== false).length === 1;
  if (!isKnown) return "not evaluated for this report";
  return taken && role === next ? "true: the thread went this way" : "false: the thread went on elsewhere";
}
