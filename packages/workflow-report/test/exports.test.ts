import { expect, it } from "vitest";

it("exports the pictures, the report and nothing else", async () => {
  const names = Object.keys(await import("../src/index.js")).sort();
  expect(names).toEqual([
    "GRAPH_PAGE_STYLE",
    "GRAPH_STYLE",
    "graphDot",
    "graphMermaid",
    "graphOf",
    "graphSvg",
    "graphText",
    "overviewHtml",
    "reportBody",
    "reportHtml",
    "reportOf",
    "threadSummary",
    "uiHtml",
    "visibleTexts",
    "workflowHtml",
  ]);
});
