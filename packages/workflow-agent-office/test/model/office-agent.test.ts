import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { RUNTIMES, type Runtime } from "../../../cli-workflow/test/support/uwf.js";
import {
  type FakeLlm,
  fails,
  type Move,
  says,
  startLlm,
} from "../../../workflow-agent-llm/test/helpers/fake-llm.js";
import { BIN, EXAMPLES, OFFICE, officeBox, runBin, type Sandbox, textsOf } from "../support/office.js";

const KEY = "sk-test-0123456789abcdef";

const BLOCKS = [
  { kind: "heading", level: 1, text: "Offer" },
  { kind: "paragraph", text: "We have **four** apples." },
];
const CREATED = says(`Here it is:\n\`\`\`json\n${JSON.stringify({ blocks: BLOCKS })}\n\`\`\``);

const edit = (block: number) => ({
  op: "replaceText",
  block,
  expect: "We have…",
  find: "three",
  text: "four",
});
const edits = (...all: readonly unknown[]): Move => says(JSON.stringify({ edits: all }));

let llm: FakeLlm | null = null;

afterEach(async () => {
  await llm?.close();
  llm = null;
});

/** A sandbox whose config.yaml names a model on the loopback that makes these moves. */
async function boxWith(moves: readonly Move[], runtime?: Runtime): Promise<Sandbox> {
  const box = officeBox(runtime);
  llm = await startLlm(moves);
  const providers = { fake: { baseUrl: llm.baseUrl, apiKeyEnv: "FAKE_API_KEY" } };
  const models = {
    small: { provider: "fake", name: "small-1" },
    large: { provider: "fake", name: "large-1" },
  };
  const config = { providers, models, agents: {}, defaultAgent: null, defaultModel: "small" };
  box.write(join(box.root, "config.yaml"), JSON.stringify(config));
  writeFileSync(join(box.root, ".env"), `FAKE_API_KEY=${KEY}\n`, { mode: 0o600 });
  return box;
}

const texts = (box: Sandbox, name: string) => textsOf(readFileSync(join(box.cwd, name)));

describe("office-agent create", () => {
  it("makes a document of the model's blocks", async () => {
    const box = await boxWith([CREATED]);
    const ran = await runBin(box, "office-agent", ["create", "- An offer", "-o", "new.docx"]);
    expect(ran).toMatchObject({ code: 0, stdout: "wrote new.docx: 2 blocks\n", stderr: "" });
    expect(texts(box, "new.docx")).toEqual(["Offer", "We have four apples."]);
    const [request] = llm?.requests ?? [];
    expect(request).toMatchObject({ authorization: `Bearer ${KEY}`, body: { model: "small-1" } });
    expect(request?.body.messages.at(-1)).toEqual({ role: "user", content: "- An offer" });
  });

  it("sends an answer that cannot be used back once, with what is wrong", async () => {
    const wrong = says(JSON.stringify({ blocks: [{ kind: "heading", level: 9, text: "Offer" }] }));
    const box = await boxWith([wrong, CREATED]);
    const words = ["--model", "large", "create", "An offer", "-o", "new.docx"];
    expect(await runBin(box, "office-agent", words)).toMatchObject({ code: 0 });
    const [, second] = llm?.requests ?? [];
    expect(second?.body.model).toBe("large-1");
    expect(second?.body.messages).toHaveLength(4);
    expect(second?.body.messages.at(-1)?.content).toMatch(
      /^That cannot be used:\nblock 1 cannot be understood/,
    );
  });

  it("says in a file what it has used, if one is named, also when nothing comes of it", async () => {
    const box = await boxWith([says("I cannot do that.")]);
    const file = join(box.cwd, "used.json");
    const words = ["create", "An offer", "-o", "new.docx"];
    const env = { UWF_OFFICE_USAGE: file };
    expect(await runBin(box, "office-agent", words, { env })).toMatchObject({ code: 6 });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      model: "small-1",
      inputTokens: 20,
      outputTokens: 6,
    });
  });

  it("refuses a folder for the document before a model is asked", async () => {
    const box = await boxWith([CREATED]);
    mkdirSync(join(box.cwd, "out"));
    const ran = await runBin(box, "office-agent", ["edit", "input.docx", "Shorter", "-o", "out"]);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      "error[USAGE]: out is a folder: name the document in it, such as out/input.docx\nhint: `office-agent --help` has examples\n",
    ]);
    expect(llm?.requests).toEqual([]);
  });

  it("fails after the second such answer, and writes nothing", async () => {
    const box = await boxWith([says("I cannot do that.")]);
    const ran = await runBin(box, "office-agent", ["create", "An offer", "-o", "new.docx"]);
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error\[AGENT_FAILED\]: the answer of model small cannot be used:\n {2}the answer holds no JSON object\nhint: /,
    );
    expect(llm?.requests).toHaveLength(2);
    expect(existsSync(join(box.cwd, "new.docx"))).toBe(false);
  });
});

