import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { startChromium } from "./chromium.js";

// A real Chromium, where there is one: a page's script, its policy and its layout can be tested nowhere else.

/** `null`: there is none, or it cannot be started; the tests that need it are skipped, and say so. */
export const browser: Browser | null = await started();

async function started(): Promise<Browser | null> {
  const found = await startChromium();
  return typeof found === "string" ? missing(found) : found;
}

function missing(why: string): null {
  console.warn(`BROWSER TESTS DID NOT RUN: ${why}`);
  return null;
}

const folder = mkdtempSync(join(tmpdir(), "uwf-browser-"));

// One for all files of a worker; puppeteer ends its browser with the process.
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

/** What a page does that it should not. */
export type Watched = { readonly page: Page; readonly url: string; readonly complaints: readonly string[] };

export const WIDTHS = { phone: 390, laptop: 1280, print: 794 } as const;

let number = 0;

/** Opens an HTML text as a file of its own, and notes errors, dialogs and every request but the one for the file. */
export async function opened(text: string, width: number = WIDTHS.laptop, hash = ""): Promise<Watched> {
  number += 1;
  const file = join(folder, `page-${number}.html`);
  writeFileSync(file, text);
  const url = pathToFileURL(file).href;
  const watched = await watchedPage(width, url);
  await watched.page.goto(`${url}${hash}`);
  return { ...watched, url };
}

/** A new page that is watched, and may only ask for what begins with this address. */
export async function watchedPage(width: number, allowed: string): Promise<Watched> {
  if (browser === null) throw new Error("there is no browser");
  const page = await browser.newPage();
  page.setDefaultTimeout(90_000);
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${String(error)}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(allowed)) complaints.push(`request: ${request.url()}`);
  });
  await page.setViewport({ width, height: 900 });
  return { page, url: allowed, complaints };
}
