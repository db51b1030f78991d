import { followStderr } from "@uncaged/workflow-engine";
import type { RunDir } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import type { TextSink } from "../io.js";
import { cut, duration, heldState, oneLine, type Paint, widthOf } from "../screen/index.js";
import type { LiveRun, LiveView, LostRun } from "./printer.js";

type ViewContext = {
  /** Columns of a line. */
  readonly width: number;
  /** Epoch ms. */
  readonly now: number;
  readonly paint: Paint;
  readonly idOf: (thread: string) => string;
};

/** More would not fit a small terminal. */
const MOST = 10;

/** A line for each run: thread, role, how long, the agent's last line. */
export function viewLines({ runs, between, held }: LiveView, place: ViewContext): readonly FrameLine[] {
  const { paint, idOf } = place;
  const all = [
    ...runs.map((run) => () => runLine(run, place)),
    ...between.map((thread) => () => plainLine(`${idOf(thread)}  (between two runs)`, paint.dim, place)),
  ];
  if (all.length === 0) {
    if (held === null) return [plainLine("nothing is running", paint.dim, place)];
    const { question } = held.held;
    const asked = question === null ? "" : `: ${oneLine(question)}`;
    return [plainLine(`${heldState(held.held, held.thread, idOf)}${asked}`, paint.warn, place)];
  }
  const left = all.length - MOST;
  const shown = all.slice(0, MOST).map((line) => line());
  return left > 0 ? [...shown, plainLine(`and ${left} more`, paint.dim, place)] : shown;
}

/** In fewer columns a last line says nothing. */
const NARROWEST = 8;

/** What has become of a run, and the command that goes on. */
export function goneWords({ thread, role, gone }: LostRun, idOf: ViewContext["idOf"]): string {
  return gone === "both"
    ? `the uwf of ${role} and its agent are gone; \`uwf thread run ${idOf(thread)}\` takes its result or runs it again`
    : `the uwf of ${role} is gone, its agent works on; \`uwf thread run ${idOf(thread)} --wait\` waits for it`;
}

function runLine(run: LiveRun, place: ViewContext): FrameLine {
  const { thread, role, attempt, since, gone, lastLine } = run;
  const { width, now, paint, idOf } = place;
  if (gone !== null)
    return plainLine(`${idOf(thread)}  ${goneWords({ thread, role, gone }, idOf)}`, paint.warn, place);
  const again = attempt > 1 ? ` (attempt ${attempt})` : "";
  const about = `${idOf(thread)}  ${role}${again}  ${duration(Math.max(0, now - since))}`;
  const room = width - widthOf(about) - 2;
  if (lastLine === "" || room < NARROWEST) return plainLine(about, paint.busy, place);
  const last = cut(oneLine(lastLine), room);
  return { text: `${paint.busy(about)}  ${paint.dim(last)}`, width: widthOf(about) + 2 + widthOf(last) };
}

function plainLine(text: string, colour: (text: string) => string, { width }: ViewContext): FrameLine {
  const shown = cut(text, width);
  return { text: colour(shown), width: widthOf(shown) };
}

/** A line as it is written, and how many columns it takes. */
type FrameLine = { readonly text: string; readonly width: number };

/** The last lines on a terminal, which change in place. */
type Frame = {
  readonly show: (lines: readonly FrameLine[]) => void;
  /** Something that stays, above them. */
  readonly print: (text: string) => void;
  readonly clear: () => void;
};

/** Every line must fit the terminal; if it has become narrower since, the lines that it wraps are counted. */
export function frameOn({ write, columns }: Pick<TextSink, "write" | "columns">): Frame {
  let shown: readonly FrameLine[] = [];
  const textOf = (lines: readonly FrameLine[]): string => lines.map(({ text }) => `${text}\n`).join("");
  const clearing = (): string => {
    const room = Math.max(1, columns() ?? Number.POSITIVE_INFINITY);
    const rows = shown.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / room)), 0);
    // Up to the first of them, and everything from there on away.
    return rows === 0 ? "" : `\r\u001b[${rows}A\u001b[J`;
  };
  return {
    show: (lines) => {
      if (textOf(lines) === textOf(shown)) return;
      write(clearing() + textOf(lines));
      shown = lines;
    },
    print: (text) => {
      write(clearing() + text + textOf(shown));
    },
    clear: () => {
      write(clearing());
      shown = [];
    },
  };
}

/** Characters of an unfinished line that are kept: no screen shows more. */
const LONGEST = 4000;

/** Reads what the agent has written since the last call, and gives its last line: of stderr, or of stdout if that is newer. */
export function lastLineOf({ stdout, stderr }: RunDir, redactor: Redactor): () => string {
  let last = "";
  const followed = [stdout, stderr].map((path) => {
    let open = "";
    const write = (text: string): void => {
      const lines = `${open}${text}`.split("\n");
      open = (lines.at(-1) ?? "").slice(0, LONGEST);
      last = lines.findLast((line) => line.trim() !== "") ?? last;
    };
    return followStderr(path, { write }, redactor);
  });
  return () => {
    for (const each of followed) each.show();
    return last.slice(0, LONGEST);
  };
}