describe("office-agent edit", () => {
  it("edits a file in its place by the model's edits of the outline", async () => {
    const box = await boxWith([edits(edit(1))]);
    const ran = await runBin(box, "office-agent", ["edit", "input.docx", "One more"]);
    expect(ran).toMatchObject({ code: 0, stdout: "wrote input.docx: 1 block\n" });
    expect(texts(box, "input.docx")).toEqual(["We have four apples."]);
    const content = llm?.requests[0]?.body.messages.at(-1)?.content;
    expect(content).toMatch(/^<outline>\n1 paragraph: We have three apples\.\nstyles: .*\n<\/outline>/);
    expect(content).toContain("<instruction>\nOne more\n</instruction>");
  });

  it("lets the model correct an edit that is refused", async () => {
    const box = await boxWith([edits(edit(7)), edits(edit(1))]);
    const ran = await runBin(box, "office-agent", ["edit", "input.docx", "One more", "-o", "new.docx"]);
    expect(ran).toMatchObject({ code: 0 });
    expect(texts(box, "new.docx")).toEqual(["We have four apples."]);
    expect(texts(box, "input.docx")).toEqual(["We have three apples."]);
    const problem = llm?.requests[1]?.body.messages.at(-1)?.content;
    expect(problem).toContain("there is no block 7; the document has blocks 1 to 1");
  });

  it("asks no model about a file that is not a document", async () => {
    const box = await boxWith([CREATED]);
    const ran = await runBin(box, "office-agent", ["edit", "somebodys-agent", "x"]);
    expect(ran).toMatchObject({ code: 4, stderr: expect.stringContaining("error[DOCX_NOT_ZIP]") });
    expect(await runBin(box, "office-agent", ["edit", "none.docx", "x"])).toMatchObject({ code: 3 });
    expect(llm?.requests).toEqual([]);
  });
});

