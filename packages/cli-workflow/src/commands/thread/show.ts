import { existsSync } from "node:fs";
import { basename } from "node:path";
import { argument } from "@uncaged/command-line";
import { assembledOf, partIn, resolveWorkflow, type ThreadView, threadView } from "@uncaged/workflow-engine";
import {
  type CasRef,
  messageOf,
  ok,
  shellWord,
  type ThreadShowOutput,
  waitWords,
} from "@uncaged/workflow-protocol";
import {
  findThread,
  readHold,
  readNode,
  readNotes,
  readThreadRecord,
  type Storage,
  workflowOfHead,
} from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { type CommandContext, defineRootCommand, THREAD } from "../../line/index.js";
import {
  ago,
  type Cell,
  counted,
  cut,
  duration,
  type Field,
  firstLine,
  heldState,
  nextCommand,
  oneLine,
  paintOf,
  paintOn,
  renderFields,
  type Screen,
  withoutHeading,
} from "../../screen/index.js";
import { readShortIds, workflowName } from "../known-names.js";
import { document } from "../output.js";
import { childLines } from "./tree.js";

export const command = defineRootCommand({
  path: "thread show",
  summary: "print the state of a thread",
  arguments: { thread: argument(THREAD) },
  examples: ["uwf thread show 01KAJ5E8"],
  sample: {
    line: "thread show W8YB",
    prints: `thread    01KAJ5E8ZJ4N7XK3M9T2V6W8YB
workflow  solve-issue
state     active
…`,
  },
  onRemote: {},
  run: async (context, request, storage) => {
    const found = await findThread(storage, request.thread, context.host.cwd);
    if (!found.ok) return found;
    const { thread, head } = found.value;
    const workflow = workflowOfHead(storage.cas, head);
    if (!workflow.ok) return workflow;
    const read = await threadView(storage, found.value, { warn: context.warn });
    if (!read.ok) return read;
    const view = read.value;
    const { ended, held, run } = view;
    const notes = ended === null ? readNotes(storage, thread) : ok([]);
    if (!notes.ok) return notes;
    const shown: ThreadShowOutput = {
      workflow: workflow.value,
      thread,
      head,
      ...(ended === null ? { done: false } : { done: true, reason: ended.reason }),
      cwd: folderOf(context, view),
      ...failuresOf(context, view),
      running: run.running,
      held,
      notes: notes.value,
      ...kinOf(context, view),
      leftRun: run.leftRun,
      ...(await findChanged(storage, view, workflow.value)),
    };
    return document(shown, (screen) => showFields(screen, storage, view, shown));
  },
});

/**
 * What an active thread's workflow has become since the thread began: its file, or its name in the registry. Nothing if it
 * is the same, or that cannot be determined.
 */
async function findChanged(
  storage: Storage,
  { thread, head, ended }: ThreadView,
  workflow: CasRef,
): Promise<Pick<ThreadShowOutput, "changed">> {
  const begun = ended === null ? readNode(storage.cas, "workflow", workflow) : null;
  if (!begun?.ok) return {};
  const record = readThreadRecord(storage, thread, "source");
  const source = record.ok ? (record.value?.file ?? null) : null;
  const from = source !== null && existsSync(source) ? source : begun.value.payload.name;
  // A name is one of the registry: the thread was not started from a file that is still there.
  const now = await resolveWorkflow({ storage, cwd: "/", warn: () => {} }, from);
  if (!now.ok) return {};
  const { hash, payload } = assembledOf(now.value);
  if (hash === workflow || (from !== source && payload.name !== from)) return {};
  const command = `uwf thread fork ${head} --workflow ${shellWord(from)} --instead-of ${thread}`;
  return { changed: { from, workflow: hash, command } };
}

