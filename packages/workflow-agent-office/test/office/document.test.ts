import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { RUNTIMES } from "../../../cli-workflow/test/support/uwf.js";
import {
  agentThat,
  documentOf,
  EXAMPLES,
  OFFICE,
  officeBox,
  runBin,
  runsOf,
  type Sandbox,
} from "../support/office.js";

const EDIT = JSON.stringify({ prompt: "One apple more", inputDocx: "input.docx" });

async function started(box: Sandbox, prompt: string): Promise<string> {
  await box.prepare(["workflow", "put", join(EXAMPLES, "document.yaml")]);
  return (await box.prepare(["thread", "start", "document", "-p", prompt])).thread;
}

const step = (box: Sandbox, thread: string, agent: string, env: Readonly<Record<string, string>> = {}) =>
  box.uwf(["thread", "step", thread, "--agent", agent], { env });

async function lastOutput(box: Sandbox, thread: string) {
  const { steps } = await box.json(["thread", "steps", thread]);
  return steps.at(-1)?.output ?? {};
}

describe("the writer of examples/document.yaml", () => {
  it.each(RUNTIMES)("has a new document made in a folder of the run, on %s", async (runtime) => {
    const box = officeBox(runtime);
    const thread = await started(box, "An offer for apples");
    const ran = await step(box, thread, agentThat("works"));
    expect({ code: ran.code, ...JSON.parse(ran.stdout) }).toMatchObject({ code: 0, done: true });
    const [folder = "", ...more] = runsOf(box, thread);
    expect(more).toEqual([]);
    const outputDocx = join(folder, "output.docx");
    expect(await lastOutput(box, thread)).toEqual({ mode: "generate", outputDocx, sourceDocx: null });
    expect(readFileSync(outputDocx)).toEqual(readFileSync(join(box.cwd, "made.docx")));
    const called = readFileSync(join(box.cwd, "called"), "utf8");
    expect(called).toBe(`${folder}\ncreate\nAn offer for apples\n-o\noutput.docx\n`);
  });

  it("has a copy of the input edited, and keeps the input as it was", async () => {
    const box = officeBox();
    const thread = await started(box, EDIT);
    expect(await step(box, thread, agentThat("works", "--output-dir out/docs"))).toMatchObject({ code: 0 });
    const { mode, sourceDocx, outputDocx } = await lastOutput(box, thread);
    expect({ mode, sourceDocx, outputDocx }).toEqual({
      mode: "edit",
      sourceDocx: expect.stringMatching(`^${box.cwd}/out/docs/${thread}/[0-9a-f]+/original.docx$`),
      outputDocx: expect.stringMatching(/\/modified\.docx$/),
    });
    const input = documentOf("We have three apples.");
    expect(readFileSync(join(box.cwd, "input.docx")).equals(input)).toBe(true);
    expect(readFileSync(String(sourceDocx)).equals(input)).toBe(true);
    expect(statSync(String(sourceDocx)).mode & 0o222).toBe(0);
    expect(readFileSync(String(outputDocx)).equals(documentOf("We have four apples."))).toBe(true);
    expect(readFileSync(join(box.cwd, "called"), "utf8")).toMatch(/\nedit\nmodified.docx\nOne apple more\n$/);
  });

  it("takes a stored file as the input", async () => {
    const box = officeBox();
    const { hash } = await box.json(["cas", "file", "put", "input.docx"]);
    const thread = await started(box, JSON.stringify({ prompt: "One more", inputDocx: hash }));
    expect(await step(box, thread, agentThat("works"))).toMatchObject({ code: 0 });
    expect(await lastOutput(box, thread)).toMatchObject({ mode: "edit" });
  });

  it("records the command in the step's trace", async () => {
    const box = officeBox();
    const thread = await started(box, "An offer");
    await step(box, thread, agentThat("works"));
    const { steps } = await box.json(["thread", "steps", thread]);
    const details = await box.uwf(["thread", "step-details", steps.at(-1)?.hash ?? "", "--format", "json"]);
    const [turn] = JSON.parse(details.stdout).turns;
    expect(turn.toolCalls[0]).toMatchObject({ name: "exec" });
    expect(turn.toolCalls[0].arguments.text).toContain('["./somebodys-agent","works","create","An offer"');
  });

  const cases: readonly (readonly [
    what: string,
    agent: string,
    prompt: string,
    code: number,
    said: RegExp,
  ])[] = [
    [
      "an exit code, with what the program said",
      agentThat("fails"),
      "Write",
      6,
      /^error\[AGENT_FAILED\]: \.\/somebodys-agent exited with 3 as writer:\nno licence left\nhint: /m,
    ],
    [
      "a program that hangs",
      agentThat("hangs", "--timeout 1"),
      "Write",
      6,
      /\.\/somebodys-agent was ended after 1 s as writer/,
    ],
    ["a program that dies", agentThat("dies"), "Write", 6, /was ended by SIGKILL as writer/],
    [
      "a program that is not there",
      `'${OFFICE}' --command no-such-program`,
      "Write",
      4,
      /error\[AGENT_REFUSED\]: .*: agent no-such-program was not found on PATH/,
    ],
    [
      "a program that writes nothing",
      agentThat("writes-nothing"),
      "Write",
      6,
      /as writer exited with 0, but there is no file \/.*\/output\.docx: it does not exist/,
    ],
    [
      "a program that removes the copy",
      agentThat("writes-nothing"),
      EDIT,
      6,
      /there is no file \/.*\/modified\.docx/,
    ],
    [
      "a program that writes no document",
      agentThat("writes-text"),
      "Write",
      6,
      /wrote no Word document: .*\/output\.docx: .*no zip \(DOCX_NOT_ZIP\)/,
    ],
    [
      "a program that changes the original",
      agentThat("spoils-the-original"),
      EDIT,
      6,
      /changed original\.docx in \/.*, which has to stay as it was/,
    ],
    [
      "an input that is not there",
      agentThat("works"),
      JSON.stringify({ prompt: "x", inputDocx: "none.docx" }),
      4,
      /cannot work as writer: cannot read \/.*\/none\.docx: it does not exist/,
    ],
    [
      "an input that is no document",
      agentThat("works"),
      JSON.stringify({ prompt: "x", inputDocx: "somebodys-agent" }),
      4,
      /cannot work as writer: .*somebodys-agent: this is no \.docx file: it is no zip \(DOCX_NOT_ZIP\)/,
    ],
    [
      "a prompt that is half JSON",
      agentThat("works"),
      '{"prompt": "x",',
      4,
      /it begins with \{ and is no JSON: /,
    ],
    ["a prompt with a mistyped field", agentThat("works"), '{"promt": "x"}', 4, /it has a field "promt"/],
    ["a prompt without words", agentThat("works"), '{"prompt": " "}', 4, /its field prompt is not a text/],
    [
      "a wrong option",
      `'${OFFICE}' --comand x`,
      "Write",
      4,
      /unknown option '--comand', did you mean "--command"\?/,
    ],
  ];

  it.each(cases)("fails with a sentence of its own: %s", async (_, agent, prompt, code, said) => {
    const box = officeBox();
    const thread = await started(box, prompt);
    const ran = await step(box, thread, agent);
    expect(ran.stderr).toMatch(said);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(1);
  });

  it("makes and starts nothing for an input that is no document", async () => {
    const box = officeBox();
    const thread = await started(box, JSON.stringify({ prompt: "x", inputDocx: "called" }));
    box.write("called", "");
    await step(box, thread, agentThat("works"));
    expect(existsSync(join(box.cwd, "documents"))).toBe(false);
    expect(readFileSync(join(box.cwd, "called"), "utf8")).toBe("");
  });

  it("has another folder for each run, so that a retry sees nothing of the failed one", async () => {
    const box = officeBox();
    const thread = await started(box, "Write");
    expect(await step(box, thread, agentThat("writes-text"))).toMatchObject({ code: 6 });
    expect(await step(box, thread, agentThat("works"))).toMatchObject({ code: 0 });
    expect(runsOf(box, thread)).toHaveLength(2);
  });

  it("says where it cannot write", async () => {
    const box = officeBox();
    const thread = await started(box, "Write");
    box.write("file", "");
    const ran = await step(box, thread, agentThat("works", "--output-dir file"));
    expect(ran.code).toBe(74);
    expect(ran.stderr).toContain(`cannot write ${box.cwd}/file`);
  });

  it("passes no key of .env on to the program", async () => {
    const box = officeBox();
    const thread = await started(box, "Write");
    writeFileSync(join(box.root, ".env"), "MODEL_KEY=abcdefgh-1\n", { mode: 0o600 });
    chmodSync(box.write("shows", '#!/bin/sh\necho "[$MODEL_KEY]" >&2\nexit 1\n'), 0o755);
    const ran = await step(box, thread, `'${OFFICE}' --command ./shows`);
    expect(ran.stderr).toContain("exited with 1 as writer:\n[]\n");
  });
});

describe("uwf-office", () => {
  let box: Sandbox;
  const run = (...words: readonly string[]) => runBin(box, "uwf-office", words);

  beforeAll(() => {
    box = officeBox();
  });

  it("prints help that begins with examples", async () => {
    const { stdout } = await run("--help");
    expect(stdout).toMatch(/^uwf thread start document -p '/);
  });

  it("checks whether its program can be started", async () => {
    const { code, stdout } = await run("--check", "--command", "./somebodys-agent");
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      installed: true,
      how: "it can be started",
    });
    const lost = await run("--check", "--command", "no-such-program");
    expect({ code: lost.code, ...JSON.parse(lost.stdout) }).toMatchObject({ code: 6, installed: false });
    const apply = await run("--check", "--apply");
    expect({ code: apply.code, ...JSON.parse(apply.stdout) }).toMatchObject({ code: 0, program: null });
    expect(await run("--check", "--apply", "--command", "x")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--apply runs no program"),
    });
  });
});
