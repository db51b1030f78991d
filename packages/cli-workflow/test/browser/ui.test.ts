/// <reference lib="dom" />
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Page } from "puppeteer-core";
import { describe, expect, it } from "vitest";
import {
  barriersOf,
  inScheme,
  openAll,
  SCHEMES,
} from "../../../workflow-report/test/support/accessibility.js";
import { browser, WIDTHS, watchedPage } from "../../../workflow-report/test/support/browser.js";
import { startUi } from "../support/ui.js";
import { EXAMPLES, REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";

const shown = (page: Page, selector: string, text: string) =>
  page.waitForFunction(
    (where, wanted) => document.querySelector(where)?.textContent?.includes(wanted) === true,
    { timeout: 60_000 },
    selector,
    text,
  );

/** ship-issue, its child workflow, and a mock that plays all roles but the person's. */
async function shipping(): Promise<Sandbox> {
  const box = sandbox();
  for (const name of ["develop", "ship-issue"])
    await box.json(["workflow", "put", join(EXAMPLES, `${name}.yaml`)]);
  const scenario = join(EXAMPLES, "ship-issue.scenario.yaml");
  const agents = `agents: { mock: { command: ${REAL_MOCK}, args: [--scenario, ${scenario}] } }\ndefaultAgent: mock\n`;
  box.write(join(box.root, "config.yaml"), agents);
  return box;
}

const EXEC = resolve(import.meta.dirname, "../../../workflow-agent-exec/bin/uwf-exec");

const WORKFLOW = `name: plan
description: Makes a plan.
roles:
  writer:
    description: Plans
    goal: A plan
    capabilities: []
    procedure: Plan.
    output: The plan
    meta: { type: object, required: [plan], properties: { plan: { type: string, format: cas_ref } } }
conditions: {}
graph:
  $START: [{ role: writer, condition: null }]
  writer: [{ role: $END, condition: null }]
`;

const PLAN = Buffer.from([0, 1, 2, 255]);

/** A thread whose writer has left `PLAN`. */
async function threadWithFile(box: Sandbox): Promise<string> {
  writeFileSync(join(box.cwd, "plan.bin"), PLAN);
  box.write("plan.yaml", WORKFLOW);
  const { thread } = await box.json<{ thread: string }>(["thread", "start", "./plan.yaml", "-p", "Plan"]);
  await box.json(["thread", "step", thread, "--agent", `'${EXEC}' --artifact plan=plan.bin -- true`]);
  return thread;
}

describe.skipIf(browser === null)("uwf ui in a browser", () => {
  it("lets a person start, watch, answer and finish ship-issue", async () => {
    const box = await shipping();
    const ui = await startUi(box);
    const { page, complaints } = await watchedPage(WIDTHS.laptop, `http://127.0.0.1:${ui.port}/`);
    await page.goto(ui.url);
    await page.waitForSelector("#workflow option[value='ship-issue']");
    expect(page.url()).not.toContain(ui.token);
    await page.select("#workflow", "ship-issue");
    await page.type("#task", "parsePort accepts 80x <b>bold</b>");
    await page.click("#start");
    await shown(page, "#name", "ship-issue");
    await page.click("#run");
    await page.waitForSelector("#answer", { timeout: 60_000 });
    expect(await page.$eval("#question", (place) => place.querySelector("b"))).toBeNull();
    await page.select("#question select[aria-label='approved']", "0");
    await page.type("#question textarea[aria-label='comments']", "Good.");
    await page.click("#answer");
    await page.waitForFunction(() => document.getElementById("answer") === null, { timeout: 60_000 });
    await shown(page, "#report", "answered by");
    await page.waitForSelector("#run:not([disabled])");
    await page.click("#run");
    await shown(page, "#standing", "end");
    await page.evaluate(() => {
      for (const step of document.querySelectorAll<HTMLDetailsElement>("#steps > details.step"))
        step.open = true;
    });
    await page.waitForSelector("#s1 .bulk details");
    expect(complaints).toEqual([]);
    const [{ thread = "" } = {}] = await box.json<readonly { thread: string }[]>(["thread", "list", "--all"]);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true });
    await page.close();
  }, 180_000);

  it("gives the files of a step by a click, as they were stored", async () => {
    const box = sandbox();
    const thread = await threadWithFile(box);
    const ui = await startUi(box);
    const { page, complaints } = await watchedPage(WIDTHS.phone, `http://127.0.0.1:${ui.port}/`);
    await page.goto(ui.url);
    await shown(page, "#rows", thread.slice(-6));
    const session = await page.createCDPSession();
    const behaviour = { behavior: "allow", downloadPath: box.cwd, eventsEnabled: true } as const;
    await session.send("Browser.setDownloadBehavior", behaviour);
    const done = new Promise<void>((resolve) => {
      session.on("Browser.downloadProgress", ({ state }) => {
        if (state === "completed") resolve();
      });
    });
    await page.click("#rows a");
    await shown(page, "#report", "plan.bin");
    await page.click("#report details.step:last-of-type > summary");
    rmSync(join(box.cwd, "plan.bin"));
    await page.$$eval("button[data-name='plan.bin']", (all) => all.at(-1)?.click());
    await done;
    expect(readFileSync(join(box.cwd, "plan.bin")).equals(PLAN)).toBe(true);
    expect(complaints.filter((each) => !each.startsWith("request: blob:"))).toEqual([]);
    await page.close();
  }, 180_000);

  it("keeps what a person is typing while the thread changes", async () => {
    const box = await shipping();
    const { thread } = await box.json(["thread", "start", "ship-issue", "-p", "x"]);
    await box.uwf(["thread", "run", thread]);
    const ui = await startUi(box);
    const { page } = await watchedPage(WIDTHS.phone, `http://127.0.0.1:${ui.port}/`);
    await page.goto(ui.url);
    await page.waitForSelector(`#rows a[href='#/${thread}']`);
    await page.click(`#rows a[href='#/${thread}']`);
    await page.waitForSelector("#answer");
    await page.type("#question textarea[aria-label='comments']", "Half a sen");
    const heard = page.waitForResponse((response) => response.url().includes("/api/thread/"));
    await box.json(["thread", "start", "ship-issue", "-p", "another"]);
    await heard;
    expect(
      await page.$eval("textarea[aria-label='comments']", (area) => (area as HTMLTextAreaElement).value),
    ).toBe("Half a sen");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    await page.close();
  }, 120_000);

  it("keeps nothing from people who see or hear it otherwise, in light and dark", async () => {
    const box = await shipping();
    const { thread } = await box.json(["thread", "start", "ship-issue", "-p", "x"]);
    await box.uwf(["thread", "run", thread]);
    const ui = await startUi(box);
    const { page, complaints } = await watchedPage(WIDTHS.laptop, `http://127.0.0.1:${ui.port}/`);
    await page.setViewport({ width: WIDTHS.laptop, height: 12_000 });
    await page.goto(ui.url);
    const look = async (what: string) => {
      for (const scheme of SCHEMES) {
        await inScheme(page, scheme);
        await openAll(page);
        expect(await barriersOf(page), `${what}, ${scheme}`).toEqual([]);
      }
    };
    await page.waitForSelector(`#rows a[href='#/${thread}']`);
    await look("the list");
    await page.click(`#rows a[href='#/${thread}']`);
    await page.waitForSelector("#answer");
    await look("a question");
    await box.json(["thread", "kill", thread]);
    await shown(page, "#standing", "killed");
    await look("a thread that has ended");
    expect(complaints).toEqual([]);
    await page.close();
  }, 120_000);

  it("shows the rest of a long list on demand", async () => {
    const box = await shipping();
    await box.json(["thread", "start", "ship-issue", "-p", "x"]);
    const [line = ""] = box.read("threads.yaml").trim().split("\n");
    const others = Array.from(
      { length: 249 },
      (_, at) => `01KAJ5E8ZJ4N7XK3M9T2V6W${100 + at}${line.slice(26)}`,
    );
    box.write(join(box.root, "threads.yaml"), `${[line, ...others].sort().join("\n")}\n`);
    const ui = await startUi(box);
    const { page } = await watchedPage(WIDTHS.laptop, `http://127.0.0.1:${ui.port}/`);
    await page.goto(ui.url);
    await shown(page, "#count", "The newest 200 of 250");
    await page.click("#more");
    await shown(page, "#count", "250 in all");
    expect(await page.$$eval("#rows tr", (rows) => rows.length)).toBe(250);
    expect(await page.$eval("#more", (more) => more.checkVisibility())).toBe(false);
    await page.close();
  });

  it("is not there for a name that leads to 127.0.0.1", async () => {
    const ui = await startUi(sandbox());
    const { page } = await watchedPage(WIDTHS.laptop, "http://rebound.test");
    const response = await page.goto(`http://rebound.test:${ui.port}/#token=${ui.token}`);
    expect(response?.status()).toBe(421);
    await page.close();
  });

  it("says so where the token is missing", async () => {
    const ui = await startUi(sandbox());
    const { page, complaints } = await watchedPage(WIDTHS.laptop, `http://127.0.0.1:${ui.port}/`);
    await page.goto(`http://127.0.0.1:${ui.port}/`);
    await shown(page, "#state", "The token is missing");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
