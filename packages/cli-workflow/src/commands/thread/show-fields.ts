import { basename } from "node:path";
import {
  type HeldThread,
  type RoutingFailure,
  type RunFailure,
  type ThreadShowOutput,
  waitWords,
  wayOn,
} from "@uncaged/workflow-protocol";
import { findBlocker, openHistory, readHold, type Storage } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import {
  ago,
  type Cell,
  counted,
  cut,
  duration,
  ENDED_AS,
  type Field,
  heldWords,
  nextCommand,
  oneLine,
  paintOf,
  renderFields,
  type SeenState,
  withShortIds,
} from "../../human/index.js";
import { readShortIds, workflowName } from "../../known-ids.js";
import { paintOn } from "../../paint.js";
import type { Screen } from "../../screen.js";
import { nextRole } from "../../thread-facts.js";

/** The state of a thread for a person, and the command that leads on. */
export async function showFields(screen: Screen, storage: Storage, shown: ThreadShowOutput): Promise<string> {
  const { thread, head, workflow, lastFailure, cwd } = shown;
  const paint = paintOn(screen);
  const idOf = await readShortIds(storage);
  const state = stateOf(shown);
  const past = pastOf(screen, storage, shown);
  const next = shown.done ? null : await nextOf(storage, shown);
  const blocker = shown.held?.for === "threads" ? findBlocker(storage, { thread, head }) : null;
  const fields: readonly Field[] = [
    ["thread", { text: thread, paint: paint.strong }],
    ["workflow", workflowName(storage, workflow)],
    ["state", { text: stateWords(shown, state, idOf, screen.now), paint: paintOf(state, paint) }],
    ...heldFields(storage, shown, screen.now),
    ["because", blocker === null ? null : `${idOf(blocker.thread)} ${blockedWords(blocker, idOf)}`],
    ["task", past.task],
    ["started", ago(timeOfThreadId(thread), screen.now)],
    ["steps", past.steps],
    ["next", next],
    ["running", runningWords(shown, screen.now)],
    ["failed", failedWords(shown, screen, paint.bad)],
    ["fix", lastFailure !== null && lastFailure.outcome === "routing" ? lastFailure.hint : null],
    ...kinFields(shown, idOf),
    ["notes", notesWords(shown)],
    ["folder", cwd],
    ["head", head],
  ];
  const command = commandOf(shown, state, blocker, idOf);
  return renderFields(screen, fields) + (command === null ? "" : nextCommand(screen, command));
}

function stateOf({ held, running, lastFailure, ...shown }: ThreadShowOutput): SeenState {
  if (shown.done) return ENDED_AS[shown.reason];
  if (running !== null) return "running";
  if (held !== null) return "held";
  // Somebody has interrupted it; it is as good as it was.
  const isFailing = lastFailure !== null && lastFailure.code !== "INTERRUPTED";
  return isFailing ? "failing" : "active";
}

type IdOf = (id: string) => string;

function stateWords({ thread, held }: ThreadShowOutput, state: SeenState, idOf: IdOf, now: number): string {
  if (state !== "held" || held === null) return state;
  return `held: ${heldWords(held, thread, idOf)}, since ${ago(held.since, now)}`;
}

/** With short ids. */
function blockedWords({ thread, held }: HeldThread, idOf: IdOf): string {
  return waitWords(withShortIds(held, idOf), idOf(thread));
}

function heldFields(
  storage: Storage,
  { thread, head, held }: ThreadShowOutput,
  now: number,
): readonly Field[] {
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

type Past = { readonly task: string | null; readonly steps: string | null };

/** What its history tells; a part that cannot be read is left out. */
function pastOf({ width, now }: Screen, { cas }: Storage, { head }: ThreadShowOutput): Past {
  const chain = openHistory(cas, head);
  if (!chain.ok) return { task: null, steps: null };
  const { start, newest, last } = chain.value;
  const task = cut(oneLine(start.payload.prompt), 2 * width);
  const steps = last(null);
  if (!steps.ok || newest === null) return { task, steps: newest === null ? "none yet" : null };
  const count = steps.value.length;
  return { task, steps: `${count}, the last: ${newest.payload.role}, ${ago(newest.timestamp, now)}` };
}

async function nextOf(
  storage: Storage,
  { thread, head, running, held }: ThreadShowOutput,
): Promise<string | null> {
  if (running !== null || (held !== null && held.role !== null)) return null;
  const chain = openHistory(storage.cas, head);
  return chain.ok ? nextRole(storage, thread, chain.value) : null;
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
  return { text: `${before}${ago(lastFailure.timestamp, now)}: ${whatFailed(lastFailure)}`, paint: bad };
}

function whatFailed(failure: RunFailure | RoutingFailure): string {
  const reason = failure.outcome !== "routing" && failure.reason !== null ? ` (${failure.reason})` : "";
  return `${failure.message}${reason}`;
}

function kinFields({ parent, children }: ThreadShowOutput, idOf: IdOf): readonly Field[] {
  const as = (role: string, item: number | null): string => `${role}${item === null ? "" : ` ${item + 1}`}`;
  return [
    [
      "parent",
      parent === null ? null : `${idOf(parent.thread)}, where it is ${as(parent.role, parent.item)}`,
    ],
    [
      "children",
      children.length === 0
        ? null
        : children.map(({ thread, role, item }) => `${idOf(thread)} as ${as(role, item)}`).join(", "),
    ],
  ];
}

function notesWords({ notes }: ThreadShowOutput): string | null {
  const [first] = notes;
  if (first === undefined) return null;
  const more = notes.length === 1 ? "" : `, and ${notes.length - 1} more`;
  return `for the next run: "${first.text}" by ${first.by}${more}`;
}

function commandOf(
  { thread, held }: ThreadShowOutput,
  state: SeenState,
  blocker: HeldThread | null,
  idOf: IdOf,
): string | null {
  const id = idOf(thread);
  switch (state) {
    case "active":
      return `uwf thread run ${id}`;
    case "failing":
      return `uwf log --thread ${id}`;
    case "held":
      return held === null ? null : heldCommand(blocker ?? { thread, held }, idOf);
    case "running":
      return `uwf log --follow --thread ${id}`;
    default:
      return `uwf thread read ${id}`;
  }
}

function heldCommand({ thread, held }: HeldThread, idOf: IdOf): string {
  return wayOn(withShortIds(held, idOf), idOf(thread)) ?? `uwf thread run ${idOf(thread)}`;
}
