import { argument, flag, option, unless } from "@uncaged/command-line";
import { undecidedWords, withThreadViews } from "@uncaged/workflow-engine";
import { reportHtml, reportOf } from "@uncaged/workflow-report";
import { findThread } from "@uncaged/workflow-store";
import { defineRootCommand, OUTPUT, THREAD } from "../../line/index.js";
import { openDocuments, openReading, threadFacts } from "../../report/index.js";
import { invalid, text, writeToFile } from "../output.js";

/** One HTML file that says what happened in a thread, why, and what it cost. */
export const command = defineRootCommand({
  path: "thread report",
  summary: "write what happened, why, and what it cost, as one HTML file",
  arguments: { thread: argument(THREAD) },
  options: {
    output: option(OUTPUT, "write to this file, - is stdout (default: <workflow>-<end of the id>.html)", {
      short: "-o",
    }),
    details: unless("for sharing: leave out prompts, tool calls, command lines, folders and stderr"),
    explain: flag("evaluate every condition at every step, however long it takes"),
    force: flag("replace an existing file"),
  },
  examples: [
    "uwf thread report 01KAJ5E8",
    "uwf thread report 01KAJ5E8 -o report.html --force",
    "uwf thread report 01KAJ5E8 --no-details -o to-share.html",
    "uwf thread report 01KAJ5E8 -o - | wc -c",
  ],
  exits: ["INVALID_INPUT"],
  sample: {
    line: "thread report W8YB -o report.html",
    prints: "wrote /home/kim/report.html, 25 KiB",
  },
  run: async (context, request, storage) => {
    const [, other = null] = OTHER_FORMATS.exec(request.output ?? "") ?? [];
    if (other !== null) {
      const reason = `a report is an HTML file, not a .${other}`;
      const hint = "name it .html; a browser prints it as PDF, `uwf thread read` prints Markdown";
      return invalid(request.output ?? "", reason, hint);
    }
    const state = await findThread(storage, request.thread, context.host.cwd);
    if (!state.ok) return state;
    const documents = openDocuments(storage);
    const asked = { explained: request.explain, texts: request.details, documents };
    const facts = await withThreadViews(storage, async (views) => {
      const reading = openReading(context, storage, { ...asked, views });
      if (!reading.ok) return reading;
      const view = await views.found(state.value);
      const read = view.ok ? await threadFacts(reading.value, view.value) : view;
      const left = undecidedWords(views.undecided());
      if (left !== null) context.warn(left);
      return read;
    });
    if (!facts.ok) return facts;
    const { details, force } = request;
    const page = await reportHtml(reportOf(facts.value), { details, index: null });
    if (request.output === "-") return text(page);
    const output =
      request.output ?? `${facts.value.workflow.source.name}-${facts.value.thread.slice(-6)}.html`;
    if (page.length > LARGE) context.warn(`the report is ${Math.round(page.length / 1024 / 1024)} MiB`);
    return writeToFile(context.host, { output, force }, Buffer.from(page));
  },
});

/** Names of files that would be opened as something that they are not. */
const OTHER_FORMATS = /\.(doc\w*|json|md|pdf|txt)$/i;

/** A browser gets slow. */
const LARGE = 25 * 1024 * 1024;
