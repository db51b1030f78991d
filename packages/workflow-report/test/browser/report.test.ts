/// <reference lib="dom" />
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import { reportHtml, reportOf, type ThreadFacts } from "../../src/index.js";
import { browser, opened, WIDTHS } from "../support/browser.js";
import { facts, failure, hash, step } from "../support/facts.js";
import { everywhere, HOSTILE } from "../support/hostile.js";

const pageOf = (given: ThreadFacts): Promise<string> =>
  reportHtml(reportOf(given), { details: true, index: null });

/** Thirty steps, so of two blocks, each with texts of its own. */
const thirty = (): ThreadFacts =>
  facts(
    Array.from({ length: 30 }, (_, at) =>
      step(at % 2 === 0 ? "writer" : "reviewer", at + 1, {
        agent: at === 6 ? "uwf-special" : "uwf-test",
        texts: [
          { title: "Prompt", text: `Do part ${at + 1}` },
          { title: "Reply", text: at === 27 ? "a needle\n<b>not bold</b>" : "done" },
        ],
      }),
    ),
    { failures: [failure("writer", 4.5, { head: "reviewer-4" })] },
  );

const openTitles = (page: Page): Promise<string[]> =>
  page.$$eval("details.step[open] > summary .n", (found) => found.map((each) => each.textContent ?? ""));

const shownSteps = (page: Page): Promise<string[]> =>
  page.$$eval("details.step:not([hidden]) > summary .n", (found) =>
    found.map((each) => each.textContent ?? ""),
  );

