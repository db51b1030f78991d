import stringWidth from "fast-string-truncated-width";
import { describe, expect, it } from "vitest";
import { type GraphModel, graphOf, graphSvg, graphText } from "../../src/index.js";
import { marked, plain } from "../support/paint.js";
import { chain, workflow } from "../support/workflows.js";

const REVIEW = workflow({
  $START: ["writer"],
  writer: ["reviewer"],
  reviewer: ["rejected -> writer", "$END"],
});

const STYLE = { width: 80, unicode: true, paint: plain };

describe("the text picture", () => {
  it("draws the way on as one line, and a loop as a rail back to its target", () => {
    expect(graphText(graphOf(REVIEW, null), STYLE)).toBe(
      [
        "● writer ◀─────╮",
        "│              │",
        "▼              │",
        "● reviewer     │",
        "├─ rejected ───╯",
        "│ otherwise",
        "▼",
        "◉ $END",
        "",
      ].join("\n"),
    );
  });

  it("colours what a thread did, and where it stands", () => {
    const at = { node: "reviewer", state: "waiting" } as const;
    const model = graphOf(REVIEW, { roles: ["writer", "reviewer", "writer"], end: null, at });
    expect(graphText(model, { ...STYLE, paint: marked }).split("\n")).toEqual([
      "<strong>● writer</strong> <good>×2</good> <good>◀──────────────╮</good>",
      "<good>│</good> <good>×1</good>                       <good>│</good>",
      "<good>▼</good>                          <good>│</good>",
      "<strong>● reviewer</strong> <good>×1</good> <warn>[waiting]</warn>    <good>│</good>",
      "<dim>├</dim><good>─</good> <good>rejected</good> <good>×1</good> <good>────────────╯</good>",
      "<dim>│</dim> <dim>otherwise</dim>",
      "<dim>▼</dim>",
      "<dim>○ $END</dim>",
      "",
    ]);
  });

  it("counts columns, not characters", () => {
    const source = workflow({ $START: ["a"], a: ["b"], b: ["却下された -> a", "$END"] });
    const lines = graphText(graphOf(source, null), STYLE).split("\n").slice(0, 5);
    const widths = lines.map((line) => stringWidth(line).width);
    expect(new Set(widths)).toEqual(new Set([widths[0]]));
  });

  it("is not wider than the screen where names are long", () => {
    const long = "aVeryLongNameOfAConditionThatNobodyWantsToReadInFullInEverySingleLineOfAPicture";
    const source = workflow({ $START: ["a"], a: [`${long} -> $FAIL`, "b"], b: [`${long}Too -> a`, "$END"] });
    for (const width of [40, 60, 80])
      for (const unicode of [true, false]) {
        const lines = graphText(graphOf(source, null), { ...STYLE, width, unicode }).split("\n");
        expect(Math.max(...lines.map((line) => stringWidth(line).width))).toBeLessThanOrEqual(width);
      }
  });

  it("shows such names as they are where there is room", () => {
    const long = "aVeryLongNameOfAConditionThatNobodyWantsToReadInFullInEverySingleLineOfAPicture";
    const source = workflow({ $START: ["a"], a: [`${long} -> a`, "$END"] });
    expect(graphText(graphOf(source, null), { ...STYLE, width: 120 })).toContain(`├─ ${long} ───╯`);
  });

  it("removes what a terminal would obey", () => {
    const source = workflow({ $START: ["a"], a: ["\u001b[2Jx\u202ey\nz\ud800 -> a", "$END"] });
    expect(graphText(graphOf(source, null), STYLE)).toContain("├─ xy z� ───╯");
  });

  it("uses ASCII alone if asked to", () => {
    const at = { node: "role3", state: "next" } as const;
    const model = graphOf(chain(20, 1), { roles: ["role1", "role2"], end: null, at });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them
    expect(graphText(model, { ...STYLE, unicode: false })).toMatch(/^[\x00-\x7f]*$/);
  });

  it("is a list for more than 200 edges", () => {
    const text = graphText(graphOf(chain(80, 4), null), STYLE);
    expect(text).toContain("● role7\n  → ");
    expect(text).not.toContain("│");
  });
});

describe("a graph of very many nodes", () => {
  /** How often a picture looks where an edge begins. */
  function looks(size: number, draw: (model: GraphModel) => unknown): number {
    const model = graphOf(chain(size, 1), null);
    let count = 0;
    const edges = model.edges.map((edge) =>
      Object.defineProperty({ ...edge }, "from", {
        get: () => {
          count += 1;
          return edge.from;
        },
      }),
    );
    draw({ ...model, edges });
    return count / edges.length;
  }

  it.each([
    ["text", (model: GraphModel) => graphText(model, STYLE)],
    ["SVG", (model: GraphModel) => graphSvg(model, { id: "graph", style: true })],
  ])("as %s looks at each edge as often as in a smaller one", (_, draw) => {
    expect(looks(2000, draw)).toBe(looks(500, draw));
  });

  it("is a list where few edges, but very many nodes are", () => {
    const roles = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`role${at}`, ["$END"]]));
    const model = { ...graphOf(workflow({ $START: ["role0"], ...roles }), null), edges: [] };
    expect(graphSvg(model, { id: "graph", style: false })).not.toContain('<rect class="box"');
    expect(graphText(model, STYLE).split("\n").length).toBe(model.nodes.length + 1);
  });
});
