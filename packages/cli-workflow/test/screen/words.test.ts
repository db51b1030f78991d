import type { Held } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  type Field,
  heldState,
  lines,
  nextCommand,
  renderFields,
  shortIds,
  summaryOf,
  widthOf,
} from "../../src/screen/index.js";

const screen = (width: number) => ({ width, colour: false, now: 0 });

describe("fields", () => {
  it("stand one below the other, those without a value left out", () => {
    const fields: readonly Field[] = [
      ["thread", "A1"],
      ["parent", null],
      ["state", { text: "held", paint: (text) => `<${text}>` }],
    ];
    expect(renderFields(screen(80), fields)).toBe("thread  A1\nstate   <held>\n");
  });

  it("go on below their beginning where they are too long, and end with an ellipsis after six lines", () => {
    const text = renderFields(screen(40), [["task", "word ".repeat(100)]]);
    const rows = text.trimEnd().split("\n");
    expect(rows).toHaveLength(6);
    expect(rows[1]).toBe("      word word word word word word word");
    expect(rows.every((row) => widthOf(row) <= 40)).toBe(true);
    expect(text.trimEnd().endsWith("…")).toBe(true);
  });

  it("break a word that is longer than the screen, and keep wide characters whole", () => {
    const rows = renderFields(screen(30), [["path", "日本語".repeat(12)]])
      .trimEnd()
      .split("\n");
    expect(rows.map(widthOf).every((width) => width <= 30)).toBe(true);
    expect(rows.map((row) => row.trim().replace("path  ", "")).join("")).toBe("日本語".repeat(12));
  });

  it("take control characters out of what others wrote", () => {
    expect(renderFields(screen(80), [["a", "x\u001b[2J\ny"]])).toBe("a  x y\n");
  });
});

describe("sentences", () => {
  it("have a line each and are as wide as the screen; the next command is never cut", () => {
    expect(lines(screen(12), ["one two three four", null, "five"])).toBe("one two\nthree four\nfive\n");
    const command = 'uwf thread start a-workflow -p "<task>"';
    expect(nextCommand(screen(12), command)).toBe(`next: ${command}\n`);
  });
});

describe("short ids", () => {
  const idOf = (ids: readonly string[], id: string): string => shortIds(ids, () => false)(id);
  const [A, B, C] = [
    "01KAJ5E8ZJ4N7XK3M9T2V6W8YB",
    "01KAJ5E8ZJ4N7XK3M9T2V7W8YB",
    "01KAJ5E8ZJ4N7XK3M9T2V601KA",
  ];

  it("are the last four characters where no other id ends so", () => {
    expect(idOf([A, C], A)).toBe("W8YB");
  });

  it("are as long as it takes to tell two ids apart", () => {
    expect([A, B].map((id) => idOf([A, B], id))).toEqual(["6W8YB", "7W8YB"]);
  });

  it("never look like the beginning of an id, which commands would take them for", () => {
    expect(idOf([A, C], C)).toBe("601KA");
  });

  it("belong to the thread that stands in the place of an ended one", () => {
    const successor = `01KAJ5E9AA${A.slice(-16)}`;
    const short = shortIds([A, successor, B], (id) => id === A);
    expect([successor, A].map(short)).toEqual(["6W8YB", A.slice(-17)]);
    const both = shortIds([A, successor], () => false);
    expect(both(successor)).toBe(successor.slice(-17));
    const over = shortIds([A, successor], () => true);
    expect(over(successor)).toBe(successor.slice(-17));
  });

  it("are the whole id where nothing less will do", () => {
    expect(idOf([A, `X${A}`], A)).toBe(A);
    expect(idOf([A], A)).toBe("W8YB");
  });
});

describe("the summary of an output", () => {
  it("begins with what decides, and counts what is long", () => {
    expect(
      summaryOf({ comments: "Two tests", approved: false, steps: ["a", "b"], more: { a: 1 }, no: null }),
    ).toBe("approved: false, comments: Two tests, steps: 2 items, more: 1 field, no: null");
    expect(summaryOf("text")).toBe('"text"');
  });
});

describe("what a thread waits for", () => {
  const words = (
    what: "answer" | "threads" | "change" | "limit" | "resume" | "remote",
    threads: readonly string[] = [],
    limit: Held["limit"] = null,
  ) =>
    heldState(
      {
        for: what,
        role: null,
        question: null,
        threads: threads as never,
        since: 0,
        until: null,
        limit,
        waitingSince: 0,
      },
      "T9" as never,
      (id) => id.slice(-1),
    );

  it("is said in a few words", () => {
    expect(words("answer")).toBe("waits for an answer");
    expect(words("threads", ["A1"])).toBe("waits for 1");
    expect(words("threads", ["A1", "A2"])).toBe("waits for 2 threads");
    expect(words("resume")).toBe("paused");
    expect(words("remote")).toBe("goes on at the remote");
    const limit = { of: "T9" as never, limit: "maxSteps", max: 2, spent: 2 } as const;
    expect(words("limit", [], limit)).toBe("at its limit");
    expect(words("limit", [], { ...limit, of: "T8" as never })).toBe("at the limit of 8");
    expect(words("change")).toBe("waits for a change");
  });
});
