import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { acceptChanges, type Document, openDocument, outlineOf, rejectChanges } from "@uncaged/workflow-docx";
import { describe, expect, it } from "vitest";
import { DIFFERENCE, NEW, OLD } from "../support/documents.js";
import { docxDiff, folder, run } from "../support/run.js";

function documentIn(bytes: Uint8Array): Document {
  const opened = openDocument(bytes);
  if (!opened.ok) throw new Error(opened.error.code);
  return opened.value;
}

const textOf = (document: Document): readonly string[] => outlineOf(document).blocks.map(({ text }) => text);

describe("docx-diff", () => {
  it.each(["node", "bun"])(
    "says what differs, and ends with 1, or with 0 if nothing does (%s)",
    (runtime) => {
      const around = { cwd: folder(), env: { UWF_RUNTIME: runtime } };
      expect(docxDiff(["old.docx", "new.docx"], around)).toEqual({ code: 1, stdout: DIFFERENCE, stderr: "" });
      expect(docxDiff(["old.docx", "old.docx"], around)).toEqual({
        code: 0,
        stdout: "no difference\n",
        stderr: "",
      });
    },
  );

  it.each(["text", "html", "json", "docx"])(
    "writes %s into a file, whether the documents differ or not",
    (format) => {
      const cwd = folder();
      for (const [source, code] of [
        ["old.docx", 1],
        ["new.docx", 0],
      ] as const) {
        const out = join(cwd, `out-${code}`);
        writeFileSync(out, "what was there before");
        const ran = docxDiff([source, "new.docx", "--output", format, "--out-file", out], { cwd });
        expect(ran).toMatchObject({ code, stderr: "" });
        expect(readFileSync(out, "utf8")).not.toContain("what was there before");
      }
      expect(readdirSync(cwd).sort()).toEqual(["new.docx", "old.docx", "out-0", "out-1"]);
    },
  );

  it("writes tracked changes: accepted they give the modified document, rejected the source", () => {
    const cwd = folder();
    const ran = docxDiff(["old.docx", "new.docx", "--author", "Ada", "-o", "changes.docx"], { cwd });
    expect(ran.stdout).toBe("2 blocks changed, 1 inserted, 1 deleted; wrote changes.docx\n");
    const bytes = readFileSync(join(cwd, "changes.docx"));
    const tracked = documentIn(bytes);
    expect(textOf(acceptChanges(tracked))).toEqual(textOf(documentIn(NEW)));
    expect(textOf(rejectChanges(tracked))).toEqual(textOf(documentIn(OLD)));
    expect(Buffer.from(tracked.parts.get(tracked.main) ?? []).toString()).toContain('w:author="Ada"');
    docxDiff(["old.docx", "new.docx", "--author", "Ada", "-o", "again.docx"], { cwd });
    expect(readFileSync(join(cwd, "again.docx")).equals(bytes)).toBe(true);
  });

  it("gives programs JSON", () => {
    const cwd = folder();
    const ran = docxDiff(["old.docx", "new.docx", "--output", "json"], { cwd });
    const found = JSON.parse(ran.stdout);
    expect(Object.keys(found)).toEqual(["equal", "source", "modified", "summary", "changes", "others"]);
    expect(found).toMatchObject({ equal: false, source: "old.docx", others: [] });
    expect(found.changes[0]).toEqual({
      change: "changed",
      kind: "paragraph",
      block: 2,
      oldBlock: 2,
      heading: "Fruit",
      text: "We have [-three-]{+four+} apples for [-2,800-]{+3,000+} euros.",
      isFormatOnly: false,
    });
  });

  it("takes the format from the name of the file, unless it is told", () => {
    const cwd = folder();
    docxDiff(["old.docx", "new.docx", "--out-file", "out.html"], { cwd });
    docxDiff(["old.docx", "new.docx", "--out-file", "out.txt"], { cwd });
    docxDiff(["old.docx", "new.docx", "--out-file", "out.docx", "--output=json"], { cwd });
    expect(readFileSync(join(cwd, "out.html"), "utf8")).toMatch(
      /^<!doctype html>[\s\S]*old\.docx → new\.docx/,
    );
    expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe(DIFFERENCE);
    expect(JSON.parse(readFileSync(join(cwd, "out.docx"), "utf8"))).toMatchObject({ equal: false });
  });

  it("reads one of the two from stdin or from a pipe", () => {
    const cwd = folder();
    expect(docxDiff(["-", "new.docx"], { cwd, input: OLD }).stdout).toBe(DIFFERENCE);
    expect(docxDiff(["old.docx", "-"], { cwd, input: NEW }).stdout).toBe(DIFFERENCE);
    expect(run("bash", ["-c", "docx-diff <(cat old.docx) <(cat new.docx)"], { cwd }).stdout).toBe(DIFFERENCE);
  });

  it("writes through a link and into a pipe, and never puts a file in the place of a device", () => {
    const cwd = folder();
    symlinkSync("target.txt", join(cwd, "link.txt"));
    writeFileSync(join(cwd, "target.txt"), "");
    docxDiff(["old.docx", "new.docx", "-o", "link.txt"], { cwd });
    expect(readFileSync(join(cwd, "target.txt"), "utf8")).toBe(DIFFERENCE);
    expect(run("sh", ["-c", "docx-diff old.docx new.docx -o /dev/stdout | cat"], { cwd }).stdout).toBe(
      DIFFERENCE,
    );
    expect(docxDiff(["old.docx", "new.docx", "-o", "/dev/null"], { cwd }).code).toBe(1);
  });

  it("does not mind a reader that is gone", () => {
    const ran = run(
      "bash",
      ["-c", 'docx-diff old.docx new.docx --output html | head -c 1; echo " $PIPESTATUS"'],
      {
        cwd: folder(),
      },
    );
    expect(ran).toMatchObject({ stdout: "< 1\n", stderr: "" });
  });
});

