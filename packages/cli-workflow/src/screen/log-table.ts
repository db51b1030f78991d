import { EVENTS, eventKindIn } from "@uncaged/workflow-protocol";
import type { LogEntry } from "@uncaged/workflow-store";
import { ago } from "@uncaged/workflow-util";
import type { ItemRenderer } from "../render.js";
import { type Paint, paintOn, type Screen } from "./screen.js";
import { type Cell, left, oneLine, right, tableWriter } from "./table.js";

/** Sentences are not cut: the end often says what was wrong. */
const [WHEN, THREAD, WHAT] = [right("WHEN"), left("THREAD"), left("WHAT")];

/** Past entries as a table, printed as they are read; without `idOf` they are all of one thread. */
export function logTable(screen: Screen, idOf: ((id: string) => string) | null): ItemRenderer {
  const paint = paintOn(screen);
  const table = tableWriter(screen, idOf === null ? [WHEN, WHAT] : [WHEN, THREAD, WHAT]);
  return {
    item: async (value) => {
      const { timestamp, thread, content, line } = value as LogEntry;
      const when = { text: ago(timestamp, screen.now), paint: paint.dim };
      const id = idOf === null ? [] : [thread === null ? "" : idOf(thread)];
      return table.add([when, ...id, whatCell(content, line, paint)]);
    },
    end: table.end,
  };
}

/**
 * Entries as they come: a time that stays on the screen is a time of day, in UTC. Without `idOf` they are all of one
 * thread.
 */
export function logLines(screen: Screen, idOf: ((id: string) => string) | null): ItemRenderer {
  const paint = paintOn(screen);
  return {
    item: async (value) => {
      const { timestamp, thread, content, line } = value as LogEntry;
      const { text, paint: colour } = whatCell(content, line, paint);
      const when = paint.dim(`${new Date(timestamp).toISOString().slice(0, 19)}Z`);
      const id = thread === null || idOf === null ? "" : `${idOf(thread)}  `;
      return `${when}  ${id}${colour(oneLine(text))}\n`;
    },
    end: () => "",
  };
}

function whatCell(text: string, line: LogEntry["line"], paint: Paint): Exclude<Cell, string> {
  // A list below a sentence, in one line.
  return { text: text.replace(/([^:])\n\s*/g, "$1; "), paint: paintOfLine(line, paint) };
}

/** A remote reports events of its own. */
function paintOfLine(line: LogEntry["line"], paint: Paint): (text: string) => string {
  const kind = eventKindIn(line);
  if (kind === null) return line.event === undefined ? (text) => text : paint.strong;
  const { tone } = EVENTS[kind];
  return tone === "plain" ? (text) => text : paint[tone];
}
