import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeLlm, says, startLlm } from "../../workflow-agent-llm/test/helpers/fake-llm.js";
import { documentOf, EXAMPLES, officeBox, type Sandbox, textsOf } from "./support/office.js";

const repository = resolve(EXAMPLES, "..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const blocksIn = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, one = ""]) => one,
  );

const EDITS = [{ op: "replaceText", block: 1, expect: "We offer…", find: "20", text: "25" }];

let box: Sandbox;
let llm: FakeLlm;

/** A shell in the sandbox with all programs on its PATH. */
function type(script: string) {
  const path = [join(repository, "node_modules/.bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(
    ":",
  );
  // sandbox.uwf adds its program behind our words, where sh takes it for an argument.
  return box.uwf([], { through: ["bash", "-euc", script, "sh"], env: { PATH: path } });
}

beforeAll(async () => {
  box = officeBox();
  llm = await startLlm([
    says(JSON.stringify({ edits: EDITS, blocks: [{ kind: "paragraph", text: "Offer" }] })),
  ]);
  for (const name of readdirSync(EXAMPLES).filter((each) => each.endsWith(".yaml")))
    box.write(`examples/${name}`, readFileSync(join(EXAMPLES, name)));
});

afterAll(() => llm.close());

/** The configuration that examples/README.md shows, with a provider on the loopback. */
function configure(): void {
  const [, section = ""] = read("examples/README.md").split(/^## Word documents$/m);
  const [shown = ""] = blocksIn(section, "yaml");
  const provider = `baseUrl: "${llm.baseUrl}", apiKeyEnv: FAKE_API_KEY`;
  const config = shown.replace(/baseUrl: "[^"]*", apiKeyEnv: \w+/, provider);
  expect(config).toContain(provider);
  box.write(join(box.root, "config.yaml"), config);
  writeFileSync(join(box.root, ".env"), "FAKE_API_KEY=sk-test-0123456789\n", { mode: 0o600 });
}

describe("the documents of the README", () => {
  it("examples/README.md: edits a document with a model and compares it", async () => {
    const [, section = ""] = read("examples/README.md").split(/^## Word documents$/m);
    const [script = ""] = blocksIn(section, "sh");
    configure();
    box.write("offer.docx", documentOf("We offer 20 chairs."));
    const ran = await type(script.replaceAll("<thread>", "latest"));
    expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
    expect(ran.stdout).toMatch(/"diffDocx": "\/.*\/diff\.docx"/);
    const { steps } = await box.json(["thread", "steps", "latest"]);
    expect(textsOf(readFileSync(String(steps.at(-1)?.output.modifiedDocx)))).toEqual(["We offer 25 chairs."]);
  });

  it("examples/README.md: the second configuration names the programs of write-report", () => {
    const [, section = ""] = read("examples/README.md").split(/^## Word documents$/m);
    const [, config = ""] = blocksIn(section, "yaml");
    expect(config).toContain("builder: { command: uwf-office, args: [--apply] }");
    expect(config).toContain("write-report: { builder: builder, differ: docx-diff }");
  });

  it("packages/workflow-agent-office/README.md: office-agent and uwf-agent-docx work as typed", async () => {
    configure();
    const scripts = blocksIn(read("packages/workflow-agent-office/README.md"), "sh");
    const model = scripts.find((script) => script.startsWith("office-agent ")) ?? "";
    const tool = scripts.find((script) => script.startsWith("uwf-agent-docx ")) ?? "";
    const [create = "", edit = ""] = model.trim().split("\n");
    expect(await type(create)).toMatchObject({ code: 0, stdout: "wrote offer.docx: 1 block\n" });
    box.write("offer.docx", documentOf("We offer 20 chairs."));
    expect(await type(edit)).toMatchObject({ code: 0 });
    expect(textsOf(readFileSync(join(box.cwd, "offer.docx")))).toEqual(["We offer 25 chairs."]);
    box.write("report.docx", documentOf("We offer 20 chairs."));
    box.write("edits.json", JSON.stringify(EDITS));
    box.write("template.docx", documentOf("For {customer}."));
    box.write("data.json", '{"customer": "Ada"}');
    // LibreOffice is not everywhere.
    const lines = tool.split("\n").filter((line) => !line.includes(" render "));
    const ran = await type(lines.join("\n"));
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
    expect(existsSync(join(box.cwd, "new.docx"))).toBe(true);
  });
});