describe("what docx-diff refuses", () => {
  /** The exit code, the first words on stderr, and whether anything has been written. */
  function refused(args: readonly string[], cwd = folder(), env: Readonly<Record<string, string>> = {}) {
    const before = readdirSync(cwd).sort();
    const ran = docxDiff(args, { cwd, env });
    expect(ran.stdout).toBe("");
    expect(readdirSync(cwd).sort()).toEqual(before);
    expect(ran.stderr).toMatch(/^error\[\w+\]: .+\nhint: .+\n$/);
    return `${ran.code} ${ran.stderr.split("\n")[0]}`;
  }

  it.each([
    [[], "two documents are compared, and none is named: docx-diff <source> <modified>"],
    [["old.docx"], "two documents are compared, and only one is named: docx-diff <source> <modified>"],
    [["a", "b", "c"], "two documents are compared, and more are named: a b c"],
    [["-", "-"], "only one of the two documents can be stdin"],
    [["", "new.docx"], "the name of a document is empty"],
    [["old.docx", "new.docx", "--outputt", "docx"], `unknown option '--outputt', did you mean "--output"?`],
    [["old.docx", "new.docx", "--output"], "option '--output <value>' argument missing"],
    [["old.docx", "new.docx", "--output", "pdf"], "--output is one of text, html, json, docx, and not pdf"],
    [["old.docx", "new.docx", "-o", ""], "--out-file needs the name of a file"],
    [
      ["old.docx", "new.docx", "-o", "x.doc"],
      "the name x.doc says doc, but --output is one of text, html, json, docx, and not doc",
    ],
    [["old.docx", "new.docx", "--json"], `unknown option '--json', did you mean "--output json"?`],
    [["old.docx", "new.docx", "--error-format", "xml"], "--error-format is one of text, json, and not xml"],
    [["old.docx", "new.docx", "-o", "."], ". is a folder: name a file in it, such as changes.txt"],
    [
      ["old.docx", "new.docx", "-o", "/tmp", "--output", "docx"],
      "/tmp is a folder: name a file in it, such as /tmp/changes.docx",
    ],
    [
      ["old.docx", "new.docx", "-o", "./new.docx"],
      "./new.docx is one of the two documents, and would be replaced",
    ],
  ])("%j: 2", (args, reason) => {
    expect(refused(args)).toBe(`2 error[USAGE]: ${reason}`);
  });

  it("a file that is not there, and a folder: 3", () => {
    const cwd = folder();
    mkdirSync(join(cwd, "folder.docx"));
    expect(refused(["lost.docx", "new.docx"], cwd)).toBe(
      "3 error[FILE_NOT_FOUND]: cannot read lost.docx: no such file or directory",
    );
    expect(refused(["old.docx", "folder.docx"], cwd)).toMatch(
      /^3 error\[FILE_NOT_FOUND\]: cannot read folder\.docx: it is a folder$/,
    );
  });

  it("a file that is not a document, with its name: 4", () => {
    const cwd = folder();
    writeFileSync(join(cwd, "text.docx"), "no zip");
    writeFileSync(join(cwd, "short.docx"), OLD.subarray(0, OLD.length - 30));
    expect(refused(["old.docx", "text.docx", "-o", "out.docx"], cwd)).toBe(
      "4 error[DOCX_NOT_ZIP]: text.docx: this is no .docx file: it is no zip",
    );
    expect(refused(["short.docx", "new.docx"], cwd)).toMatch(/^4 error\[DOCX_\w+\]: short\.docx: /);
    expect(docxDiff(["-", "new.docx"], { cwd, input: "no zip" }).stderr).toContain(
      "stdin: this is no .docx file",
    );
  });

  it("more than 32 MiB, without reading further: 4", () => {
    const ran = run("sh", ["-c", "cat /dev/zero | docx-diff - new.docx"], { cwd: folder() });
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining("error[DOCX_TOO_LARGE]: stdin: ") });
  });

  it("a place that cannot be written to: 74, and what was there stays", () => {
    const cwd = folder();
    expect(refused(["old.docx", "new.docx", "-o", "lost/out.docx"], cwd)).toBe(
      "74 error[IO_FAILED]: cannot write lost/out.docx: no such file or directory",
    );
  });

  it.runIf(existsSync("/dev/full"))("a full disk: 74", () => {
    const cwd = folder();
    expect(refused(["old.docx", "new.docx", "-o", "/dev/full"], cwd)).toBe(
      "74 error[IO_FAILED]: cannot write /dev/full: no space left on device",
    );
    const ran = run("sh", ["-c", "docx-diff old.docx new.docx >/dev/full"], { cwd });
    expect(ran).toMatchObject({
      code: 74,
      stderr: expect.stringContaining("cannot write stdout: no space left on device"),
    });
  });

  it("in JSON for programs", () => {
    const cwd = folder();
    const ran = docxDiff(["lost.docx", "new.docx"], { cwd, env: { UWF_ERROR_FORMAT: "json" } });
    expect(JSON.parse(ran.stderr)).toEqual({
      code: "FILE_NOT_FOUND",
      message: "cannot read lost.docx: no such file or directory",
      hint: "check the path",
      retryable: false,
      data: { path: "lost.docx", reason: "no such file or directory" },
    });
    expect(JSON.parse(docxDiff(["--error-format=json"], { cwd }).stderr)).toMatchObject({ code: "USAGE" });
  });
});

