import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CasRef, StepNodePayload } from "@uncaged/workflow-protocol";
import { openStorage, putNode } from "@uncaged/workflow-store";
import { beforeEach, describe, expect, it } from "vitest";
import { nodeFile, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

const step = (thread: string, behaviour: string) =>
  box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)]);

type Done = {
  readonly index: string;
  readonly threads: number;
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
};

const report = (...options: readonly string[]): Promise<Done> =>
  box.json<Done>(["report", "-o", "pages", ...options]);

/** A thread that has ended, and one that goes on. */
async function twoThreads(): Promise<readonly [string, string]> {
  const ended = await startTurns(box, "The first");
  for (const behaviour of ["valid", "valid"]) await step(ended, behaviour);
  const active = await startTurns(box, "The second");
  await step(active, "exit3");
  await step(active, "valid");
  return [ended, active];
}

/** Every link of a page, as a path of the folder. */
function linksOf(file: string): readonly string[] {
  const text = readFileSync(join(box.cwd, "pages", file), "utf8");
  const links = [...text.matchAll(/href="([^"#][^"]*)"/g)].map(([, link]) => link ?? "");
  return links.map((link) => join("pages", file, "..", link));
}

describe("uwf report", () => {
  it("writes an index of workflows and threads, and a page of each", async () => {
    const [ended, active] = await twoThreads();
    const done = await report();
    expect(done).toMatchObject({ index: join(box.cwd, "pages/index.html"), threads: 2, written: 4 });
    const index = readFileSync(done.index, "utf8");
    expect(index).toContain("2 threads: 1 active, 1 ended.");
    expect(index).toContain("The second");
    expect(index).toContain(`<a href="threads/${active}.html"><code>${active.slice(-6)}</code></a>`);
    expect(index).toContain('<a href="workflows/turns.html">turns</a>');
    expect(readdirSync(join(box.cwd, "pages/threads")).sort()).toEqual(
      [`${ended}.html`, `${active}.html`].sort(),
    );
    expect(readFileSync(join(box.cwd, "pages/workflows/turns.html"), "utf8")).toContain('class="uwf-graph"');
  });

  it("links pages that are there, and no others", async () => {
    const [ended] = await twoThreads();
    await report();
    const pages = ["index.html", `threads/${ended}.html`, "workflows/turns.html"];
    const links = pages.flatMap(linksOf);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(join(box.cwd, link)))).toEqual([]);
  });

  it("does not write again what has not changed", async () => {
    const [ended, active] = await twoThreads();
    await report();
    const inode = (file: string) => statSync(join(box.cwd, "pages", file)).ino;
    const files = ["index.html", `threads/${ended}.html`, `threads/${active}.html`, "workflows/turns.html"];
    const before = files.map(inode);
    expect(await report()).toMatchObject({ written: 0, unchanged: 4, removed: 0 });
    expect(files.map(inode)).toEqual(before);
    await step(active, "valid");
    expect(await report()).toMatchObject({ written: 3, unchanged: 1 });
    expect(inode(`threads/${ended}.html`)).toBe(before[1]);
  });

  it("writes an ended thread's page again when it is to say less", async () => {
    const [ended] = await twoThreads();
    await report();
    expect((await report("--no-details")).written).toBeGreaterThan(0);
    expect(readFileSync(join(box.cwd, `pages/threads/${ended}.html`), "utf8")).toContain("are left out");
  });

  it("removes the page of a thread that is gone, and nothing else", async () => {
    const [ended] = await twoThreads();
    await report();
    box.write("pages/threads/notes.txt", "mine");
    await box.json(["thread", "rm", ended]);
    expect(await report()).toMatchObject({ removed: 1, threads: 1 });
    expect(readdirSync(join(box.cwd, "pages/threads"))).toContain("notes.txt");
  });

  it("refuses a folder with other files in it", async () => {
    await twoThreads();
    box.write("pages/index.html", "mine");
    const refused = await box.uwf(["report", "-o", "pages"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(readFileSync(join(box.cwd, "pages/index.html"), "utf8")).toBe("mine");
    await report("--force");
    expect(readFileSync(join(box.cwd, "pages/index.html"), "utf8")).toContain("<!doctype html>");
  });

  it("removes no page that it has not made, and writes none through a link", async () => {
    await twoThreads();
    box.write("pages/workflows/mine.html", "mine");
    for (const words of [["--force"], []]) {
      expect(await report(...words)).toMatchObject({ removed: 0 });
      expect(readFileSync(join(box.cwd, "pages/workflows/mine.html"), "utf8")).toBe("mine");
    }
    box.write("elsewhere/mine.html", "mine");
    rmSync(join(box.cwd, "pages/threads"), { recursive: true });
    symlinkSync(join(box.cwd, "elsewhere"), join(box.cwd, "pages/threads"));
    const refused = await box.uwf(["report", "-o", "pages"]);
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("threads is a link") });
    expect(readdirSync(join(box.cwd, "elsewhere"))).toEqual(["mine.html"]);
  });

  it("writes no page and no record through a link", async () => {
    const [ended] = await twoThreads();
    await report();
    box.write("mine.txt", "mine");
    for (const file of ["index.html", `threads/${ended}.html`, "workflows/turns.html", "uwf-report.json"]) {
      const page = join(box.cwd, "pages", file);
      const text = readFileSync(page);
      rmSync(page);
      symlinkSync(join(box.cwd, "mine.txt"), page);
      const { stderr } = await box.uwf(["report", "-o", "pages", "--no-details"]);
      expect(stderr).toContain(`${page}: it is a symbolic link`);
      expect(readFileSync(join(box.cwd, "mine.txt"), "utf8")).toBe("mine");
      rmSync(page);
      writeFileSync(page, text);
    }
  });

  it.each(["another's", "another folder's"])(
    "takes no word of %s record about pages: none is removed or taken for made",
    async (whose) => {
      const [ended] = await twoThreads();
      await report();
      const record = JSON.parse(readFileSync(join(box.cwd, "pages/uwf-report.json"), "utf8"));
      const page = `threads/${ended}.html`;
      const planted =
        whose === "another's" ? { ...record, pages: [...record.pages, "threads/mine.html"] } : record;
      box.write("copy/uwf-report.json", JSON.stringify(planted, null, 1));
      box.write(`copy/${page}`, "forged");
      box.write("copy/threads/mine.html", "mine");
      box.write("copy/workflows/turns.html", "mine");
      await box.json(["workflow", "rm", "turns"]);
      expect(await box.json(["report", "-o", "copy"])).toMatchObject({ removed: 0 });
      expect(readFileSync(join(box.cwd, "copy/threads/mine.html"), "utf8")).toBe("mine");
      expect(readFileSync(join(box.cwd, "copy/workflows/turns.html"), "utf8")).toBe("mine");
      expect(readFileSync(join(box.cwd, `copy/${page}`), "utf8")).toContain("<!doctype html>");
    },
  );

  it("refuses a file", async () => {
    box.write("report.html", "mine");
    const ran = await box.uwf(["report", "-o", "report.html"]);
    expect([ran.code, ran.stderr]).toEqual([
      4,
      expect.stringMatching(
        /\/report\.html: it is a file, and pages need a folder\nhint: .*`uwf thread report <thread>`$/m,
      ),
    ]);
  });

  it("lists a thread that cannot be read, and hides no other", async () => {
    const [, active] = await twoThreads();
    const { head } = await box.json(["thread", "show", active]);
    box.write(nodeFile(box, head), "damaged");
    const ran = await box.uwf(["report", "-o", "pages"]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`warning: thread ${active} has no page: `);
    const index = readFileSync(join(box.cwd, "pages/index.html"), "utf8");
    expect(index).toContain(head);
    expect(index).toContain("2 threads: 1 damaged, 1 ended.");
  });

  it("has a page for a thread with an answer at a time that no date has", async () => {
    const [ended] = await twoThreads();
    const { cas } = openStorage(box.root, { now: Date.now });
    const { head } = await box.json(["thread", "show", ended]);
    const step = cas.get(head as CasRef)?.payload as StepNodePayload;
    const text = await putNode(cas, "content", { text: "" });
    const answer = { by: "me", via: "stdin", question: text, raw: text, askedAt: 0, timedOut: false };
    const detail = await putNode(cas, "answer", { ...answer, at: 9e15 });
    const other = await putNode(cas, "stepNode", { ...step, detail });
    box.write(join(box.root, "history.jsonl"), box.read("history.jsonl").replace(head, other));
    const ran = await box.uwf(["report", "-o", "pages"]);
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    const page = readFileSync(join(box.cwd, `pages/threads/${ended}.html`), "utf8");
    expect(page).toContain("at an unknown time, an unknown time after the question");
  });

  it("writes nothing into the store, and has a page for an empty one", async () => {
    expect(await report()).toMatchObject({ threads: 0, written: 1 });
    const index = readFileSync(join(box.cwd, "pages/index.html"), "utf8");
    expect(index).toContain("No workflow is registered.");
    expect(existsSync(box.root)).toBe(false);
  });
});
