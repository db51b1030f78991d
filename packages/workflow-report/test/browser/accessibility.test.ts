import { describe, expect, it } from "vitest";
import {
  overviewHtml,
  reportHtml,
  reportOf,
  threadSummary,
  type WorkflowSummary,
  workflowHtml,
} from "../../src/index.js";
import { barriersOf, inScheme, openAll, SCHEMES } from "../support/accessibility.js";
import { browser, opened, WIDTHS } from "../support/browser.js";
import { hash, T0 } from "../support/facts.js";
import { varied } from "../support/varied.js";

/** Every thread of a report, as a list has them, and one that cannot be read. */
function listed() {
  const report = reportOf(varied());
  const all = [report, ...report.steps.flatMap(({ children }) => children.map((child) => child.report))];
  const rows = all.map((each) => ({
    thread: each.thread,
    parent: each === report ? null : report.thread,
    state: each.state,
    summary: threadSummary(each),
    damage: null,
  }));
  return [
    ...rows,
    {
      thread: report.thread,
      parent: null,
      state: "damaged" as const,
      summary: null,
      damage: "it is damaged",
    },
  ];
}

const workflow: WorkflowSummary = {
  name: "drawn",
  versions: [
    { hash: hash("0WORKFLOW0000"), at: T0, current: true },
    { hash: hash("0WORKFLOW0001"), at: null, current: false },
  ],
  source: varied().workflow.source,
};

const lost: WorkflowSummary = { ...workflow, name: "lost", source: null };

const PAGES = {
  "a report": () => reportHtml(reportOf(varied()), { details: true, index: "../index.html" }),
  "a list of all threads": async () => overviewHtml({ workflows: [workflow, lost], threads: listed() }),
  "a workflow": async () => workflowHtml(workflow, listed()),
  "a workflow that is lost": async () => workflowHtml(lost, []),
} as const;

describe.skipIf(browser === null)("what a page keeps from people who see or hear it otherwise", () => {
  it.each(Object.entries(PAGES))(
    "is nothing on the page of %s, in light and dark, on a laptop and a phone",
    async (_, make) => {
      for (const width of [WIDTHS.laptop, WIDTHS.phone]) {
        const { page, complaints } = await opened(await make(), width);
        // Everything is on the screen at once.
        await page.setViewport({ width, height: 12_000 });
        for (const scheme of SCHEMES) {
          await inScheme(page, scheme);
          await openAll(page);
          expect(await barriersOf(page), `${scheme} ${width}`).toEqual([]);
        }
        expect(complaints).toEqual([]);
        await page.close();
      }
    },
  );

  it("is nothing in the list of keys", async () => {
    const { page } = await opened(await PAGES["a report"]());
    await page.keyboard.type("?");
    for (const scheme of SCHEMES) {
      await inScheme(page, scheme);
      expect(await barriersOf(page), scheme).toEqual([]);
    }
    await page.close();
  });

  it("is seen by the test: a pale text of the page and of a picture, and a field without a name", async () => {
    const { page } = await opened(await PAGES["a report"]());
    await page.evaluate(() => {
      const main = document.querySelector("main");
      main?.append(document.createElement("input"));
      main?.querySelector<HTMLElement>("h2")?.style.setProperty("color", "#ccc", "important");
      main?.querySelector<SVGElement>("svg text.name")?.style.setProperty("fill", "#ccc", "important");
    });
    await inScheme(page, "light");
    const found = await barriersOf(page);
    expect(found.map((each) => each.split(": ")[0])).toEqual(["color-contrast", "label", "$START"]);
    await page.close();
  });
});