describe("office-agent says what is wrong", () => {
  const create = ["create", "An offer", "-o", "new.docx"];

  it("without a model or its key", async () => {
    const box = officeBox();
    const none = await runBin(box, "office-agent", create);
    expect(none.code).toBe(4);
    expect(none.stderr).toMatch(
      /^error\[INVALID_INPUT\]: the model: there is no config.yaml; `uwf setup --help`/,
    );
    const other = await boxWith([CREATED]);
    writeFileSync(join(other.root, ".env"), "", { mode: 0o600 });
    const keyless = await runBin(other, "office-agent", create);
    expect(keyless).toMatchObject({ code: 4, stderr: expect.stringContaining("FAKE_API_KEY is not set") });
    const unknown = await runBin(other, "office-agent", [...create, "--model", "huge"]);
    expect(unknown).toMatchObject({ code: 4, stderr: expect.stringContaining("has no model huge") });
  });

  it("of a model that fails, without its key", async () => {
    const box = await boxWith([fails(401, { message: `Incorrect API key provided: ${KEY}` })]);
    const ran = await runBin(box, "office-agent", create, { env: { UWF_ERROR_FORMAT: "json" } });
    expect(ran.code).toBe(6);
    const { code, message, data } = JSON.parse(ran.stderr);
    expect({ code, reason: data.reason }).toEqual({ code: "AGENT_FAILED", reason: "auth" });
    expect(message).toContain("model small failed: HTTP 401");
    expect(ran.stderr).not.toContain(KEY);
  });

  it.each<[readonly string[], RegExp]>([
    [[], /create or edit\?/],
    [["make", "x"], /create or edit\? make is neither/],
    [["create"], /create needs a prompt/],
    [["create", "An offer"], /create needs -o/],
    [["edit", "input.docx"], /edit needs a file and an instruction/],
    [["create", "x", "-o", "y", "--modle", "z"], /unknown option '--modle'/],
    [["create", "x", "-o", "y", "--timeout", "soon"], /--timeout is a number of seconds/],
  ])("of the words %j", async (words, said) => {
    const ran = await runBin(officeBox(), "office-agent", words);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(said) });
  });
});

describe("examples/document.yaml", () => {
  it.each(RUNTIMES)("is done by our own programs with a model on 127.0.0.1, on %s", async (runtime) => {
    const box = await boxWith([edits(edit(1))], runtime);
    await box.json(["workflow", "put", join(EXAMPLES, "document.yaml")]);
    const prompt = JSON.stringify({ prompt: "One more", inputDocx: "input.docx" });
    const { thread } = await box.json(["thread", "start", "document", "-p", prompt]);
    const differ = join(BIN, "../../workflow-agent-docx-diff/bin/uwf-docx-diff");
    const agents = [
      "--agent",
      `writer='${OFFICE}' --command '${BIN}/office-agent'`,
      "--agent",
      `differ=${differ}`,
    ];
    const ran = await box.uwf(["thread", "run", thread, ...agents]);
    expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
    const { steps } = await box.json(["thread", "steps", thread]);
    const output = steps.at(-1)?.output ?? {};
    expect(textsOf(readFileSync(String(output.sourceDocx)))).toEqual(["We have three apples."]);
    expect(textsOf(readFileSync(String(output.modifiedDocx)))).toEqual(["We have four apples."]);
    expect(existsSync(String(output.diffDocx))).toBe(true);
    const used = await box.uwf(["thread", "usage", thread, "--format", "json"]);
    expect(JSON.parse(used.stdout).total).toMatchObject({ inputTokens: 10, outputTokens: 3 });
  });

  it("counts what a run has used that failed, and names its model", async () => {
    const box = await boxWith([says("No."), says("Never."), CREATED]);
    await box.json(["workflow", "put", join(EXAMPLES, "document.yaml")]);
    const { thread } = await box.json(["thread", "start", "document", "-p", "An offer"]);
    const step = ["thread", "step", thread, "--agent", `'${OFFICE}' --command '${BIN}/office-agent'`];
    expect((await box.uwf(step)).code).toBe(6);
    expect((await box.uwf(step)).code).toBe(0);
    const used = await box.uwf(["thread", "usage", thread, "--format", "json"]);
    expect(JSON.parse(used.stdout).total).toMatchObject({ inputTokens: 30, outputTokens: 9 });
    expect(used.stdout).toContain('"small-1"');
  });

  it("shows what our own program says when it has no model", async () => {
    const box = officeBox();
    await box.json(["workflow", "put", join(EXAMPLES, "document.yaml")]);
    const { thread } = await box.json(["thread", "start", "document", "-p", "An offer"]);
    const agent = `'${OFFICE}' --command '${BIN}/office-agent'`;
    const ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(
      /office-agent exited with 4 as writer:\nerror\[INVALID_INPUT\]: the model: there is no config/,
    );
  });
});
