import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, RUNTIMES, type StepDoc, sandbox } from "../../../cli-workflow/test/support/uwf.js";
import { fileOf } from "../../../workflow-docx/test/support/document.js";
import {
  DIFF,
  documentOf,
  EXAMPLES,
  EXEC,
  OFFICE,
  officeBox,
  type Sandbox,
  textsOf,
} from "../support/office.js";

type Replies = { readonly writer: readonly unknown[]; readonly reviewer: readonly unknown[] };

/** By their roles. */
type Agents = Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;

const APPROVED = { approved: true, comments: "" };
const MORE = { approved: false, comments: "Until when?" };

/** The configuration of the example: two programs, and a mock for the two roles of a model. */
function configure(box: Sandbox, replies: Replies, others: Agents): void {
  const entries = (outputs: readonly unknown[]) =>
    outputs.map((output) => ({ reply: `---\n${JSON.stringify(output)}\n---\nDone.` }));
  const roles = { writer: entries(replies.writer), reviewer: entries(replies.reviewer) };
  const scenario = box.write("replies.json", JSON.stringify({ roles }));
  const agents = {
    model: { command: MOCK, args: ["--scenario", scenario] },
    builder: { command: OFFICE, args: ["--apply"] },
    differ: { command: DIFF, args: [] },
    ...others,
  };
  const names = ["builder", "differ", ...Object.keys(others)];
  const agentOverrides = { "write-report": Object.fromEntries(names.map((name) => [name, name])) };
  const config = JSON.stringify({ agents, agentOverrides, defaultAgent: "model" });
  box.write(join(box.root, "config.yaml"), config);
}

async function ran(box: Sandbox, prompt: string, replies: Replies, others: Agents = {}) {
  configure(box, replies, others);
  await box.prepare(["workflow", "put", join(EXAMPLES, "write-report.yaml")]);
  const { thread } = await box.json(["thread", "start", "write-report", "-p", prompt]);
  const { code, stderr } = await box.uwf(["thread", "run", thread]);
  const { steps } = await box.json(["thread", "steps", thread]);
  return { thread, code, stderr, steps: steps.slice(1) };
}

const rolesOf = (steps: readonly StepDoc[]) => steps.map(({ role }) => role).join(" ");

async function stored(box: Sandbox, reference: unknown): Promise<readonly string[]> {
  await box.json(["cas", "file", "get", String(reference), "-o", "got.docx", "--force"]);
  return textsOf(readFileSync(join(box.cwd, "got.docx")));
}

const EDIT = JSON.stringify({ prompt: "One apple more, and until when it holds", inputDocx: "input.docx" });