describe.skipIf(browser === null)("a report in a browser", () => {
  it("asks for nothing, complains of nothing and is ready", async () => {
    const { page, complaints } = await opened(await pageOf(thirty()));
    expect(await page.evaluate(() => document.documentElement.dataset.ready)).toBe("");
    expect(complaints).toEqual([]);
  });

  it("shows the long texts of a step once it is opened, as texts", async () => {
    const { page, complaints } = await opened(await pageOf(thirty()), WIDTHS.laptop, "#s28");
    await page.waitForSelector("#s28 .bulk details");
    expect(await openTitles(page)).toEqual(["28"]);
    await page.click("#s28 .bulk details:nth-of-type(2) > summary");
    await page.waitForSelector("#s28 .bulk .data");
    expect(await page.$eval("#s28 .bulk .data", (data) => data.innerHTML)).toContain("&lt;b&gt;not bold");
    expect(complaints).toEqual([]);
  });

  it("shows a very long text piece by piece", async () => {
    const texts = [{ title: "Reply", text: "x".repeat(250_000) }];
    const { page } = await opened(await pageOf(facts([step("writer", 1, { texts })])), WIDTHS.phone, "#s1");
    await page.waitForSelector("#s1 .bulk details");
    await page.click("#s1 .bulk summary");
    for (const left of ["150,000", "50,000"]) {
      const button = await page.waitForSelector(`::-p-text(${left} characters are left)`);
      await button?.click();
    }
    await page.waitForFunction(() => document.querySelectorAll("#s1 .bulk .data").length === 3);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  });

  it("goes by keys from step to step, opens and closes them", async () => {
    const { page } = await opened(await pageOf(thirty()));
    const at = () => page.evaluate(() => document.activeElement?.querySelector(".n")?.textContent);
    const seen: unknown[] = [];
    for (const key of ["j", "j", "k", "G", "k", "g"] as const) {
      await page.keyboard.press(key);
      seen.push(await at());
    }
    expect(seen).toEqual(["1", "2", "1", "30", "29", "1"]);
    await page.keyboard.press("o");
    expect(await openTitles(page)).toEqual(["1"]);
    await page.keyboard.press("o");
    expect(await openTitles(page)).toEqual([]);
  });

  it("finds steps by what stands in them, and with deep search by their long texts", async () => {
    const { page } = await opened(await pageOf(thirty()));
    const found = (text: string) =>
      page.waitForFunction((wanted) => document.getElementById("found")?.textContent === wanted, {}, text);
    await page.keyboard.press("/");
    await page.keyboard.type("SPECIAL");
    await found("1 of 30");
    expect(await shownSteps(page)).toEqual(["7"]);
    await page.$eval("#query", (query) => {
      (query as HTMLInputElement).value = "";
    });
    await page.type("#query", "needle");
    await found("0 of 30");
    await page.click("#deep");
    await found("1 of 30");
    expect(await shownSteps(page)).toEqual(["28"]);
  });

  it("marks the steps with the words in threads that a step has started, and counts no start", async () => {
    const always = { condition: null, expression: null, value: true, error: null, taken: true };
    const thread = facts([step("writer", 2), step("reviewer", 3, { output: { verdict: "overdue" } })]);
    const given = facts([step("writer", 1), step("reviewer", 5), step("writer", 7)], {
      decision: [{ ...always, role: "writer" }],
      children: [{ role: "reviewer", item: null, head: "writer-1", thread }],
    });
    const { page } = await opened(await pageOf(given));
    const hits = () => page.$$eval("details.step.hit > .inside", (all) => all.map(({ id }) => id));
    await page.type("#query", "overdue");
    await page.waitForFunction(() => document.getElementById("found")?.textContent === "1 of 3");
    expect(await hits()).toEqual(["s2c0-s2"]);
    await page.click("#query", { count: 3 });
    await page.keyboard.press("Backspace");
    await page.waitForFunction(() => document.getElementById("found")?.textContent === "");
    expect(await hits()).toEqual([]);
  });

  it("shows only steps with failed runs on f", async () => {
    const { page } = await opened(await pageOf(thirty()));
    await page.keyboard.press("f");
    expect(await shownSteps(page)).toEqual(["5"]);
    await page.keyboard.press("f");
    expect((await shownSteps(page)).length).toBe(30);
  });

  it("is light or dark as the reader's system is, and as the reader says", async () => {
    const { page } = await opened(await pageOf(thirty()));
    const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
    expect(await colour()).toBe("rgb(13, 17, 23)");
    await page.keyboard.press("t");
    expect(await colour()).toBe("rgb(255, 255, 255)");
    await page.keyboard.press("t");
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
    expect(await colour()).toBe("rgb(13, 17, 23)");
  });

  it("lists its keys on ?", async () => {
    const { page } = await opened(await pageOf(thirty()));
    await page.keyboard.type("?");
    expect(await page.$eval("#keys", (keys) => (keys as HTMLDialogElement).open)).toBe(true);
    await page.keyboard.press("Escape");
    expect(await page.$eval("#keys", (keys) => (keys as HTMLDialogElement).open)).toBe(false);
  });

  it("prints every step open", async () => {
    const { page } = await opened(await pageOf(thirty()), WIDTHS.print);
    await page.emulateMediaType("print");
    expect(await page.$eval("#s17", (inside) => inside.checkVisibility())).toBe(true);
    const hidden = await page.$$eval("nav, #find, .bulk, .skip", (all) =>
      all.map((each) => each.checkVisibility()),
    );
    expect(new Set(hidden)).toEqual(new Set([false]));
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(50_000);
  });

  it("is complete without its script, but for the long texts, of which it says so", async () => {
    if (browser === null) return;
    const { page: first, url } = await opened(await pageOf(thirty()));
    await first.close();
    const page = await browser.newPage();
    await page.setJavaScriptEnabled(false);
    await page.goto(url);
    await page.click("details.step summary strong");
    expect(await page.$eval("#s1", (inside) => inside.checkVisibility())).toBe(true);
    const text = await page.$eval("#s1", (inside) => inside.textContent);
    expect(text).toContain("writer at 1");
    expect(text).toContain("2 texts");
    expect(await page.$eval("#find", (find) => find.checkVisibility())).toBe(false);
  });

  it("gives a file of a step, as it was stored, by a click", async () => {
    const bytes = Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]);
    const stored = { path: "outputDocx", hash: hash("F"), name: "plan.docx", size: bytes.length };
    const file = { ...stored, mediaType: "text/html", read: () => bytes };
    const { page, complaints } = await opened(
      await pageOf(facts([step("writer", 1, { files: [file] })])),
      390,
      "#s1",
    );
    const folder = mkdtempSync(join(tmpdir(), "uwf-download-"));
    try {
      const session = await page.createCDPSession();
      await session.send("Browser.setDownloadBehavior", {
        behavior: "allow",
        downloadPath: folder,
        eventsEnabled: true,
      });
      const done = new Promise<void>((resolve) => {
        session.on("Browser.downloadProgress", ({ state }) => {
          if (state === "completed") resolve();
        });
      });
      await page.click("#s1 a[download]");
      await done;
      expect(readFileSync(join(folder, "plan.docx")).equals(bytes)).toBe(true);
      expect(complaints.filter((each) => !each.startsWith("request: data:"))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("has the landmarks that a screen reader goes by, each with a name", async () => {
    const { page } = await opened(await pageOf(thirty()));
    const landmarks = await page.$$eval("header, nav, main, [role=search], footer, section", (found) =>
      found.map((each) => each.id || each.localName),
    );
    expect(landmarks).toEqual([
      "header",
      "nav",
      "main",
      "task",
      "path",
      "time",
      "cost",
      "steps",
      "find",
      "go-on",
      "footer",
    ]);
    const tree = await page.accessibility.snapshot();
    expect(JSON.stringify(tree)).toContain("Search the steps");
  });
});

describe.skipIf(browser === null)("hostile texts in a browser", () => {
  it.each([...HOSTILE, "x".repeat(10_000_000), `${"<b>".repeat(100)}${"\n".repeat(2000)}`])(
    "run nothing and break no layout: %.40j",
    async (text) => {
      const html = await pageOf(everywhere(text));
      for (const width of Object.values(WIDTHS)) {
        const { page, complaints } = await opened(html, width);
        await page.$$eval("details", (all) => {
          for (const details of all) details.open = true;
        });
        await page.waitForFunction(() => !document.querySelector(".bulk > p"));
        await page.$$eval(".bulk details", (all) => {
          for (const details of all) details.open = true;
        });
        await page.waitForFunction(() => document.querySelectorAll(".bulk .data").length >= 3);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect({ wide, complaints }).toEqual({ wide: 0, complaints: [] });
        expect(await page.$$eval("#steps b, #steps img, .bulk script", (all) => all.length)).toBe(0);
        await page.close();
      }
    },
    120_000,
  );
});