/** The thread that has started it, and those that it has started. */
function kinOf(context: CommandContext, view: ThreadView): Pick<ThreadShowOutput, "parent" | "children"> {
  const kin = view.kin();
  if (!kin.ok) {
    context.warn(messageOf(kin.error));
    return { parent: null, children: [] };
  }
  const { parent: line } = kin.value;
  const parent = line === null ? null : { thread: line.parent, role: line.role, item: line.item };
  const children = kin.value.children.map(({ child, role, item }) => ({ thread: child, role, item }));
  return { parent, children };
}

/** An unknown part does not hide the rest. */
function folderOf(context: CommandContext, view: ThreadView): string | null {
  const folder = view.workFolder();
  if (folder.ok) return folder.value;
  context.warn(messageOf(folder.error));
  return null;
}

/** The log is not part of the state: if it cannot be read, a warning is printed and nothing else changes. */
function failuresOf(
  context: CommandContext,
  { stuck, failures }: ThreadView,
): Pick<ThreadShowOutput, "runs" | "lastFailure"> {
  const runs = failures();
  if (runs.ok) {
    const { failed, abandoned, last } = runs.value;
    // No run of an agent comes after a decision that leads nowhere.
    return { runs: { failed, abandoned }, lastFailure: stuck ?? last };
  }
  // Logs are private to their owner: for everybody else "not known" is the usual answer, and nothing is wrong.
  const { error } = runs;
  if (error.code === "IO_FAILED" && error.errno === "EACCES") return { runs: null, lastFailure: stuck };
  context.warn(`the failed runs are not known: ${messageOf(error)}`);
  return { runs: null, lastFailure: stuck };
}

/** The state of a thread for a person, and the command that leads on. */
async function showFields(
  screen: Screen,
  storage: Storage,
  view: ThreadView,
  shown: ThreadShowOutput,
): Promise<string> {
  const { thread, head, state, held, damage } = view;
  const { workflow, lastFailure, cwd, changed } = shown;
  const paint = paintOn(screen);
  const idOf = await readShortIds(storage);
  const blocker = view.blocker();
  const fields: readonly Field[] = [
    ["thread", { text: thread, paint: paint.strong }],
    ["workflow", workflowName(storage, workflow)],
    [
      "changed",
      changed === undefined
        ? null
        : `${changed.from} has changed since the thread began; \`${changed.command}\` moves it`,
    ],
    ["state", { text: stateWords(view, idOf, screen.now), paint: paintOf(state, paint) }],
    ...heldFields(storage, view, screen.now),
    [
      "because",
      blocker === null ? null : `${idOf(blocker.thread)} ${waitWords(blocker.held, blocker.thread, idOf)}`,
    ],
    ...pastFields(screen, view),
    // Where no other field says it.
    ["next", view.run.running === null && (held === null || held.role === null) ? view.next : null],
    ["running", runningWords(shown, screen.now)],
    ...(await kinFields(screen, storage, shown, idOf)),
    ["notes", notesWords(shown)],
    ["folder", cwd],
    ["head", head],
    ["damage", damage === null ? null : { text: messageOf(damage), paint: paint.bad }],
    ["failed", failedWords(shown, screen, paint.bad)],
    ["then", thenWords(shown)],
    ["fix", state === "failing" ? (lastFailure?.hint ?? null) : null],
  ];
  return renderFields(screen, fields) + nextCommand(screen, view.command(idOf));
}

type IdOf = (id: string) => string;

function stateWords({ thread, state, held, run }: ThreadView, idOf: IdOf, now: number): string {
  const isPaused = held?.for === "resume";
  if (state === "running") return isPaused ? "running; it is paused after this run, which counts" : state;
  if (state === "abandoned") {
    const what =
      run.leftRun === null ? "its uwf is gone, its agent works on" : "its uwf and its agent are gone";
    return `${state}: ${what}${isPaused ? "; it is paused" : ""}`;
  }
  if (state !== "held" || held === null) return state;
  return `held: ${heldState(held, thread, idOf)}, since ${ago(held.waitingSince, now)}`;
}

