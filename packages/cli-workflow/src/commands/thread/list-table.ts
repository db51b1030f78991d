import {
  partIn,
  type ThreadView,
  type ThreadViews,
  undecidedWords,
  withThreadViews,
} from "@uncaged/workflow-engine";
import { type ChildLine, type Held, messageOf, type ThreadId } from "@uncaged/workflow-protocol";
import type { ListedThread, Storage } from "@uncaged/workflow-store";
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
import { silentSince } from "./silence.js";

/** Each costs a read, and a thread may have thousands. */
const MOST_STEPS = 100;

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
  return withThreadViews(storage, async (views) => {
    const count = await printAll(printed, views, threads);
    const left = undecidedWords(views.undecided());
    if (left !== null) printed.warn(left);
    return count;
  });
}

async function printAll(
  { stdout, screen, idOf, held }: Printed,
  views: ThreadViews,
  threads: Iterable<ListedThread>,
): Promise<number> {
  const shown = { idOf, paint: paintOn(screen), now: screen.now };
  const table = tableWriter(screen, held ? HELD_COLUMNS : COLUMNS);
  const rowOf = held ? heldRow : rowFor;
  let count = 0;
  const write = (text: string): void => {
    if (text !== "") stdout.write(text);
  };
  for (const thread of threads) {
    if (stdout.isClosed()) return count;
    write(table.add(rowOf(await views.of(thread), shown)));
    count += 1;
  }
  write(table.end());
  return count;
}

type Shown = {
  readonly idOf: (id: string) => string;
  readonly paint: Paint;
  readonly now: number;
};

function rowFor(view: ThreadView, shown: Shown): Row {
  const { idOf, paint, now } = shown;
  const { thread, name, next, isUndecided, damage } = view;
  return [
    { text: idOf(thread), paint: paint.strong },
    name ?? "?",
    stateWithSilence(view, shown),
    isUndecided ? { text: "not decided", paint: paint.dim } : (next ?? ""),
    stepsWords(view),
    // The id of a thread of the original uwf has another time in it.
    { text: damage === null ? ago(timeOfThreadId(thread), now) : "", paint: paint.dim },
    damage === null ? taskLine(view.task ?? "") : { text: messageOf(damage), paint: paint.bad },
  ];
}

function stepsWords({ damage, steps }: ThreadView): string {
  const count = damage === null ? steps(MOST_STEPS) : null;
  if (count === null) return "?";
  return count > MOST_STEPS ? `${MOST_STEPS}+` : String(count);
}

function stateWithSilence({ state, run }: ThreadView, { paint, now }: Shown): Cell {
  const since = silentSince(run, now);
  if (state !== "running" || since === null) return stateCell(state, paint);
  return {
    text: `running, silent ${ago(Date.parse(since), now).replace(/ ago$/, "")}`,
    paint: paint.warn,
  };
}

function heldRow(view: ThreadView, shown: Shown): Row {
  const { thread, name, held, damage } = view;
  const { idOf, paint, now } = shown;
  if (held === null) {
    const why = damage === null ? "" : messageOf(damage);
    return [
      { text: idOf(thread), paint: paint.strong },
      ...[name ?? "?", "", "", stateCell(view.state, paint), "", { text: why, paint: paint.bad }],
    ];
  }
  const kin = view.kin();
  return [
    { text: idOf(thread), paint: paint.strong },
    name ?? "?",
    held.role ?? "",
    placeOf(kin.ok ? kin.value.parent : null, idOf),
    { text: waitsFor(held, thread, idOf), paint: paint.warn },
    { text: ago(held.waitingSince, now), paint: paint.dim },
    questionLine(view),
  ];
}

/** Those who work on several items are asked the same: the item comes first. */
function questionLine({ held, task }: ThreadView): string {
  const part = partIn(task ?? "");
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
