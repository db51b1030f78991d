import { resolve } from "node:path";
import { flag, needed, unless } from "@uncaged/command-line";
import { type ThreadViews, undecidedWords, withThreadViews } from "@uncaged/workflow-engine";
import { type Fault, messageOf, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  type ListedSummary,
  overviewHtml,
  reportHtml,
  reportOf,
  threadSummary,
  workflowHtml,
} from "@uncaged/workflow-report";
import {
  descendantsOf,
  type ListedThread,
  openThreadList,
  type Storage,
  type ThreadList,
} from "@uncaged/workflow-store";
import { counted } from "@uncaged/workflow-util";
import {
  type CommandContext,
  type CommandResult,
  defineRootCommand,
  FOLDER,
  ownVersion,
} from "../line/index.js";
import {
  type MadePage,
  ofOneThread,
  openDocuments,
  openPageFolder,
  openReading,
  type PageFolder,
  pageOf,
  type Reading,
  threadFacts,
  workflowSummaries,
} from "../report/index.js";
import { lines } from "../screen/index.js";
import { document } from "./output.js";

/** A folder of HTML pages: workflows, threads, and a report of each. Run from cron, it is a dashboard without a server. */
export const command = defineRootCommand({
  path: "report",
  summary: "write a folder of HTML pages: workflows, threads, and a report of each thread",
  options: {
    output: needed({ ...FOLDER, faults: ["INVALID_INPUT"] }, "write into this folder", { short: "-o" }),
    details: unless("for sharing: leave out prompts, tool calls, command lines, folders and stderr"),
    explain: flag("evaluate every condition at every step, however long it takes"),
    force: flag("write into a folder with other files in it"),
  },
  examples: ["uwf report -o public", "uwf report -o public --no-details"],
  notes:
    "It links to index.html. Pages that have not changed are not written again, so it can run from cron.",
  sample: { line: "report -o public", prints: "wrote 5 pages of 5:…" },
  run: async (context, request, storage) => {
    return withThreadViews(storage, async (views) => {
      const written = await writePages(context, storage, views, request);
      const left = undecidedWords(views.undecided());
      if (left !== null) context.warn(left);
      return written;
    });
  },
});

async function writePages(
  context: CommandContext,
  storage: Storage,
  views: ThreadViews,
  request: Work["request"] & { readonly output: string; readonly force: boolean },
): CommandResult {
  const list = await openThreadList(storage, { all: true });
  if (!list.ok) return list;
  const documents = openDocuments(storage);
  const asked = { explained: request.explain, texts: request.details, documents, views };
  const reading = openReading(context, storage, asked);
  if (!reading.ok) return reading;
  const workflows = await workflowSummaries(storage);
  if (!workflows.ok) return workflows;
  const folder = resolve(context.host.cwd, request.output);
  const pages = openPageFolder(storage, folder, request.force);
  if (!pages.ok) return pages;
  const work = { reading: reading.value, request, list: list.value, pages: pages.value };
  const made = new Map<ThreadId, MadePage>();
  const threads: ListedSummary[] = [];
  for (const thread of list.value.ids.toReversed()) {
    const state = list.value.state(thread);
    if (state === null) continue;
    const page = await ofOneThread(thread, () => threadPage(work, state));
    if (page.ok) made.set(thread, page.value);
    else context.warn(`thread ${thread} has no page: ${messageOf(page.error)}`);
    threads.push({
      thread,
      parent: reading.value.family.parentOf(thread)?.parent ?? null,
      state: page.ok ? page.value.summary.state : (await views.of(state)).state,
      summary: page.ok ? page.value.summary : null,
      damage: page.ok ? null : messageOf(page.error),
    });
  }
  const texts: readonly (readonly [string, string])[] = [
    ...workflows.value.map((each) => [`workflows/${each.name}.html`, workflowHtml(each, threads)] as const),
    ["index.html", overviewHtml({ workflows: workflows.value, threads })],
  ];
  for (const [file, text] of texts) {
    const written = pages.value.write(file, text);
    if (!written.ok) return written;
  }
  const counts = pages.value.finish(made);
  if (!counts.ok) return counts;
  const index = resolve(folder, "index.html");
  const { written, unchanged } = counts.value;
  return document(
    { index, workflows: workflows.value.length, threads: threads.length, ...counts.value },
    (screen) => lines(screen, [`wrote ${counted(written, "page")} of ${written + unchanged}: ${index}`]),
  );
}

type Work = {
  readonly reading: Reading;
  readonly request: { readonly details: boolean; readonly explain: boolean };
  readonly list: ThreadList;
  readonly pages: PageFolder;
};

/** The page of a thread that has ended, with all below it, stays as it is. */
async function threadPage(work: Work, state: ListedThread): Promise<Result<MadePage, Fault>> {
  const { reading, request, pages } = work;
  const { thread } = state;
  const stamp = stampOf(work, state);
  const known = stamp === null ? null : pages.made(thread, stamp);
  if (known !== null) {
    pages.keep(pageOf(thread));
    return ok(known);
  }
  const facts = await threadFacts(reading, await reading.views.of(state));
  if (!facts.ok) return facts;
  const of = reportOf(facts.value);
  const text = await reportHtml(of, { details: request.details, index: "../index.html" });
  const written = pages.write(pageOf(thread), text);
  return written.ok ? ok({ stamp: stamp ?? "", summary: threadSummary(of) }) : written;
}

/** `null`: it may still change. */
function stampOf({ reading, list, request }: Work, state: ListedThread): string | null {
  if (state.kind !== "ended" || state.pending) return null;
  if (!descendantsOf(reading.family, state.thread).every((below) => list.ended(below))) return null;
  const { head, reason, completedAt } = state;
  return [ownVersion(), head, reason, completedAt, request.details, request.explain].join(" ");
}
