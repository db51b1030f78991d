import { describe, expect, it } from "vitest";
import { frameOn } from "../../src/live/view.js";

/** A terminal of so many columns, as far as a frame uses one. */
function terminal(columns: number) {
  const rows: string[] = [""];
  let width = columns;
  const wrap = (text: string): readonly string[] => {
    const parts: string[] = [];
    for (let at = 0; at < Math.max(1, text.length); at += width) parts.push(text.slice(at, at + width));
    return parts;
  };
  const write = (text: string): void => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal takes as a command
    for (const [piece] of text.matchAll(/\r\u001b\[\d+A\u001b\[J|[^\r]+/g)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal takes as a command
      const up = /^\r\u001b\[(\d+)A/.exec(piece)?.[1];
      if (up !== undefined) rows.splice(-1 - Number(up), Number(up) + 1, "");
      else for (const line of piece.split("\n").slice(0, -1)) rows.splice(-1, 1, ...wrap(line), "");
    }
  };
  const narrow = (to: number): void => {
    width = to;
    rows.splice(0, rows.length, ...rows.slice(0, -1).flatMap(wrap), "");
  };
  return { write, columns: () => width, rows: () => rows.slice(0, -1), narrow };
}

const line = (text: string) => ({ text, width: text.length });

describe("a frame", () => {
  it("changes in place, below what stays", () => {
    const screen = terminal(20);
    const frame = frameOn(screen);
    frame.print("before\n");
    frame.show([line("one 1 s"), line("two 1 s")]);
    frame.show([line("one 2 s"), line("two 2 s")]);
    frame.print("one is done\n");
    frame.show([line("two 3 s")]);
    expect(screen.rows()).toEqual(["before", "one is done", "two 3 s"]);
    frame.clear();
    expect(screen.rows()).toEqual(["before", "one is done"]);
  });

  it("writes nothing while nothing changes", () => {
    const written: string[] = [];
    const frame = frameOn({ write: (text) => void written.push(text), columns: () => 80 });
    frame.show([line("one")]);
    frame.show([line("one")]);
    expect(written).toEqual(["one\n"]);
  });

  it("takes its lines away where a narrower terminal has wrapped them", () => {
    const screen = terminal(20);
    const frame = frameOn(screen);
    frame.print("before\n");
    frame.show([line("a line of 20 columns"), line("short")]);
    screen.narrow(8);
    frame.show([line("now")]);
    expect(screen.rows()).toEqual(["before", "now"]);
  });
});
