import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { asked, startUi } from "../../cli-workflow/test/support/ui.js";
import { type Sandbox, sandbox } from "../../cli-workflow/test/support/uwf.js";
import { documentsThread, NEW, OLD } from "./support/documents-thread.js";

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

async function pageOf(thread: string): Promise<string> {
  const ran = await box.uwf(["thread", "report", thread, "-o", "-"]);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return ran.stdout;
}

/** The files in a page: name → bytes. */
const filesIn = (page: string): ReadonlyMap<string, Buffer> =>
  new Map(
    [...page.matchAll(/download="([^"]+)" href="data:[^;]+;base64,([^"]+)"/g)].map(
      ([, name = "", data = ""]) => [name, Buffer.from(data, "base64")],
    ),
  );

const DIFFERENCE = "We have <del>three</del><ins>four</ins> <ins>&lt;b&gt;</ins>apples<ins>&lt;/b&gt;</ins>.";

describe("a report of a thread with documents", () => {
  it("has the documents in it, each once, and what differs at the differ's step", async () => {
    const page = await pageOf(await documentsThread(box, true));
    const files = filesIn(page);
    expect([...files.keys()].sort()).toEqual(["diff.docx", "new.docx", "old.docx"]);
    expect(files.get("old.docx")?.equals(OLD)).toBe(true);
    expect(files.get("new.docx")?.equals(NEW)).toBe(true);
    expect(page.match(/What differs in the document/g)).toHaveLength(1);
    const [, differ = ""] = page.split('id="s2"');
    expect(differ).toContain(DIFFERENCE);
    expect(differ).toContain("1 block changed");
  });

  it("shows what differs at the writer's step as long as no differ has compared", async () => {
    const page = await pageOf(await documentsThread(box, false));
    expect(page.split('id="s1"')[1]).toContain(DIFFERENCE);
  });

  it("is the same for the same thread, and so are the pages of `uwf report`", async () => {
    const thread = await documentsThread(box, true);
    const page = await pageOf(thread);
    expect(await pageOf(thread)).toBe(page);
    await box.json(["report", "-o", "pages"]);
    expect(filesIn(readFileSync(join(box.cwd, `pages/threads/${thread}.html`), "utf8"))).toEqual(
      filesIn(page),
    );
  });
});

describe("uwf ui", () => {
  it("shows what differs, and gives the documents to a page with the token", async () => {
    const thread = await documentsThread(box, true);
    const ui = await startUi(box);
    const { html } = JSON.parse((await asked(ui, { path: `/api/thread/${thread}` })).text);
    expect(html).toContain(DIFFERENCE);
    const [, hash = ""] = /data-file="(\w+)" data-name="old\.docx"/.exec(html) ?? [];
    const file = await asked(ui, { path: `/api/file/${hash}` });
    expect(file.status).toBe(200);
    expect(file.text.startsWith("PK")).toBe(true);
    expect(file.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "content-length": String(OLD.length),
      "x-content-type-options": "nosniff",
    });
    expect((await asked(ui, { path: `/api/file/${hash}`, headers: { Authorization: "" } })).status).toBe(401);
    const { head } = await box.json<{ head: string }>(["thread", "show", thread]);
    for (const other of ["0123456789ABC", head])
      expect((await asked(ui, { path: `/api/file/${other}` })).status).toBe(404);
  });
});
