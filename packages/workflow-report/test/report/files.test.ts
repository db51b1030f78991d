import { describe, expect, it } from "vitest";
import { reportBody, reportHtml, reportOf, type StepFile } from "../../src/index.js";
import { facts, hash, step } from "../support/facts.js";

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

function file(name: string, more: Partial<StepFile> = {}): StepFile {
  const bytes = Buffer.from(`the bytes of ${name}`);
  return {
    ...{ path: "outputDocx", hash: hash(`HASH${name}`), name, mediaType: WORD, size: bytes.length },
    read: () => bytes,
    ...more,
  };
}

const page = (...steps: readonly (readonly StepFile[])[]): Promise<string> =>
  reportHtml(reportOf(facts(steps.map((files, at) => step("writer", at + 1, { files })))), {
    details: true,
    index: null,
  });

const links = (html: string): readonly string[] =>
  [...html.matchAll(/<a id="\w+" download="([^"]*)" href="([^"]*)">/g)].map(
    ([, name, href]) => `${name} ${href}`,
  );

describe("the files of a step", () => {
  it("are part of the page, as what they are", async () => {
    const html = await page([file("plan.docx")]);
    const data = Buffer.from("the bytes of plan.docx").toString("base64");
    expect(links(html)).toEqual([`plan.docx data:${WORD};base64,${data}`]);
    expect(html).toContain('<th scope="row">outputDocx</th>');
    expect(html).toContain("22 B");
  });

  it("but for documents are bytes that no browser shows", async () => {
    const html = await page([
      file("page.html", { mediaType: "text/html" }),
      file("x", { mediaType: '"><b>' }),
    ]);
    for (const link of links(html)) expect(link).toContain(" data:application/octet-stream;base64,");
    expect(links(html)).toHaveLength(2);
  });

  it("stand there once, and later steps lead to them", async () => {
    const html = await page(
      [file("plan.docx")],
      [file("other.docx"), file("plan.docx", { path: "sourceDocx" })],
    );
    expect(links(html)).toHaveLength(2);
    expect(html).toContain('<a href="#s1f0">plan.docx</a>');
  });

  it("are named with the command that gets them where there is no room", async () => {
    const MiB = 1024 * 1024;
    const large = (name: string, size: number): StepFile =>
      file(name, { size, read: () => Buffer.alloc(size) });
    const some = Array.from({ length: 6 }, (_, at) => large(`${at}.docx`, 1.5 * MiB));
    const html = await page([large("large.docx", 2 * MiB + 1)], some, [
      file("gone.docx", { read: () => null }),
    ]);
    expect(links(html).map((link) => link.split(" ")[0])).toEqual([
      "0.docx",
      "1.docx",
      "2.docx",
      "3.docx",
      "4.docx",
    ]);
    for (const name of ["large.docx", "5.docx", "gone.docx"])
      expect(html).toContain(`${name}: <code>uwf cas file get HASH${name} -o …</code>`);
    expect(html.length).toBeLessThan(12 * MiB);
  });

  it("are buttons where a server has them", () => {
    const report = reportOf(facts([step("writer", 1, { files: [file('"><script>')] })]));
    expect(reportBody(report)).toContain('data-name="&quot;&gt;&lt;script&gt;"');
    expect(reportBody(report)).not.toContain("data:");
  });
});

describe("what differs between the documents of a step", () => {
  const part = (kind: "same" | "new" | "gone", text: string) => ({ kind, text });
  const line = (heading: string | null, label: string) => ({
    ...{ heading, label, isFormatOnly: false },
    parts: [part("same", "We have "), part("gone", "three"), part("new", "four")],
  });

  it("is shown under the headings, with what has gone and what has come", async () => {
    const lines = [line(null, "1"), line("Fruit", "4"), { ...line("Fruit", "old 5"), isFormatOnly: true }];
    const difference = { summary: "3 blocks changed", lines, more: 0 };
    const html = await reportHtml(reportOf(facts([step("differ", 1, { difference })])), {
      details: true,
      index: null,
    });
    expect(html).toContain("<p>3 blocks changed</p>");
    expect(html.match(/<h4/g)).toHaveLength(1);
    expect(html).toContain('<h4 dir="auto">Fruit</h4>');
    expect(html).toContain("We have <del>three</del><ins>four</ins></div>");
    expect(html.match(/only its format/g)).toHaveLength(1);
  });

  it("shows the first lines of many, and counts what is left out", async () => {
    const lines = Array.from({ length: 25 }, (_, at) => line("Fruit", String(at)));
    const difference = { summary: "many", lines, more: 7 };
    const html = await reportHtml(reportOf(facts([step("differ", 1, { difference })])), {
      details: true,
      index: null,
    });
    expect(html).toContain("<summary>12 more</summary>");
    expect(html).toContain("and 7 more");
    expect(html.match(/class="difference"/g)).toHaveLength(25);
  });
});
