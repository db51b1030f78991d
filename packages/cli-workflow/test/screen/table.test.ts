import { describe, expect, it } from "vitest";
import {
  cut,
  left,
  oneLine,
  type Row,
  renderTable,
  right,
  shrinking,
  tableWriter,
  widthOf,
} from "../../src/screen/index.js";

const screen = (width: number, colour = false) => ({ width, colour, now: 0 });

const COLUMNS = [left("ID"), right("STEPS"), shrinking("TASK")];

describe("a table", () => {
  it("has columns as wide as their widest cell, numbers on the right, and no space at the end of a line", () => {
    const rows = [
      ["A1", "3", "Fix the login"],
      ["B22", "1200", ""],
    ];
    expect(renderTable(screen(80), COLUMNS, rows)).toBe(
      "ID   STEPS  TASK\n" + "A1       3  Fix the login\n" + "B22   1200\n",
    );
  });

  it("is nothing without rows, and has no titles where no column has one", () => {
    expect(renderTable(screen(80), COLUMNS, [])).toBe("");
    expect(renderTable(screen(80), [left(""), left("")], [["head", "A1"]])).toBe("head  A1\n");
  });

  it("cuts what may shrink, the widest first, until every line fits the screen", () => {
    const rows: Row[] = [["A1", "3", "Fix the login redirect of the second application"]];
    const text = renderTable(screen(30), COLUMNS, rows);
    expect(text).toBe("ID  STEPS  TASK\nA1      3  Fix the login redi…\n");
    const two = renderTable(
      screen(30),
      [left("ID"), shrinking("WORKFLOW"), shrinking("TASK")],
      [["A1", "a-workflow-with-a-long-name", "Fix the login redirect"]],
    );
    expect(two).toBe("ID  WORKFLOW      TASK\nA1  a-workflow-…  Fix the log…\n");
  });

  it("never cuts an id or a number, however narrow the screen is", () => {
    const text = renderTable(screen(5), COLUMNS, [["01KAJ5E8ZJ4N7XK3M9T2V6W8YB", "12345", "Fix the login"]]);
    expect(text).toContain("01KAJ5E8ZJ4N7XK3M9T2V6W8YB  12345  Fix the…\n");
  });

  it("counts wide characters, emoji and combining marks as a terminal does", () => {
    const rows = [
      ["日本語のタスク", "1", "x"],
      ["👩‍👩‍👧‍👦 🇩🇪 ok", "2", "x"],
      ["e\u0301te\u0301", "3", "x"],
    ];
    const lines = renderTable(screen(80), COLUMNS, rows).trimEnd().split("\n");
    expect(lines.map((line) => widthOf(line.replace(/(x|TASK)$/, "")))).toEqual([23, 23, 23, 23]);
  });

  it("cuts between the characters that a person sees, never within a wide one", () => {
    expect(cut("日本語", 5)).toBe("日本…");
    expect(cut("日本語", 4)).toBe("日…");
    expect(cut("𠮷𠮷𠮷𠮷", 4)).toBe("𠮷…");
    expect(cut("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
    expect(cut("plain text", 8)).toBe("plain t…");
    expect(cut("fits", 4)).toBe("fits");
  });

  it("colours a cell after it has measured it, and only with colour", () => {
    const red = (text: string): string => `<${text}>`;
    const rows: Row[] = [[{ text: "A1", paint: red }, "1", { text: "Fix the login redirect", paint: red }]];
    expect(renderTable(screen(25), [left(""), left(""), shrinking("")], rows)).toBe(
      "<A1>  1  <Fix the login red…>\n",
    );
    expect(renderTable(screen(80, true), [left("ID")], [["A1"]])).toBe("\u001b[1mID\u001b[22m\nA1\n");
    expect(renderTable(screen(80), [left("ID"), left("B")], [[{ text: "", paint: red }, "b"]])).not.toContain(
      "<",
    );
  });

  it("keeps hostile text within its cell: one line, no escape codes, no change of direction", () => {
    const hostile = "\u001b[2Jred\u001b]0;title\u0007\r\nsecond\tline\u202egnp.exe\u009b31m\u0000";
    expect(oneLine(hostile)).toBe("red second linegnp.exe");
    expect(renderTable(screen(80), [left("A"), left("B")], [[hostile, "b"]])).toBe(
      "A                       B\nred second linegnp.exe  b\n",
    );
  });

  it("looks at the beginning of a text of megabytes only", () => {
    expect(oneLine("x".repeat(4 * 1024 * 1024)).length).toBeLessThan(10_000);
  });

  it("takes 100,000 rows", () => {
    const rows = Array.from({ length: 100_000 }, (_, at): Row => [String(at)]);
    expect(renderTable(screen(80), [right("N")], rows).split("\n")).toHaveLength(100_002);
  });
});

describe("a table whose rows are printed as they are read", () => {
  const rowAt = (at: number): Row => [`T${at}`, String(at), "Fix the login redirect"];

  it("is the same as the complete table if that is one screen long", () => {
    const rows = [1, 2, 3].map(rowAt);
    const writer = tableWriter(screen(80), COLUMNS);
    const text = rows.map(writer.add).join("") + writer.end();
    expect(text).toBe(renderTable(screen(80), COLUMNS, rows));
    expect(tableWriter(screen(80), COLUMNS).end()).toBe("");
  });

  it("prints the first screen together, then every row at once, and nothing more at the end", () => {
    const writer = tableWriter(screen(80), COLUMNS);
    const pieces = Array.from({ length: 50 }, (_, at) => writer.add(rowAt(at)));
    const firsts = pieces.findIndex((piece) => piece !== "");
    expect(firsts).toBe(39);
    expect(pieces[39]?.split("\n")).toHaveLength(42);
    expect(pieces.slice(40).every((piece) => piece.split("\n").length === 2)).toBe(true);
    expect(writer.end()).toBe("");
  });

  it("keeps the widths of the first screen: what may be cut is cut, an id makes its line longer", () => {
    const writer = tableWriter(screen(40), [left("ID"), shrinking("WORKFLOW"), shrinking("TASK")]);
    for (let at = 0; at < 40; at += 1) writer.add([`T${at}`, "solve-issue", "Fix"]);
    expect(writer.add(["T100000", "solve-issue-and-more", "Fix the login redirect"])).toBe(
      "T100000  solve-issu…  Fix the login red…\n",
    );
  });
});
