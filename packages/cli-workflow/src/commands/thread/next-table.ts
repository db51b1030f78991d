import type { ThreadView } from "@uncaged/workflow-engine";
import type { Explanation } from "@uncaged/workflow-moderator";
import { waitWords } from "@uncaged/workflow-protocol";
import {
  type Cell,
  left,
  lines,
  type Paint,
  paintOf,
  paintOn,
  type Row,
  renderTable,
  type Screen,
  shrinking,
} from "../../screen/index.js";

type Transitions = Explanation["transitions"];

/** A decision and how it came about. */
export type Decided = {
  readonly view: ThreadView;
  /** The role of the head's step, or `$START`. */
  readonly after: string;
  /** The role that comes next, or how the thread ends; `null`: no decision leads on. */
  readonly next: string | null;
  readonly transitions: Transitions;
};

const COLUMNS = [left(""), left("LEADS TO"), left("IF"), left("IS"), shrinking("EXPRESSION")];

/** Every transition with its value, the taken one marked. */
export function nextTable(screen: Screen, decided: Decided, idOf: (id: string) => string): string {
  const { view, after, next, transitions } = decided;
  const { thread } = view;
  const paint = paintOn(screen);
  const taken =
    next === null ? undefined : transitions.find(({ value, error }) => value === true && error === null);
  const rows = transitions.map((each) => rowOf(each, each === taken, paint));
  const where =
    after === "$START" ? `thread ${idOf(thread)} begins` : `thread ${idOf(thread)} after ${after}`;
  return (
    lines(screen, [`${where}: ${next === null ? "no transition can be taken" : next}`]) +
    renderTable(screen, COLUMNS, rows) +
    lines(screen, [
      ...transitions.flatMap(({ condition, error }) =>
        error === null ? [] : [wrong(condition, error, paint)],
      ),
      butWords(view, paint, idOf),
    ])
  );
}

/** Why the next step does not start that role now. */
function butWords(
  { thread, state, held }: ThreadView,
  paint: Paint,
  idOf: (id: string) => string,
): Cell | null {
  if (state === "running" || state === "abandoned")
    return { text: `but it is ${state}`, paint: paintOf(state, paint) };
  if (held === null) return null;
  return { text: `but it ${waitWords({ ...held, role: null }, thread, idOf)}`, paint: paint.warn };
}

function rowOf(
  { role, condition, expression, value, error }: Transitions[number],
  isTaken: boolean,
  paint: Paint,
): Row {
  return [
    { text: isTaken ? "→" : "", paint: paint.good },
    isTaken ? { text: role, paint: paint.good } : role,
    condition ?? "(always)",
    valueCell(value, error, paint),
    expression ?? "",
  ];
}

/** Most are Booleans; another value is an error. */
const LONGEST_VALUE = 20;

function valueCell(value: Transitions[number]["value"], error: string | null, paint: Paint): Cell {
  if (error !== null) return { text: "error", paint: paint.bad };
  const text = JSON.stringify(value);
  return { text: text.length > LONGEST_VALUE ? "…" : text, paint: value === true ? paint.good : paint.dim };
}

function wrong(condition: string | null, error: string, paint: Paint): Cell {
  return { text: `${condition ?? "(always)"}: ${error}`, paint: paint.bad };
}
