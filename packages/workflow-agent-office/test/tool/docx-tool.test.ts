import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BAD } from "../../../workflow-docx/test/support/bad.js";
import { BIN, documentOf, officeBox, runBin, type Sandbox, textsOf } from "../support/office.js";

const run = (
  box: Sandbox,
  words: readonly string[],
  stdin = "",
  env: Readonly<Record<string, string>> = {},
) => runBin(box, "uwf-agent-docx", words, { stdin, env });

const EDITS = [
  { op: "replaceText", block: 1, expect: "We have…", find: "three", text: "four" },
  { op: "insertAfter", block: 1, expect: "We have…", text: "Until Friday." },
];

describe("uwf-agent-docx", () => {
  it("checks a document", async () => {
    const box = officeBox();
    expect(await run(box, ["check", "input.docx"])).toMatchObject({
      code: 0,
      stdout: "input.docx is a sound document: 1 block\n",
      stderr: "",
    });
    const { stdout } = await run(box, ["check", "input.docx", "--json"]);
    const bytes = documentOf("We have three apples.").length;
    expect(JSON.parse(stdout)).toEqual({ ok: true, file: "input.docx", bytes, blocks: 1 });
    const bad = await run(box, ["check", "somebodys-agent"], "", { UWF_ERROR_FORMAT: "json" });
    expect(bad).toMatchObject({ code: 4, stdout: "" });
    expect(JSON.parse(bad.stderr)).toMatchObject({ code: "DOCX_NOT_ZIP", retryable: false });
    expect(await run(box, ["check", "none.docx"])).toMatchObject({ code: 3 });
    expect((await run(box, ["check", "."])).stderr).toContain("it is a folder");
  });

  it("outlines a document", async () => {
    const box = officeBox();
    box.write("two.docx", documentOf("We have three apples.", "Until Friday."));
    const { stdout } = await run(box, ["outline", "two.docx"]);
    expect(stdout).toMatch(/^1 paragraph: We have three apples\.\n2 paragraph: Until Friday\.\nstyles: /);
    const asJson = JSON.parse((await run(box, ["outline", "two.docx", "--json"])).stdout);
    expect(asJson).toMatchObject({
      file: "two.docx",
      blocks: [{ block: 1, kind: "paragraph" }, { block: 2 }],
      styles: expect.arrayContaining(["Heading1"]),
    });
  });

  it("prints the outline of a large document completely, or as much as its reader wants", async () => {
    const box = officeBox();
    const texts = Array.from({ length: 5000 }, (_, index) => `Paragraph ${index + 1} of a long document.`);
    box.write("large.docx", documentOf(...texts));
    const { code, stdout } = await run(box, ["outline", "large.docx"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 5000)).toEqual(
      texts.map((text, index) => `${index + 1} paragraph: ${text}`),
    );
    const script = `'${BIN}/uwf-agent-docx' outline large.docx | head -1; echo "\${PIPESTATUS[0]}"`;
    const ran = await box.uwf([], { through: ["bash", "-c", script] });
    expect(ran).toMatchObject({ stdout: "1 paragraph: Paragraph 1 of a long document.\n0\n", stderr: "" });
  });

  it("applies edits from a file or stdin, all of them or none", async () => {
    const box = officeBox();
    const edits = box.write("edits.json", JSON.stringify(EDITS));
    expect(await run(box, ["edit", "input.docx", edits, "-o", "new.docx"])).toMatchObject({
      code: 0,
      stdout: "wrote new.docx: 2 blocks\n",
    });
    expect(textsOf(readFileSync(join(box.cwd, "new.docx")))).toEqual([
      "We have four apples.",
      "Until Friday.",
    ]);
    const [first] = EDITS;
    const wrong = JSON.stringify([first, { ...first, block: 5 }, { ...first, block: 6 }]);
    const refused = await run(box, ["edit", "input.docx", "-", "-o", "refused.docx"], wrong);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toMatch(
      /^error\[DOCX_NO_BLOCK\]: stdin: edit 2: there is no block 5.*\n {2}edit 3: .*\nhint: /,
    );
    expect(existsSync(join(box.cwd, "refused.docx"))).toBe(false);
    const broken = await run(box, ["edit", "input.docx", "-", "-o", "refused.docx"], "[{");
    expect(broken).toMatchObject({ code: 4, stderr: expect.stringContaining("stdin: it is no JSON: ") });
  });

  it("fills a template", async () => {
    const box = officeBox();
    box.write("template.docx", documentOf("For {customer}."));
    const words = ["fill", "template.docx", "-", "-o", "new.docx"];
    const filled = await run(box, [...words, "--json"], '{"customer": "Ada"}');
    expect(JSON.parse(filled.stdout)).toEqual({ file: "new.docx", blocks: 1 });
    expect(textsOf(readFileSync(join(box.cwd, "new.docx")))).toEqual(["For Ada."]);
    expect(await run(box, words, "{}")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("error[DOCX_TEMPLATE_VALUE]: template.docx: "),
    });
    expect((await run(box, words, "[]")).stderr).toContain("stdin: it is no object");
  });

  it.each<[readonly string[], RegExp]>([
    [[], /which command\?/],
    [["outlin", "input.docx"], /there is no command outlin, did you mean "outline"\?/],
    [
      ["input.docx"],
      /there is no command input\.docx\. The commands are check, outline, edit, fill and render/,
    ],
    [
      ["fill", "input.docx", '{"a": 1}', "-o", "x.docx"],
      /fill takes the data from a file, or with - from stdin/,
    ],
    [["render", "input.docx", "-o", "x.png"], /in a folder, and x\.png is the name of a file/],
    [["render", "input.docx", "-o", "made.docx"], /in a folder, and made\.docx is a file/],
    [["check"], /check needs a document/],
    [["edit", "input.docx"], /edit needs the edits, a file or - for stdin/],
    [["edit", "input.docx", "-"], /edit needs -o/],
    [["check", "input.docx", "x"], /check takes no further word x/],
    [["check", "input.docx", "-o", "x"], /check writes nothing/],
    [["check", "input.docx", "--pages", "2"], /--pages is an option of render/],
    [
      ["edit", "input.docx", "-", "-o", "."],
      /^error\[USAGE\]: \. is a folder: name the document in it, such as input\.docx\n/,
    ],
    [["render", "input.docx", "-o", "x", "--pages", "0"], /--pages is a whole number from 1 to 1000/],
    [["check", "input.docx", "--jsno"], /unknown option '--jsno', did you mean "--json"\?/],
  ])("says what is wrong with %j", async (words, said) => {
    const ran = await run(officeBox(), words);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(said) });
  });

  it("is no agent: uwf does not offer it", async () => {
    const box = officeBox();
    const bin = join(import.meta.dirname, "../../bin");
    const ran = await box.uwf(["doctor"], { env: { PATH: `${bin}:${process.env.PATH}` } });
    expect(`${ran.stdout}${ran.stderr}`).not.toContain("uwf-agent-docx");
  });
});

