import { UI_SCRIPT } from "../../page-texts.js";
import { html } from "./html.js";
import { shellHtml } from "./shell.js";

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
