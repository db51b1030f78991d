/// <reference lib="dom" />
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { browser, WIDTHS, watchedPage } from "../../../workflow-report/test/support/browser.js";
import { busyThread } from "../support/busy.js";
import { sandbox } from "../support/uwf.js";

const MEGABYTE = 1024 * 1024;

/** What was measured; UWF_MEASURE=1 prints it. */
function tell(figures: Readonly<Record<string, number>>): void {
  if (process.env.UWF_MEASURE === "1") console.log(JSON.stringify(figures));
}

describe("a report of many large steps, or of ten thousand", () => {
  it.each([
    [300, 50_000, 3],
    [10_000, 2_000, 40],
  ])(
    "%i steps: is a file that a browser opens",
    async (count, characters, most) => {
      const box = sandbox();
      const thread = await busyThread(box.root, count, characters);
      const startedAt = performance.now();
      const written = await box.uwf(["thread", "report", thread, "-o", "report.html"]);
      const madeMs = performance.now() - startedAt;
      expect({ code: written.code, stderr: written.stderr.replace(/\d+/g, "N") }).toMatchObject({ code: 0 });
      const file = join(box.cwd, "report.html");
      const size = statSync(file).size;
      tell({ count, madeMs, size });
      expect(size).toBeLessThan(most * MEGABYTE);
      if (browser === null) return;
      const { page, complaints } = await watchedPage(WIDTHS.laptop, "file:");
      await page.goto(pathToFileURL(file).href, { timeout: 60_000 });
      await page.waitForFunction(() => document.documentElement.dataset.ready === "");
      const times = await page.evaluate(() => ({
        readyMs: performance.getEntriesByType("navigation")[0]?.duration ?? 0,
        paintMs: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
      }));
      await page.type("#query", "needle");
      const searched = await page.evaluate(() => {
        const from = performance.now();
        document.getElementById("query")?.dispatchEvent(new Event("input"));
        return performance.now() - from;
      });
      await page.click("#deep");
      const deepFrom = performance.now();
      await page.waitForFunction(
        (words) => document.getElementById("found")?.textContent === words,
        { timeout: 60_000 },
        `0 of ${count}`,
      );
      tell({ count, ...times, searchMs: searched, deepMs: performance.now() - deepFrom });
      await page.goto(`${pathToFileURL(file).href}#s${count}`);
      await page.waitForSelector(`#s${count} .bulk details`);
      expect(complaints).toEqual([]);
      await page.close();
    },
    300_000,
  );
});
