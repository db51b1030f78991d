import {
  partIn,
  type RunAt,
  runAt,
  type ThreadView,
  undecidedWords,
  withThreadViews,
} from "@uncaged/workflow-engine";
import { type ChildLine, messageOf, type ThreadId } from "@uncaged/workflow-protocol";
import { type ListedThread, listLocks, type Storage } from "@uncaged/workflow-store";
import { timeOfThreadId } from "@uncaged/workflow-util";
import type { TextSink } from "../../io.js";
import {
  ago,
  type Cell,
  type ColumnOf,
  firstLine,
  heldState,
  left,
  oneLine,
  type Paint,
  paintOn,
  right,
  rowOf,
  type Screen,
  shrinking,
  stateCell,
  tableWriter,
  taskLine,
} from "../../screen/index.js";

/** Silent for so long, a run may hang. */
const LONG_SILENCE_MS = 5 * 60_000;

/** The last sign of life of a run that has been silent for long; `null`: it has not, or there is none. */
function silentSince({ running }: RunAt, now: number): string | null {
  if (running === null || running.uwf === "dead") return null;
  const { since, lastSignOfLife } = running;
  const sign = lastSignOfLife === null ? since : Date.parse(lastSignOfLife);
  return now - sign >= LONG_SILENCE_MS ? new Date(sign).toISOString() : null;
}

/** The same for many threads. Looks only at those that a process holds. */
export function silenceReader(storage: Storage, now: number): (state: ListedThread) => string | null {
  let locked: ReadonlySet<ThreadId> | null = null;
  return (state) => {
    if (state.kind !== "active") return null;
    locked ??= lockedThreads(storage);
    const run = locked.has(state.thread) ? runAt(storage, state) : null;
    return run?.ok ? silentSince(run.value, now) : null;
  };
}

function lockedThreads(storage: Storage): ReadonlySet<ThreadId> {
  const locks = listLocks(storage);
  return new Set(
    locks.ok ? locks.value.flatMap((lock) => (lock.kind === "thread" ? [lock.thread] : [])) : [],
  );
}

/** Each costs a read, and a thread may have thousands. */
const MOST_STEPS = 100;

type Shown = { readonly idOf: (id: string) => string; readonly paint: Paint; readonly now: number };

type Columns = (shown: Shown) => readonly ColumnOf<ThreadView>[];

const COLUMNS: Columns = ({ idOf, paint, now }) => [
  [left("ID"), ({ thread }) => ({ text: idOf(thread), paint: paint.strong })],
  [shrinking("WORKFLOW"), ({ name }) => name ?? "?"],
  [left("STATE"), (view) => stateWithSilence(view, paint, now)],
  [
    shrinking("NEXT"),
    ({ isUndecided, next }) => (isUndecided ? { text: "not decided", paint: paint.dim } : (next ?? "")),
  ],
  [right("STEPS"), stepsWords],
  [
    right("STARTED"),
    // The id of a thread of the original uwf has another time in it.
    ({ thread, damage }) => ({
      text: damage === null ? ago(timeOfThreadId(thread), now) : "",
      paint: paint.dim,
    }),
  ],
  [shrinking("TASK"), ({ damage, task }) => (damage === null ? taskLine(task ?? "") : wrong(damage, paint))],
];

/** Of the threads that wait, and of the damaged ones, which may: for what, since when, and what is asked. */
const HELD_COLUMNS: Columns = ({ idOf, paint, now }) => [
  [left("ID"), ({ thread }) => ({ text: idOf(thread), paint: paint.strong })],
  [shrinking("WORKFLOW"), ({ name }) => name ?? "?"],
  [shrinking("ROLE"), ({ held }) => held?.role ?? ""],
  [
    left("PART OF"),
    ({ held, kin }) => {
      const known = held === null ? null : kin();
      return known?.ok ? placeOf(known.value.parent, idOf) : "";
    },
  ],
  [
    left("WAITS FOR"),
    ({ held, thread, state }) =>
      held === null
        ? stateCell(state, paint)
        : // The column says the rest.
          { text: heldState(held, thread, idOf).replace(/^waits for /, ""), paint: paint.warn },
  ],
  [
    right("SINCE"),
    ({ held }) => ({ text: held === null ? "" : ago(held.waitingSince, now), paint: paint.dim }),
  ],
  [
    shrinking("QUESTION"),
    (view) => (view.held === null && view.damage !== null ? wrong(view.damage, paint) : questionLine(view)),
  ],
];

function wrong(damage: NonNullable<ThreadView["damage"]>, { bad }: Paint): Cell {
  return { text: messageOf(damage), paint: bad };
}

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
  { stdout, screen, idOf, held, warn }: Printed,
  threads: Iterable<ListedThread>,
): Promise<number> {
  return withThreadViews(storage, async (views) => {
    const columns = (held ? HELD_COLUMNS : COLUMNS)({ idOf, paint: paintOn(screen), now: screen.now });
    const table = tableWriter(
      screen,
      columns.map(([column]) => column),
    );
    const write = (text: string): void => {
      if (text !== "") stdout.write(text);
    };
    let count = 0;
    for (const thread of threads) {
      if (stdout.isClosed()) return count;
      write(table.add(rowOf(columns, await views.of(thread))));
      count += 1;
    }
    write(table.end());
    const left = undecidedWords(views.undecided());
    if (left !== null) warn(left);
    return count;
  });
}

function stepsWords({ damage, steps }: ThreadView): string {
  const count = damage === null ? steps(MOST_STEPS) : null;
  if (count === null) return "?";
  return count > MOST_STEPS ? `${MOST_STEPS}+` : String(count);
}

function stateWithSilence({ state, run }: ThreadView, paint: Paint, now: number): Cell {
  const since = silentSince(run, now);
  if (state !== "running" || since === null) return stateCell(state, paint);
  return { text: `running, silent ${ago(Date.parse(since), now).replace(/ ago$/, "")}`, paint: paint.warn };
}

/** Those who work on several items are asked the same: the item comes first. */
function questionLine({ held, task }: ThreadView): string {
  const part = partIn(task ?? "");
  const question = firstLine(held?.question ?? "");
  return part === null || held === null ? question : `${oneLine(part.item)}: ${question}`;
}

/** `4XZ9 draft 2`: the second child thread that plays that role there. */
function placeOf(line: ChildLine | null, idOf: (id: string) => string): string {
  if (line === null) return "";
  return `${idOf(line.parent)} ${line.role}${line.item === null ? "" : ` ${line.item + 1}`}`;
}