/** Stand for LibreOffice and poppler: what they do is decided by FAKE. */
const SOFFICE = `#!/bin/sh
while [ $# -gt 1 ]; do [ "$1" = --outdir ] && out=$2; case $1 in -env:UserInstallation=file://*) echo "$1" ;; esac; shift; done
case $FAKE in
  hangs) sleep 600 ;;
  nothing) echo "Error: source file could not be loaded" >&2; exit 0 ;;
  calls)
    node -e 'require("net").connect(process.env.PORT, "127.0.0.1").on("error", (e) => console.log(e.code)).end("hello")' > called
    printf '%%PDF-1.7' > "$out/document.pdf" ;;
  *) printf '%%PDF-1.7' > "$out/document.pdf" ;;
esac
`;
const PDFINFO = "#!/bin/sh\nprintf 'Title: x\\nPages:          12\\n'\n";
const PDFTOPPM = `#!/bin/sh
while [ $# -gt 1 ]; do case $1 in -f) first=$2 ;; -l) last=$2 ;; esac; shift; done
for page in $(seq "$first" "$last"); do printf page > "$1-$(printf %02d "$page").png"; done
`;

function withPrograms(programs: Readonly<Record<string, string>>): Sandbox {
  const box = officeBox();
  for (const [name, text] of Object.entries(programs)) chmodSync(box.write(`bin/${name}`, text), 0o755);
  return box;
}

