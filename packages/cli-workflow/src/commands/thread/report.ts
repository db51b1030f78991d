import { err, fault } from "@uncaged/workflow-protocol";
import { reportHtml, reportOf } from "@uncaged/workflow-report";
import { findThread } from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { openDocuments, openReading, threadFacts } from "../../report/index.js";
import { text } from "../output.js";
import { writeToFile } from "../output-file.js";

type ReportRequest = {
  readonly thread: string;
  /** `-` is stdout, `null` a file in the current folder. */
  readonly output: string | null;
  readonly force: boolean;
  /** Whether prompts, tool calls, command lines, folders and what agents wrote to stderr are shown. */
  readonly details: boolean;
  /** Whether every condition is evaluated, whatever that costs. */
  readonly explain: boolean;
};

/** One HTML file that says what happened in a thread, why, and what it cost. */
export async function threadReport(context: CommandContext, request: ReportRequest): CommandResult {
  const [, other = null] = OTHER_FORMATS.exec(request.output ?? "") ?? [];
  if (other !== null) {
    const reason = `a report is an HTML file, not a .${other}`;
    const hint = "name it .html; a browser prints it as PDF, `uwf thread read` prints Markdown";
    return err(fault("INVALID_INPUT", { what: request.output ?? "", reason, hint }));
  }
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const state = await findThread(storage.value, request.thread, context.host.cwd);
  if (!state.ok) return state;
  const asked = {
    explained: request.explain,
    texts: request.details,
    documents: openDocuments(storage.value),
  };
  const reading = openReading(context, storage.value, asked);
  if (!reading.ok) return reading;
  const facts = await threadFacts(reading.value, state.value);
  if (!facts.ok) return facts;
  const { details, force } = request;
  const page = await reportHtml(reportOf(facts.value), { details, index: null });
  if (request.output === "-") return text(page);
  const output = request.output ?? `${facts.value.workflow.source.name}-${facts.value.thread.slice(-6)}.html`;
  if (page.length > LARGE) context.warn(`the report is ${Math.round(page.length / 1024 / 1024)} MiB`);
  return writeToFile(context.host, { output, force }, Buffer.from(page));
}

/** Names of files that would be opened as something that they are not. */
const OTHER_FORMATS = /\.(docx?|json|md|pdf|txt)$/i;

/** A browser gets slow. */
const LARGE = 25 * 1024 * 1024;
