import { createHash } from "node:crypto";
import { GRAPH_PAGE_STYLE } from "../graph/index.js";
import { REPORT_STYLE, UI_SCRIPT } from "../page-texts.js";
import { type Html, html } from "./html.js";

type Shell = {
  readonly title: string;
  readonly body: Html;
  /** The one script of the page; `null`: it has none. */
  readonly script: string | null;
  /** Whether the script may ask the server that the page comes from. */
  readonly connects: boolean;
};

const STYLE = `${REPORT_STYLE}${GRAPH_PAGE_STYLE}`;

/** An HTML file that needs nothing else; its policy allows its own style and script, by their hashes. */
export function shellHtml({ title, body, script, connects }: Shell): string {
  const scripts = script === null ? "" : ` script-src '${sumOf(script)}';`;
  const connect = connects ? " connect-src 'self';" : "";
  const policy = `default-src 'none'; style-src '${sumOf(STYLE)}';${scripts}${connect} base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${body}${script === null ? null : html`<script>${{ html: script }}</script>`}
</body>
</html>
`;
  return page.html;
}

/** As a policy names a style or a script. */
function sumOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
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