const CAN_UNSHARE = spawnSync("unshare", ["--user", "--map-root-user", "--net", "--", "true"]).status === 0;

const ALL = { soffice: SOFFICE, pdfinfo: PDFINFO, pdftoppm: PDFTOPPM };

describe("uwf-agent-docx render", () => {
  const render = (box: Sandbox, words: readonly string[], fake = "works", more = {}) => {
    const node = join(process.execPath, "..");
    const scratch = box.write("scratch/.keep", "").replace("/.keep", "");
    const env = {
      PATH: `${join(box.cwd, "bin")}:${node}:/usr/bin:/bin`,
      UWF_RUNTIME: "node",
      FAKE: fake,
      TMPDIR: scratch,
      ...more,
    };
    return run(box, ["render", "input.docx", "-o", "pages", ...words], "", env);
  };
  const left = (box: Sandbox) => readdirSync(join(box.cwd, "scratch")).filter((name) => name !== ".keep");

  it("draws at most so many pages, and leaves nothing behind", async () => {
    const box = withPrograms(ALL);
    const ran = await render(box, ["--pages", "2"]);
    expect(ran).toMatchObject({ code: 0, stdout: "pages/page-1.png\npages/page-2.png\n2 of 12 pages\n" });
    expect(readdirSync(join(box.cwd, "pages"))).toEqual(["page-1.png", "page-2.png"]);
    expect(left(box)).toEqual([]);
    const { stdout } = await render(box, ["--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ total: 12, pages: { length: 12 } });
  });

  it("looks for the PDF, since LibreOffice ends with 0 whatever happens", async () => {
    const box = withPrograms(ALL);
    const ran = await render(box, [], "nothing");
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(
      /LibreOffice made nothing of the document:\nError: source file could not be loaded/,
    );
    expect(left(box)).toEqual([]);
  });

  describe("makes no network request", () => {
    let requests = 0;
    const server = createServer((socket) => {
      requests++;
      socket.on("error", () => {}).end();
    });
    beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
    afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));
    const port = () => String((server.address() as AddressInfo).port);

    it.skipIf(!CAN_UNSHARE)("even if LibreOffice makes one, where users may make namespaces", async () => {
      const box = withPrograms(ALL);
      expect(await render(box, ["--pages", "1"], "calls", { PORT: port() })).toMatchObject({ code: 0 });
      expect(requests).toBe(0);
    });

    it("of a document that loads something from elsewhere: it is refused, and nothing is started", async () => {
      const outside = BAD.filter(({ code }) => code.startsWith("DOCX_EXTERNAL"));
      expect(outside.length).toBeGreaterThan(2);
      for (const { bytes, code } of outside) {
        const box = withPrograms(ALL);
        box.write("input.docx", bytes());
        const ran = await render(box, [], "calls", { PORT: port() });
        expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining(`error[${code}]`) });
        expect(existsSync(join(box.cwd, "pages"))).toBe(false);
      }
      expect(requests).toBe(0);
    });
  });

  it("has a time limit", async () => {
    const box = withPrograms(ALL);
    const ran = await render(box, ["--timeout", "1"], "hangs");
    expect(ran).toMatchObject({ code: 6, stderr: expect.stringContaining("took longer than 1 s") });
    expect(left(box)).toEqual([]);
  });

  it("says which program is missing, and how it is installed", async () => {
    const box = withPrograms({});
    // No soffice on this PATH, wherever this runs.
    const env = { PATH: join(box.cwd, "bin"), UWF_RUNTIME: "node" };
    symlinkSync(process.execPath, box.write("bin/.keep", "").replace(".keep", "node"));
    for (const name of ["sh", "readlink", "env"])
      chmodSync(box.write(`bin/${name}`, `#!/bin/sh\nexec /bin/${name} "$@"\n`), 0o755);
    const ran = await run(box, ["render", "input.docx", "-o", "pages"], "", env);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toMatch(/render: LibreOffice \(soffice\) is not on PATH\nhint: .*apt-get install/);
  });
});