/** What becomes of a run whose uwf is gone. */
function thenWords({ running, leftRun }: ThreadShowOutput): string | null {
  if (leftRun !== null)
    return `the next step takes what ${leftRun.role} has left as its result; if that is none, ${leftRun.role} runs again`;
  if (running?.uwf !== "dead") return null;
  return `no second ${running.role} starts while its agent works; the step after that takes its result`;
}

function heldFields(storage: Storage, { thread, head, held }: ThreadView, now: number): readonly Field[] {
  if (held === null) return [];
  if (held.for === "resume") {
    const hold = readHold(storage, { thread, head });
    const asks = hold.ok && hold.value?.for === "answer" ? hold.value : null;
    return [
      ["why", held.question],
      ["asked", asks === null ? null : `${asks.role}, as soon as the thread is resumed`],
      ["question", asks?.question ?? null],
    ];
  }
  const isAnswer = held.for === "answer";
  return [
    [isAnswer ? "asked" : "next", held.role],
    [isAnswer ? "question" : "why", held.question],
    ["until", held.until === null ? null : ago(held.until, now)],
  ];
}

/** The facts from its history; a part that cannot be read is left out. */
function pastFields({ width, now }: Screen, { thread, history, steps }: ThreadView): readonly Field[] {
  const started: Field = ["started", ago(timeOfThreadId(thread), now)];
  if (history === null) return [started];
  const { start, newest } = history;
  const { prompt } = start.payload;
  const part = partIn(prompt);
  const count = newest === null ? null : steps(null);
  const taken =
    count === null
      ? null
      : `${count}, the last: ${newest?.payload.role}, ${ago(newest?.timestamp ?? 0, now)}`;
  return [
    ["task", cut(firstLine(withoutHeading(prompt)), 2 * width)],
    ["item", part === null ? null : `${part.which.replace(/^item /, "")}: ${oneLine(part.item)}`],
    started,
    ["steps", newest === null ? "none yet" : taken],
  ];
}

function runningWords({ running }: ThreadShowOutput, now: number): string | null {
  if (running === null) return null;
  const { role, agent, model, since, lastSignOfLife } = running;
  const who = `${role}, played by ${basename(agent)}${model === null ? "" : ` (${model})`}`;
  const sign = lastSignOfLife === null ? "none yet" : ago(Date.parse(lastSignOfLife), now);
  return `${who}, for ${duration(Math.max(0, now - since))}; last sign of life: ${sign}`;
}

function failedWords(
  { runs, lastFailure }: ThreadShowOutput,
  { now }: Screen,
  bad: (text: string) => string,
): Cell | null {
  if (lastFailure === null) return null;
  const count = (runs?.failed ?? 0) + (runs?.abandoned ?? 0);
  const before = count > 1 ? `${counted(count, "run")} since the last step; the newest ` : "";
  const { timestamp, message, outcome } = lastFailure;
  const reason = outcome !== "routing" && lastFailure.reason !== null ? ` (${lastFailure.reason})` : "";
  return { text: `${before}${ago(timestamp, now)}: ${message}${reason}`, paint: bad };
}

async function kinFields(
  screen: Screen,
  storage: Storage,
  { parent, children }: ThreadShowOutput,
  idOf: IdOf,
): Promise<readonly Field[]> {
  const item = parent === null || parent.item === null ? "" : ` ${parent.item + 1}`;
  const above = parent === null ? null : `${idOf(parent.thread)}, where it is ${parent.role}${item}`;
  const lines = children.length === 0 ? [] : await childLines(screen, storage, children);
  return [["parent", above], ...lines.map((line, at): Field => [at === 0 ? "children" : "", line])];
}

function notesWords({ notes }: ThreadShowOutput): string | null {
  const [first] = notes;
  if (first === undefined) return null;
  const more = notes.length === 1 ? "" : `, and ${notes.length - 1} more`;
  return `for the next run: "${first.text}" by ${first.by}${more}`;
}
