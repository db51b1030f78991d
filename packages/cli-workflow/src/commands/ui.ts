import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flag, option, wholeNumber } from "@uncaged/command-line";
import { uwfAt } from "@uncaged/workflow-engine";
import { type CommandContext, defineRootCommand, OWN_UWF, TIME } from "../line/index.js";
import { lines } from "../screen/index.js";
import { readsOf, serveUi, watchNews } from "../ui/index.js";
import { text } from "./output.js";

/** How long it goes on after the last page has closed, in ms. */
const LINGER_MS = 30_000;

/** Time to open the first page, in ms. */
const PATIENCE_MS = 10 * 60_000;

/** A page to start, watch and answer threads. It ends by itself once no page is open and nothing runs that one has started. */
export const command = defineRootCommand({
  path: "ui",
  summary: "serve a page to start, watch and answer threads, while it is open",
  options: {
    port: option(wholeNumber("port", 0, 65_535), "listen on this port of 127.0.0.1 (default: a free one)"),
    open: flag("open the page in the browser"),
    linger: option(TIME, "end this long after the last page has closed (default: 30s)"),
  },
  examples: ["uwf ui", "uwf ui --open", "uwf ui --port 7357"],
  notes: `The address has a token in it, which lets its holder use uwf as you.
It reads in its own process, and runs the ordinary uwf command for everything
that a page asks for. What runs goes on when the page is closed; Ctrl-C ends it.`,
  exits: ["INVALID_INPUT"],
  sample: {
    line: "ui",
    prints: `http://127.0.0.1:41235/#token=…
ends when you have closed the page`,
  },
  run: async (context, { port, open, linger }, storage) => {
    const { host, screen } = context;
    const stop = new AbortController();
    const over = endOf(stop.signal, linger ?? LINGER_MS);
    const news = watchNews(storage, over.look);
    over.busyWhile(() => news.listeners() > 0);
    const token = host.newToken();
    const reads = readsOf({ context, storage });
    const uwf = uwfAt(OWN_UWF, host.env, stop.signal);
    const server = await serveUi({ reads, news, uwf, token, working: over.working }, port ?? 0);
    if (!server.ok) {
      news.close();
      return server;
    }
    const url = `http://127.0.0.1:${server.value.port}/#token=${token}`;
    host.stdout.write(
      screen === null
        ? `${JSON.stringify({ url })}\n`
        : lines(screen, [url, "ends when you have closed the page"]),
    );
    const leave = open ? openPage(context, url) : () => {};
    const ignore = host.onSignal(() => stop.abort());
    await over.ended;
    ignore();
    leave();
    news.close();
    await server.value.close();
    return text("");
  },
});

/** Ends after a while without an open page or a run; after a signal, once nothing runs. */
function endOf(signal: AbortSignal, lingerMs: number) {
  let running = 0;
  let isWatched = (): boolean => false;
  let timer: NodeJS.Timeout | null = null;
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const wait = (ms: number): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => {
      if (running === 0 && !isWatched()) end();
    }, ms);
  };
  const look = (): void => {
    if (signal.aborted && running === 0) end();
    else wait(lingerMs);
  };
  signal.addEventListener("abort", look);
  wait(Math.max(PATIENCE_MS, lingerMs));
  const done = ended.finally(() => {
    if (timer !== null) clearTimeout(timer);
  });
  return {
    ended: done,
    look,
    working: (by: 1 | -1) => {
      running += by;
      if (running === 0) look();
    },
    busyWhile: (watched: () => boolean) => {
      isWatched = watched;
    },
  };
}

/**
 * Other users can read the arguments of a process, so the address, which has the token, is in a file that
 * only we can read.
 */
function openPage({ host, warn }: CommandContext, url: string): () => void {
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const folder = mkdtempSync(join(tmpdir(), "uwf-ui-"));
  const page = join(folder, "open.html");
  const options = { mode: 0o600, flag: "wx" } as const;
  writeFileSync(page, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">\n`, options);
  const child = spawn(program, [page], { env: host.env, detached: true, stdio: "ignore" });
  const fail = (reason: string): void =>
    warn(`the page was not opened (${reason}): give its address to a browser yourself`);
  child.once("error", (error) => fail(error.message));
  child.once("exit", (code) => {
    if (code !== null && code !== 0) fail(`${program} exited with ${code}`);
  });
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
}