describe("the help of docx-diff", () => {
  const { stdout: help } = docxDiff(["--help"]);

  it("shows examples that work as typed", () => {
    const cwd = folder();
    const examples = [...help.matchAll(/^ {2}\$ (.+)$/gm)].map(([, line = ""]) => line);
    expect(examples).toHaveLength(4);
    run(
      "sh",
      [
        "-ec",
        "cp old.docx report.docx; git init -q; git add .; git -c user.name=A -c user.email=a@b commit -qm x; cp new.docx report.docx",
      ],
      { cwd },
    );
    const shown = examples.map((line) => run("sh", ["-c", line], { cwd }));
    expect(shown.map(({ code }) => code)).toEqual([1, 1, 1, 1]);
    expect(shown[0]?.stdout).toBe(DIFFERENCE);
    expect(shown[3]?.stdout).toBe(DIFFERENCE);
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(["changes.docx", "changes.html"]));
  });

  it("fits 120 columns, and names every option", () => {
    expect(help.split("\n").every((line) => line.length <= 120)).toBe(true);
    for (const option of ["--output", "--out-file", "--author", "--error-format", "--help", "--version"])
      expect(help).toContain(option);
    expect(docxDiff(["-V"]).stdout).toMatch(/^docx-diff \d+\.\d+\.\d+\n$/);
  });
});
