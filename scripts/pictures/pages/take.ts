/// <reference lib="dom" />
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { startChromium } from "../../../packages/workflow-report/test/support/chromium.js";
import { makeWorld, type World } from "../world.js";
import { type Shipped, shipping } from "./shipping.js";

type Shot = {
  readonly width: number;
  readonly scheme: "light" | "dark";
  /** The last part of the page that is shown; `null`: all of it. */
  readonly until: string | null;
  /** As on paper. */
  readonly print: boolean;
};

const LAPTOP: Shot = { width: 1280, scheme: "light", until: null, print: false };

/** The pictures of pages by file name, or why there are none. */
export async function takePages(repository: string): Promise<Readonly<Record<string, Uint8Array>> | string> {
  const browser = await startChromium();
  if (typeof browser === "string") return browser;
  const world = makeWorld(repository);
  try {
    const shipped = shipping(world, repository);
    return { ...(await ofReport(browser, world, shipped)), ...(await ofUi(browser, world, shipped)) };
  } finally {
    await browser.close();
    world.close();
  }
}

async function ofReport(browser: Browser, world: World, { thread }: Shipped) {
  const file = world.path("report.html");
  writeFileSync(file, world.withoutPaths(world.run(0, `uwf thread report ${thread} -o -`)));
  world.run(0, "uwf report -o pages");
  const at = (path: string): string => pathToFileURL(world.path(path)).href;
  const report = await opened(browser, at("report.html"));
  const step = await opened(browser, `${at("report.html")}#s4`);
  await step.$$eval("#find, header, main > :not(#steps), footer", (all) => {
    for (const each of all) each.remove();
  });
  const pictures = {
    "report.png": await taken(report, { ...LAPTOP, until: "#time" }),
    "report-light.png": await taken(report, LAPTOP),
    "report-dark.png": await taken(report, { ...LAPTOP, scheme: "dark" }),
    "report-phone.png": await taken(report, { ...LAPTOP, width: 390 }),
    "report-print.png": await taken(report, { ...LAPTOP, width: 794, until: "#path", print: true }),
    "report-step.png": await taken(step, LAPTOP),
    "folder.png": await taken(await opened(browser, at("pages/index.html")), LAPTOP),
  };
  return pictures;
}

async function ofUi(browser: Browser, world: World, { asked }: Shipped) {
  const server = world.start("uwf ui");
  try {
    const line = await new Promise<string>((resolve) =>
      server.stdout?.once("data", (data) => resolve(String(data))),
    );
    const { url } = JSON.parse(line) as { readonly url: string };
    const page = await opened(browser, url);
    await page.waitForSelector("#rows a");
    const list = await taken(page, LAPTOP);
    await page.click(`#rows a[href='#/${asked}']`);
    await page.waitForSelector("#answer");
    return { "ui-list.png": list, "ui-question.png": await taken(page, { ...LAPTOP, until: "#question" }) };
  } finally {
    server.kill("SIGINT");
  }
}

async function opened(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(url);
  return page;
}

async function taken(page: Page, { width, until, scheme, print }: Shot): Promise<Uint8Array> {
  // A page behind another one is not drawn.
  await page.bringToFront();
  // Either takes the other back; paper is always light.
  if (print) await page.emulateMediaType("print");
  else await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setViewport({ width, height: 800 });
  // Steps outside of the window are not drawn.
  const height = await page.evaluate(
    (last) =>
      last === null
        ? document.documentElement.scrollHeight
        : Math.ceil(document.querySelector(last)?.getBoundingClientRect().bottom ?? 0) + 16,
    until,
  );
  await page.setViewport({ width, height });
  return page.screenshot({ type: "png" });
}
