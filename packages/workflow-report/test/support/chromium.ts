import { existsSync } from "node:fs";
import { type Browser, launch } from "puppeteer-core";

const PLACES = [
  process.env.UWF_CHROMIUM ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Starts Chromium, or gives the reason why there is none. */
export async function startChromium(): Promise<Browser | string> {
  const executablePath = PLACES.find((place) => place !== "" && existsSync(place));
  if (executablePath === undefined) return "no Chromium is installed (`apt-get install chromium`)";
  try {
    // The pages are ours; a container gives no namespaces for a sandbox of its own.
    const args = [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--disable-gpu",
      "--host-resolver-rules=MAP rebound.test 127.0.0.1",
    ];
    return await launch({ executablePath, headless: true, args, protocolTimeout: 120_000 });
  } catch (error) {
    return `${executablePath} does not start: ${error instanceof Error ? error.message : error}`;
  }
}
