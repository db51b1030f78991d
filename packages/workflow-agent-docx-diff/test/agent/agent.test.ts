import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject } from "@uncaged/json-cas";
import { acceptChanges, openDocument, outlineOf } from "@uncaged/workflow-docx";
import { newFile, putFile, readStoredFile } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHost } from "../../../workflow-agent-kit/test/helpers/host.js";
import { readChainNode, runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { addStep, makeThread, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import { docxDiff } from "../../src/agent.js";
import { DIFFERENCE, NEW, OLD } from "../support/documents.js";
import { folder, PATH } from "../support/run.js";

const TEXT = { type: "string" };
const REF = { type: "string", format: "cas_ref" };
const ORIGINAL: JsonObject = {
  type: "object",
  properties: { sourceDocx: TEXT, modifiedDocx: TEXT, diffDocx: TEXT },
  required: ["sourceDocx", "modifiedDocx", "diffDocx"],
  additionalProperties: false,
};
const RICH: JsonObject = {
  type: "object",
  properties: {
    sourceDocx: REF,
    modifiedDocx: REF,
    diffDocx: REF,
    equal: { type: "boolean" },
    changes: { type: "integer" },
    summary: TEXT,
    diff: TEXT,
  },
  required: ["sourceDocx", "modifiedDocx", "diffDocx", "equal", "changes", "summary", "diff"],
  additionalProperties: false,
};
const WRITTEN: JsonObject = { type: "object" };

let made: TestThread;
/** Where uwf was called. */
let cwd: string;

beforeEach(async () => {
  made = await makeThread({ writer: WRITTEN, other: WRITTEN, differ: ORIGINAL, rich: RICH });
  cwd = folder();
});

afterEach(() => made.remove());

const at = (name: string): string => join(cwd, name);

/** The writer's step, as uwf has recorded it. */
async function written(output: JsonObject, role = "writer"): Promise<void> {
  head = await addStep(made, head ?? made.start, { role, meta: WRITTEN, output, reply: "" });
}

let head: TestThread["start"] | null = null;
let runs = 0;

beforeEach(() => {
  head = null;
  runs = 0;
});

const edited = (): JsonObject => ({ mode: "edit", sourceDocx: at("old.docx"), outputDocx: at("new.docx") });

async function play(role: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const host = makeHost([...args, made.thread, role], made.root, { PATH, ...env });
  const shown: string[] = [];
  const port = {
    cwd,
    newId: () => `run${++runs}`,
    stderr: (lines: string) => void shown.push(lines),
  };
  const code = await runAgent({ name: "uwf-docx-diff", run: (context) => docxDiff(context, port) }, host);
  return { code, shown, ...host.written };
}

type Played = Awaited<ReturnType<typeof play>>;

function outputOf({ out, err }: Played): JsonObject {
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}${err}`);
  const payload = made.storage.cas.get(step.value.payload.output)?.payload;
  return isObject(payload) ? (payload as JsonObject) : {};
}

function stored(ref: unknown): Buffer {
  const file = readStoredFile(made.storage.cas, String(ref));
  if (!file.ok) throw new Error(file.error.code);
  return file.value.bytes;
}

async function put(bytes: Uint8Array): Promise<string> {
  return putFile(made.storage.cas, newFile("plan.docx", Buffer.from(bytes), null));
}

function texts(bytes: Uint8Array): readonly string[] {
  const opened = openDocument(bytes);
  if (!opened.ok) throw new Error(opened.error.code);
  return outlineOf(acceptChanges(opened.value)).blocks.map(({ text }) => text);
}

/** A program as docx-diff is called. */
function program(script: string): string {
  const path = at("my-docx-diff");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

describe("uwf-docx-diff", () => {
  it("gives the original's three paths, absolute, in a folder of the run", async () => {
    await written(edited());
    const output = outputOf(await play("differ", [], { UWF_RUN: "0123456789abcdef01234567" }));
    expect(output).toEqual({
      sourceDocx: at("old.docx"),
      modifiedDocx: at("new.docx"),
      diffDocx: join(cwd, "documents", made.thread, "0123456789abcdef01234567", "diff.docx"),
    });
    expect(texts(readFileSync(String(output.diffDocx)))).toEqual(texts(NEW));
  });

  it("gives stored files and what differs, as far as the role's meta declares it", async () => {
    await written(edited());
    const output = outputOf(await play("rich"));
    expect(output).toMatchObject({
      equal: false,
      changes: 4,
      summary: "2 blocks changed, 1 inserted, 1 deleted",
    });
    expect(`${output.diff}\n${output.summary}\n`).toBe(DIFFERENCE);
    expect(stored(output.sourceDocx).equals(OLD)).toBe(true);
    expect(stored(output.modifiedDocx).equals(NEW)).toBe(true);
    expect(texts(stored(output.diffDocx))).toEqual(texts(NEW));
  });

  it("reads stored files, and gives their hashes or paths", async () => {
    const [source, modified] = [await put(OLD), await put(NEW)];
    await written({ ok: true, mode: "edit", sourceDocx: source, outputDocx: modified });
    expect(outputOf(await play("rich"))).toMatchObject({ sourceDocx: source, modifiedDocx: modified });
    const paths = outputOf(await play("differ"));
    expect(readFileSync(String(paths.sourceDocx)).equals(OLD)).toBe(true);
    expect(readFileSync(String(paths.modifiedDocx)).equals(NEW)).toBe(true);
  });

  it("says so when nothing differs", async () => {
    await written({ ...edited(), sourceDocx: at("new.docx") });
    expect(outputOf(await play("rich"))).toMatchObject({
      equal: true,
      changes: 0,
      summary: "no difference",
      diff: "",
    });
  });

  it("takes the newest step with a document, or the newest one of a named role", async () => {
    await written({ ...edited(), sourceDocx: at("new.docx") });
    await written(edited(), "other");
    await written({ approved: true }, "other");
    expect(outputOf(await play("rich"))).toMatchObject({ equal: false });
    expect(outputOf(await play("rich", ["--writer", "writer"]))).toMatchObject({ equal: true });
  });

  it("gives two runs the same reply but for their folders", async () => {
    await written(edited());
    const [one, other] = [
      outputOf(await play("rich")),
      outputOf(await play("rich", ["--output-dir", "out"])),
    ];
    expect(other).toEqual(one);
    expect(readdirSync(at("out"))).toEqual([made.thread]);
  });
});

describe("uwf-docx-diff --command", () => {
  it("calls a program as docx-diff is called, and takes its document and its word", async () => {
    await written(edited());
    const path = program('echo "$@" > "$(dirname "$8")/line"; cp "$4" "$8"; exit 0');
    const output = outputOf(await play("rich", ["--command", path, "--", "a", "b"]));
    expect(output).toMatchObject({ equal: true, changes: 4 });
    expect(stored(output.diffDocx).equals(NEW)).toBe(true);
    const runFolder = join(cwd, "documents", made.thread, "run1");
    expect(readFileSync(join(runFolder, "line"), "utf8")).toBe(
      `a b ${join(runFolder, "source.docx")} ${join(runFolder, "modified.docx")} --output docx --out-file ${join(runFolder, "diff.docx")}\n`,
    );
  });

  it("works with docx-diff itself", async () => {
    await written(edited());
    const output = outputOf(await play("rich", ["--command", "docx-diff"], { UWF_RUNTIME: "node" }));
    expect(output).toMatchObject({ equal: false });
    expect(texts(stored(output.diffDocx))).toEqual(texts(NEW));
  });
});

describe("what fails, each in its own way", () => {
  async function failed(args: readonly string[] = [], role = "differ"): Promise<string> {
    const { code, out, err } = await play(role, args);
    expect(out).toBe("");
    expect(err).toMatch(/\nhint: .+/);
    return `${code} ${err.replaceAll(cwd, "…").split("\nhint: ")[0]}`;
  }

  it("no step of a writer", async () => {
    expect(await failed()).toBe(
      "4 error[INVALID_INPUT]: the documents to compare: no step before it has an outputDocx",
    );
    await written(edited());
    expect(await failed(["--writer", "editor"])).toBe(
      "4 error[INVALID_INPUT]: the documents to compare: there is no step of the role editor before it",
    );
  });

  it("a writer that has not edited, or has made nothing", async () => {
    await written({ mode: "generate", sourceDocx: null, outputDocx: at("new.docx") });
    expect(await failed()).toBe(
      "4 error[INVALID_INPUT]: the documents to compare: step 1, writer, has not edited a document: its mode is generate",
    );
    await written({ sourceDocx: null, outputDocx: at("new.docx") });
    expect(await failed()).toContain("step 2, writer, has not edited a document: it names no sourceDocx");
    await written({ ok: false, mode: "edit", sourceDocx: null, outputDocx: null });
    expect(await failed()).toContain("step 3, writer, has made no document");
  });

  it("a document that is not there, or is none", async () => {
    await written({ ...edited(), sourceDocx: at("lost.docx") });
    expect(await failed()).toBe(
      "3 error[FILE_NOT_FOUND]: cannot read …/lost.docx: no such file or directory",
    );
    writeFileSync(at("text.docx"), "no zip");
    await written({ ...edited(), outputDocx: at("text.docx") });
    expect(await failed()).toBe(
      "4 error[INVALID_INPUT]: …/text.docx: this is no .docx file: it is no zip (DOCX_NOT_ZIP)",
    );
    await written({ ...edited(), outputDocx: await put(Buffer.from("no zip")) });
    expect(await failed()).toMatch(
      /^4 error\[INVALID_INPUT\]: plan\.docx \(\w{13}\): this is no \.docx file/,
    );
    await written({ ...edited(), outputDocx: "0123456789ABC" });
    expect(await failed()).toMatch(/^3 error\[NODE_MISSING\]/);
  });

  it("a folder that cannot be made", async () => {
    await written(edited());
    expect(await failed(["--output-dir", "old.docx"])).toMatch(
      /^74 error\[IO_FAILED\]: cannot write …\/old\.docx/,
    );
  });

  it.each([
    [["--outputdir", "x"], `unknown option '--outputdir', did you mean "--output-dir"?`],
    [["--writer", ""], "--writer needs a value"],
    [
      ["--timeout", "5"],
      "without --command there is no program that --timeout or words after -- could be for",
    ],
    [
      ["--command", "x", "--timeout", "soon"],
      '--timeout is a number of seconds from 1 to 2147483, not "soon"',
    ],
  ])("a line such as %j", async (args, reason) => {
    expect(await failed(args)).toBe(`2 error[USAGE]: ${reason}`);
  });

  it("a program that is not there, or cannot be started", async () => {
    await written(edited());
    expect(await failed(["--command", "nowhere-diff"])).toMatch(
      /^4 error\[AGENT_NOT_FOUND\]: agent nowhere-diff/,
    );
    writeFileSync(at("plain"), "#!/bin/sh\n", { mode: 0o644 });
    expect(await failed(["--command", "./plain"])).toMatch(
      /^4 error\[AGENT_NOT_STARTABLE\]: agent \.\/plain/,
    );
  });

  it("a program that fails: its exit code and what it said", async () => {
    await written(edited());
    program('echo "no licence" >&2; exit 2');
    expect(await failed(["--command", "./my-docx-diff"])).toBe(
      "6 error[AGENT_FAILED]: ./my-docx-diff exited with 2 as differ:\nno licence",
    );
    program("kill -9 $$");
    expect(await failed(["--command", "./my-docx-diff"])).toBe(
      "6 error[AGENT_FAILED]: ./my-docx-diff was ended by SIGKILL as differ, and wrote nothing to stderr",
    );
  });

  it("a program that takes too long", async () => {
    await written(edited());
    program("sleep 600");
    expect(await failed(["--command", "./my-docx-diff", "--timeout", "1"])).toBe(
      "6 error[AGENT_FAILED]: ./my-docx-diff was ended after 1 s as differ, and wrote nothing to stderr",
    );
  });

  it("a program that leaves no document", async () => {
    await written(edited());
    program("exit 1");
    expect(await failed(["--command", "./my-docx-diff"])).toMatch(
      /^6 error\[AGENT_FAILED\]: \.\/my-docx-diff as differ exited with 1, but there is no file …\/documents\/\w+\/run1\/diff\.docx$/,
    );
    program('echo text > "$6"');
    expect(await failed(["--command", "./my-docx-diff"])).toContain(
      "diff.docx cannot be read as a document: this is no .docx file: it is no zip (DOCX_NOT_ZIP)",
    );
  });

  it("and leaves the documents as they were", async () => {
    mkdirSync(at("kept"));
    await written(edited());
    await play("rich");
    expect(readFileSync(at("old.docx")).equals(OLD)).toBe(true);
    expect(readFileSync(at("new.docx")).equals(NEW)).toBe(true);
    expect(existsSync(at("kept"))).toBe(true);
  });
});
