import { describe, expect, it } from "vitest";
import { layoutOf } from "../../src/graph/layout.js";
import { type GraphModel, graphDot, graphMermaid, graphOf, graphSvg } from "../../src/index.js";
import { chain, EXAMPLES, example, workflow } from "../support/workflows.js";

const HOSTILE = [
  '</title><script>alert("1")</script>',
  "]]><!--",
  'a"b\\',
  "x --> y",
  "\u001b]0;t\u0007\u202e&amp;",
  "#quot;`**b**`$$x$$",
  "\u0000\ufffe\ud800",
];

const hostile = (): GraphModel => {
  const names = HOSTILE.map((text, at) => `${text} -> ${at % 2 === 0 ? "end" : "$END"}`);
  const source = workflow({ $START: ["end"], end: names });
  return graphOf({ ...source, name: HOSTILE[0] ?? "", description: HOSTILE.join(" ") }, null);
};

const svg = (model: GraphModel): string => graphSvg(model, { id: "g", style: true });

/** Tags and attributes of a document without any text between them that could be one. */
const tagsOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/<\/?([a-z]+)/g)].map(([, name = ""]) => name));

describe("SVG", () => {
  it("needs nothing from elsewhere, and runs nothing", () => {
    const text = svg(hostile());
    expect([...tagsOf(text)].sort()).toEqual(
      ["defs", "desc", "g", "marker", "path", "rect", "style", "svg", "text", "title"].sort(),
    );
    expect(text).not.toMatch(/\bhref\b|\bon\w+=|@import|url\((?!#)/);
    expect(text.match(/https?:\/\/[^"]+/g)).toEqual(["http://www.w3.org/2000/svg"]);
  });

  it("has only characters that XML can hold", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot hold
    expect(svg(hostile())).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ud800-\udfff\ufffe\uffff]/u);
  });

  it("says in words what it shows", () => {
    const source = workflow({ $START: ["a"], a: ["again -> a", "$END"] });
    const model = graphOf(source, { roles: ["a", "a"], end: "$END", at: null });
    expect(svg(model)).toContain(
      [
        '<title id="g-title">Graph of drawn</title>',
        '<desc id="g-desc">A workflow for a test.',
        "$START to a, taken once.",
        "a to a: again, taken once.",
        "a to $END: otherwise, taken once.</desc>",
      ].join("\n"),
    );
  });

  it("gives its ids the beginning that it is told, and leaves its style out if it is told so", () => {
    const text = graphSvg(hostile(), { id: "second", style: false });
    const ids = [...text.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length).toBeGreaterThan(3);
    expect(ids.every((id) => id?.startsWith("second-"))).toBe(true);
    expect(text).not.toContain("<style>");
  });

  it.each(EXAMPLES)("of %s has no node or label on top of another", async (name) => {
    expect(overlaps(graphOf(await example(name), null))).toEqual([]);
  });

  it.each([
    [10, 1],
    [14, 2],
    [30, 1],
    [60, 1],
  ])("of %s roles with %s more ways has no node or label on top of another", (roles, ways) => {
    expect(overlaps(graphOf(chain(roles, ways), null))).toEqual([]);
  });

  it("keeps everything inside of its borders", () => {
    const { width, height, nodes, edges } = layoutOf(graphOf(chain(20, 2), null));
    const boxes = [...nodes, ...edges.flatMap(({ label }) => label ?? [])];
    const outside = boxes.filter(
      (box) =>
        box.x - box.width / 2 < 0 ||
        box.y - box.height / 2 < 0 ||
        box.x + box.width / 2 > width ||
        box.y + box.height / 2 > height,
    );
    expect(outside).toEqual([]);
  });
});

/** Pairs of boxes that share more than their borders. */
function overlaps(model: GraphModel): readonly string[] {
  const { nodes, edges } = layoutOf(model);
  const labels = edges.flatMap(({ edge, label }) =>
    label === null ? [] : [{ ...label, name: `${edge.from} to ${edge.to}` }],
  );
  const boxes = [...nodes, ...labels];
  return boxes.flatMap((a, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (b) =>
          Math.abs(a.x - b.x) < (a.width + b.width) / 2 - 1 &&
          Math.abs(a.y - b.y) < (a.height + b.height) / 2 - 1,
      )
      .map((b) => `${a.name} and ${b.name}`),
  );
}

describe("Mermaid", () => {
  it("has nothing in its labels that Mermaid, HTML, Markdown or TeX would read", () => {
    const labels = [...graphMermaid(hostile()).matchAll(/"(.*)"/g)].map(([, text = ""]) => text);
    const left = labels.map((text) => text.replaceAll("<br>", "").replaceAll(/#\d+;/g, ""));
    expect(left.every((text) => /^[\p{L}\p{N}� _.,:;()/-]*$/u.test(text))).toBe(true);
  });

  it("is one statement a line", () => {
    const lines = graphMermaid(hostile()).trimEnd().split("\n").slice(1);
    expect(lines.filter((line) => !/^ {2}n\d+(\[?\(["[]| -)/.test(line))).toEqual([]);
  });
});

describe("DOT", () => {
  it("has no quote or backslash that is not escaped", () => {
    for (const line of graphDot(hostile()).split("\n")) {
      const outside = line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
      expect(outside).toMatch(/^[ \w=.,[\]{}>-]*$/);
    }
  });

  it("does not let back edges move nodes", () => {
    const text = graphDot(graphOf(workflow({ $START: ["a"], a: ["b"], b: ["x -> a", "$END"] }), null));
    expect(text).toContain('"b" -> "a" [label="x", constraint=false]');
  });
});