describe("examples/write-report.yaml", () => {
  it.each(RUNTIMES)("edits a document until the reviewer approves, on %s", async (runtime) => {
    const box = officeBox(runtime);
    const replace = { op: "replaceText", expect: "We have…", find: "three", text: "four" };
    const { thread, code, steps } = await ran(box, EDIT, {
      writer: [
        { edits: [{ ...replace, block: 9 }] },
        { edits: [{ ...replace, block: 1 }] },
        { edits: [{ op: "insertAfter", block: 1, expect: "We have four…", text: "Until Friday." }] },
      ],
      reviewer: [MORE, APPROVED],
    });
    expect(code).toBe(0);
    expect(rolesOf(steps)).toBe(
      "builder writer builder writer builder differ reviewer writer builder differ reviewer",
    );
    const [looked, , refused, , built, differed, , , again, last] = steps;
    const outline = expect.stringMatching(/^1 paragraph: We have three apples\.\nstyles: .*Heading1/);
    const nothing = { sourceDocx: null, outputDocx: null, outline };
    expect(looked?.output).toEqual({ ok: true, mode: "edit", ...nothing, problem: null });
    const problem = expect.stringContaining("there is no block 9; the document has blocks 1 to 1");
    expect(refused?.output).toEqual({ ok: false, mode: "edit", ...nothing, problem });
    expect(await stored(box, built?.output.sourceDocx)).toEqual(["We have three apples."]);
    expect(await stored(box, built?.output.outputDocx)).toEqual(["We have four apples."]);
    expect(differed?.output).toMatchObject({ equal: false, changes: 1 });
    expect(differed?.output.diff).toContain("[-three-]{+four+}");
    // The second round edits the document of the first, and is compared with that of the task.
    expect(again?.output).toMatchObject({ sourceDocx: built?.output.sourceDocx, mode: "edit" });
    expect(await stored(box, again?.output.outputDocx)).toEqual(["We have four apples.", "Until Friday."]);
    expect(last?.output).toMatchObject({ changes: 2 });

    // The documents are sound, stay, and go along with the thread.
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
    await box.json(["cas", "gc", "--grace", "0s", "--yes"]);
    await box.json(["cas", "export", thread, "-o", "thread.jsonl"]);
    const other = sandbox(runtime);
    await other.json(["cas", "import", join(box.cwd, "thread.jsonl")]);
    const there = await other.json(["thread", "steps", thread]);
    const final = there.steps.at(-2)?.output ?? {};
    expect(await stored(other, final.modifiedDocx)).toEqual(["We have four apples.", "Until Friday."]);
    expect(await stored(other, final.sourceDocx)).toEqual(["We have three apples."]);
    expect(await stored(other, final.diffDocx)).toHaveLength(2);
    expect(await other.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
    const file = await other.json(["cas", "get", String(final.modifiedDocx)]);
    expect(file.payload).toMatchObject({
      name: "output.docx",
      mediaType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    });
  });

  it("shows the reviewer what has changed", async () => {
    const box = officeBox();
    const shows = `cat > prompt; printf 'approved: true\ncomments: ""\n' > "$UWF_OUTPUT"`;
    const reviewer = { command: EXEC, args: ["--", "sh", "-c", shows] };
    const change = { op: "setText", block: 1, expect: "We have…", text: "We have four apples." };
    const { code } = await ran(
      box,
      EDIT,
      { writer: [{ edits: [change] }], reviewer: [APPROVED] },
      { reviewer },
    );
    expect(code).toBe(0);
    const prompt = readFileSync(join(box.cwd, "prompt"), "utf8");
    expect(prompt).toContain("One apple more, and until when it holds");
    expect(prompt).toContain("[-three-]{+four+}");
  });

  it("makes a new document, which has nothing to be compared with, and edits that one", async () => {
    const box = officeBox();
    const { code, steps } = await ran(box, "An offer", {
      writer: [
        {
          blocks: [
            { kind: "heading", level: 1, text: "Offer" },
            {
              kind: "table",
              header: true,
              rows: [
                ["What", "Price"],
                ["chair", "20"],
              ],
            },
          ],
          // Models like to give the other fields too.
          data: {},
        },
        { edits: [{ op: "setCell", block: 2, expect: "20", row: 2, column: 2, text: "25" }] },
      ],
      reviewer: [MORE, APPROVED],
    });
    expect(code).toBe(0);
    expect(rolesOf(steps)).toBe("builder writer builder reviewer writer builder reviewer");
    expect(steps[0]?.output).toEqual({
      ok: true,
      mode: "generate",
      sourceDocx: null,
      outputDocx: null,
      outline: "",
      problem: null,
    });
    expect(steps[5]?.output).toMatchObject({ ok: true, mode: "generate", sourceDocx: null });
    expect(steps[5]?.output.outline).toMatch(
      /^1 heading 1: Offer\n2 table.*:\n {2}row 1: What \| Price\n {2}row 2: chair \| 25\n/,
    );
  });

  it("fills a template, and says what data it wants", async () => {
    const box = officeBox();
    box.write("template.docx", documentOf("For {customer}."));
    const prompt = JSON.stringify({ prompt: "For Ada", inputDocx: "template.docx" });
    const { code, steps } = await ran(box, prompt, {
      writer: [{ data: { name: "Ada" } }, { data: { customer: "Ada" } }],
      reviewer: [APPROVED],
    });
    expect(code).toBe(0);
    expect(rolesOf(steps)).toBe("builder writer builder writer builder reviewer");
    expect(steps[2]?.output).toMatchObject({ ok: false, problem: expect.stringContaining("{customer}") });
    expect(await stored(box, steps[4]?.output.outputDocx)).toEqual(["For Ada."]);
    expect(steps[4]?.output).toMatchObject({ mode: "generate", sourceDocx: null });
  });

  it("gives up after three refusals, each with its reason", async () => {
    const box = officeBox();
    const block = { kind: "paragraph", text: "x" };
    const { code, steps } = await ran(box, "An offer", {
      writer: [
        { data: { a: 1 } },
        { edits: [{ op: "delete", block: 1, expect: "x" }] },
        { blocks: [block], data: { a: 1 } },
      ],
      reviewer: [APPROVED],
    });
    expect(code).toBe(10);
    expect(steps.filter(({ role }) => role === "builder").map(({ output }) => output.problem)).toEqual([
      null,
      "data fill a template, and the task names no document: give blocks",
      "there is no document to edit yet: give blocks",
      "the last step gives both blocks and data; one is wanted",
    ]);
  });

  it("stores a document of more than 16 MiB in chunks", async () => {
    const box = officeBox();
    // Bytes that cannot be packed.
    const picture = Buffer.alloc(17 * 1024 * 1024);
    for (let at = 0, seed = 1; at < picture.length; at += 4) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      picture.writeUInt32LE(seed, at);
    }
    const file = fileOf("<w:p><w:r><w:t>We have three apples.</w:t></w:r></w:p>", {
      parts: { "word/media/image1.png": picture },
    });
    box.write("input.docx", file);
    const { code, steps } = await ran(box, EDIT, {
      writer: [{ edits: [{ op: "setText", block: 1, expect: "We have…", text: "We have four apples." }] }],
      reviewer: [APPROVED],
    });
    expect(code).toBe(0);
    const { outputDocx } = steps[2]?.output ?? {};
    expect((await box.json(["cas", "get", String(outputDocx)])).payload.chunks).toHaveLength(5);
    expect(await stored(box, outputDocx)).toEqual(["We have four apples."]);
    expect(steps[3]?.output).toMatchObject({ changes: 1 });
  });
});
