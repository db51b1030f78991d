import { partIn, type Standings, undecidedWords, withStandings } from "@uncaged/workflow-engine";
import type { ChildLine, Held, ThreadId } from "@uncaged/workflow-protocol";
import { type ListedThread, readFamily, type Storage } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import type { TextSink } from "../../io.js";
import {
  ago,
  type Cell,
  type Column,
  firstLine,
  heldState,
  left,
  oneLine,
  type Paint,
  paintOn,
  type Row,
  right,
  type Screen,
  shrinking,
  stateCell,
  tableWriter,
  taskLine,
} from "../../screen/index.js";
import { silenceReader } from "./silence.js";
import { factsReader, MOST_STEPS, type ThreadFacts } from "./thread-facts.js";

const COLUMNS: readonly Column[] = [
  left("ID"),
  shrinking("WORKFLOW"),
  left("STATE"),
  shrinking("NEXT"),
  right("STEPS"),
  right("STARTED"),
  shrinking("TASK"),
];

/** Of the threads that wait: for what, since when, and what is asked. */
const HELD_COLUMNS: readonly Column[] = [
  left("ID"),
  shrinking("WORKFLOW"),
  shrinking("ROLE"),
  left("PART OF"),
  left("WAITS FOR"),
  right("SINCE"),
  shrinking("QUESTION"),
];

type Printed = {
  readonly warn: (message: string) => void;
  readonly stdout: TextSink;
  readonly screen: Screen;
  readonly idOf: (id: string) => string;
  /** Whether only those that wait are listed. */
  readonly held: boolean;
};

/** The threads as a table, each row as soon as it is known; gives how many there were. */
export function printTable(
  storage: Storage,
  printed: Printed,
  threads: Iterable<ListedThread>,
): Promise<number> {
  return withStandings(storage, async (standings) => {
    const count = await printAll(storage, printed, standings, threads);
    const left = undecidedWords(standings.undecided());
    if (left !== null) printed.warn(left);
    return count;
  });
}

async function printAll(
  storage: Storage,
  { stdout, screen, idOf, held }: Printed,
  standings: Standings,
  threads: Iterable<ListedThread>,
): Promise<number> {
  const factsOf = factsReader(storage, standings);
  const silent = silenceReader(storage, screen.now);
  const paint = paintOn(screen);
  const table = tableWriter(screen, held ? HELD_COLUMNS : COLUMNS);
  const family = held ? readFamily(storage) : null;
  const parentOf = (thread: ThreadId): ChildLine | null =>
    family?.ok ? family.value.parentOf(thread) : null;
  const rowOf = held ? heldRow : rowFor;
  let count = 0;
  const write = (text: string): void => {
    if (text !== "") stdout.write(text);
  };
  for (const thread of threads) {
    if (stdout.isClosed()) return count;
    const shown = { idOf, parentOf, paint, now: screen.now, silentSince: silent(thread) };
    write(table.add(rowOf(await factsOf(thread), shown)));
    count += 1;
  }
  write(table.end());
  return count;
}

type Shown = {
  readonly idOf: (id: string) => string;
  /** The thread that has started it; `null`: a person has, as far as is known. */
  readonly parentOf: (thread: ThreadId) => ChildLine | null;
  readonly paint: Paint;
  readonly now: number;
  /** Since when its run has been silent, if that is long. */
  readonly silentSince: string | null;
};

function rowFor(facts: ThreadFacts, shown: Shown): Row {
  const { idOf, paint, now } = shown;
  const { thread, workflow, state, next, isUndecided, steps, task } = facts;
  return [
    { text: idOf(thread), paint: paint.strong },
    workflow ?? "?",
    stateWithSilence(facts, shown),
    isUndecided ? { text: "not decided", paint: paint.dim } : (next ?? ""),
    steps === null ? "?" : steps > MOST_STEPS ? `${MOST_STEPS}+` : String(steps),
    // The id of a thread of the original uwf has another time in it.
    { text: state === "damaged" ? "" : ago(timeOfThreadId(thread), now), paint: paint.dim },
    state === "damaged" ? { text: task, paint: paint.bad } : taskLine(task),
  ];
}

function stateWithSilence({ state }: ThreadFacts, { silentSince, paint, now }: Shown): Cell {
  if (state !== "running" || silentSince === null) return stateCell(state, paint);
  return {
    text: `running, silent ${ago(Date.parse(silentSince), now).replace(/ ago$/, "")}`,
    paint: paint.warn,
  };
}

function heldRow(facts: ThreadFacts, shown: Shown): Row {
  const { thread, workflow, held, task } = facts;
  const { idOf, paint, now } = shown;
  if (held === null) {
    const [id = "", name = ""] = rowFor(facts, shown);
    return [id, name, "", "", stateCell(facts.state, paint), "", { text: task, paint: paint.bad }];
  }
  return [
    { text: idOf(thread), paint: paint.strong },
    workflow ?? "?",
    held.role ?? "",
    placeOf(shown.parentOf(thread), idOf),
    { text: waitsFor(held, thread, idOf), paint: paint.warn },
    { text: ago(held.waitingSince, now), paint: paint.dim },
    questionLine(facts),
  ];
}

/** Those who work on several items are asked the same: the item comes first. */
function questionLine({ held, task }: ThreadFacts): string {
  const part = partIn(task);
  const question = firstLine(held?.question ?? "");
  return part === null ? question : `${oneLine(part.item)}: ${question}`;
}

/** `4XZ9 draft 2`: the second child thread that plays that role there. */
function placeOf(line: ChildLine | null, idOf: (id: string) => string): string {
  if (line === null) return "";
  return `${idOf(line.parent)} ${line.role}${line.item === null ? "" : ` ${line.item + 1}`}`;
}

/** `an answer` of `waits for an answer`, which the column says already. */
function waitsFor(held: Held, thread: ThreadId, idOf: (id: string) => string): string {
  return heldState(held, thread, idOf).replace(/^waits for /, "");
}
