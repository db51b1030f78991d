import type { CasRef, SeenState, ThreadId } from "@uncaged/workflow-protocol";
import { count, counted } from "@uncaged/workflow-util";
import { type GraphSource, graphOf, graphSvg } from "../graph/index.js";
import { cost, type Html, html, shellHtml, time } from "./html.js";
import type { ThreadSummary } from "./model.js";
import { long } from "./tables.js";

// Pages about many threads. They have no script: a browser finds words by itself.

/** A registered workflow. */
export type WorkflowSummary = {
  readonly name: string;
  /** Newest first; `at` is `null` if the time was not recorded. */
  readonly versions: readonly {
    readonly hash: CasRef;
    readonly at: number | null;
    readonly current: boolean;
  }[];
  /** The current version; `null`: its node cannot be read. */
  readonly source: GraphSource | null;
};

export type Overview = {
  readonly workflows: readonly WorkflowSummary[];
  /** Newest first. */
  readonly threads: readonly ListedSummary[];
};

/** A thread that another one has started names it; one without a report, its own or one below it, says what is damaged. */
export type ListedSummary = {
  readonly thread: ThreadId;
  readonly parent: ThreadId | null;
  readonly state: SeenState;
  readonly summary: ThreadSummary | null;
  readonly damage: string | null;
};

/** The first page of a folder of reports. */
export function overviewHtml({ workflows, threads }: Overview): string {
  const body = html`<header>
<h1>Workflows and threads</h1>
<nav aria-label="Parts of this page"><a href="#workflows">Workflows</a> <a href="#threads">Threads</a></nav>
</header>
<main>
<p>${stateWords(threads)}</p>
<section id="workflows" aria-labelledby="of-workflows"><h2 id="of-workflows">Workflows</h2>
${workflows.length === 0 ? html`<p>No workflow is registered.</p>` : workflowTable(workflows, threads)}
</section>
<section id="threads" aria-labelledby="of-threads"><h2 id="of-threads">Threads</h2>
${threadTable(threads, { up: "", names: new Set(workflows.map(({ name }) => name)) })}
</section>
</main>
<footer><p class="small">Made by uwf.</p></footer>`;
  return shellHtml({ title: "Workflows and threads", body, script: null, connects: false });
}

/** The page of one workflow: its graph, its versions, its threads. */
export function workflowHtml(workflow: WorkflowSummary, threads: readonly ListedSummary[]): string {
  const { name, versions, source } = workflow;
  const body = html`<header>
<h1>${name}</h1>
<nav aria-label="Other pages"><a href="../index.html">Workflows and threads</a></nav>
</header>
<main>
${source === null ? html`<p class="bad">Its current version cannot be read.</p>` : sourceHtml(source)}
<section id="versions" aria-labelledby="of-versions"><h2 id="of-versions">Versions</h2>
<div class="wide"><table><thead><tr><th scope="col">version</th><th scope="col">registered</th></tr></thead>
<tbody>${versions.map(
    ({ hash, at, current }) =>
      html`<tr><td><code>${hash}</code>${current ? html` <span class="mark">current</span>` : null}</td><td>${at === null ? "" : html`${time(at)} UTC`}</td></tr>
`,
  )}</tbody></table></div>
</section>
<section id="threads" aria-labelledby="of-threads"><h2 id="of-threads">Threads</h2>
${threadTable(
  threads.filter(({ summary }) => summary?.workflow.name === name),
  { up: "../", names: new Set() },
)}
</section>
</main>
<footer><p class="small">Made by uwf.</p></footer>`;
  return shellHtml({ title: name, body, script: null, connects: false });
}

function sourceHtml(source: GraphSource): Html {
  const graph = { html: graphSvg(graphOf(source, null), { id: "graph", style: false }) };
  return html`${long(source.description, "text")}
<section id="path" aria-labelledby="of-path"><h2 id="of-path">Graph</h2>
<div class="wide">${graph}</div>
</section>`;
}

function stateWords(threads: readonly ListedSummary[]): string {
  const counts = new Map<string, number>();
  for (const { state } of threads) counts.set(state, (counts.get(state) ?? 0) + 1);
  const parts = [...counts].map(([state, number]) => `${count(number)} ${state}`);
  return `${counted(threads.length, "thread")}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}.`;
}

function workflowTable(workflows: readonly WorkflowSummary[], threads: readonly ListedSummary[]): Html {
  const rows = workflows.map(({ name, versions, source }) => {
    const own = threads.flatMap(({ summary }) => (summary?.workflow.name === name ? [summary] : []));
    const failed = own.filter(({ state }) => state === "failed" || state === "failing");
    return html`<tr><th scope="row"><a href="workflows/${name}.html">${name}</a></th><td>${source === null ? html`<span class="bad">cannot be read</span>` : source.description}</td><td class="number">${versions.length}</td><td class="number">${own.length}</td><td class="number">${failed.length === 0 ? "" : html`<span class="bad">${failed.length}</span>`}</td></tr>
`;
  });
  return html`<div class="wide"><table><thead><tr><th scope="col">name</th><th scope="col">description</th><th scope="col" class="number">versions</th><th scope="col" class="number">threads</th><th scope="col" class="number">failed or failing</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}

type Links = {
  /** Leads to the folder of all pages. */
  readonly up: string;
  /** Workflows that have a page to link to. */
  readonly names: ReadonlySet<string>;
};

function threadTable(threads: readonly ListedSummary[], { up, names }: Links): Html {
  if (threads.length === 0) return html`<p>None.</p>`;
  const rows = threads.map(({ thread, parent, state, summary, damage }) => {
    const mark = html`<span class="state ${state}">${state}</span>`;
    if (summary === null)
      return html`<tr><th scope="row"><code>${thread}</code></th><td></td><td>${mark}</td><td colspan="5" class="bad">${damage ?? "it cannot be read"}</td></tr>
`;
    const { workflow, task, steps, failed, total, startedAt, lastAt } = summary;
    const name = names.has(workflow.name)
      ? html`<a href="${up}workflows/${workflow.name}.html">${workflow.name}</a>`
      : html`${workflow.name}`;
    return html`<tr><th scope="row"><a href="${up}threads/${thread}.html"><code>${thread.slice(-6)}</code></a>${parent === null ? null : html` <span class="mark">of <a href="${up}threads/${parent}.html">${parent.slice(-6)}</a></span>`}</th><td>${name}<div class="small">${task}</div></td><td>${mark}</td><td class="number">${steps}</td><td class="number">${failed === null ? "unknown" : failed === 0 ? "" : html`<span class="bad">${failed}</span>`}</td><td class="number">${cost(total)}</td><td>${time(startedAt)}</td><td>${time(lastAt)}</td></tr>
`;
  });
  return html`<div class="wide"><table class="threads"><thead><tr><th scope="col">thread</th><th scope="col">workflow</th><th scope="col">state</th><th scope="col" class="number">steps</th><th scope="col" class="number">failed runs</th><th scope="col" class="number">cost</th><th scope="col">started (UTC)</th><th scope="col">last (UTC)</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;
}
