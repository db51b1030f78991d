import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

/** Notes every file of a bundle that a process loads, and the program that it runs. */
const NOTE = String.raw`const Module = require("node:module");
const { appendFileSync } = require("node:fs");
const load = Module._load;
Module._load = function (request, ...rest) {
  if (/(?:^|\/)(?:library-|main)[^/]*\.js$/.test(request)) {
    appendFileSync(process.env.LOADED, process.argv[1] + " " + request + "\n");
  }
  return load.call(this, request, ...rest);
};
`;

async function loadedBy(box: Sandbox, args: readonly string[]): Promise<readonly string[]> {
  const hook = box.write("note.cjs", NOTE);
  const loaded = box.write("loaded", "");
  const ran = await box.uwf(args, { env: { NODE_OPTIONS: `--require=${hook}`, LOADED: loaded } });
  expect(ran.code).toBe(0);
  const lines = readFileSync(loaded, "utf8").trim().split("\n");
  return lines
    .map((line) => line.split(" "))
    .filter(([program = ""]) => basename(program) === "uwf.js")
    .map(([, file = ""]) => basename(file));
}

describe("a step", () => {
  it("loads its own code and no library that it does not need", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    const scenario = box.write(
      "scenario.json",
      '{"roles":{"maker":[{"reply":"---\\ntext: made\\n---\\n"}]}}',
    );
    const agent = `'${REAL_MOCK}' --scenario '${scenario}'`;
    expect(await loadedBy(box, ["thread", "step", thread, "--agent", agent])).toEqual([
      "library-xxhash-wasm.js",
      "main-step.js",
    ]);
  });
});

describe("a page of help", () => {
  it.each([
    [[]],
    [["--help"]],
    [["thread", "list", "-h"]],
    [["cas", "schema", "--help"]],
    [["help", "thread", "step"]],
  ])("(uwf %j) loads the command line and no command", async (args) => {
    const loaded = await loadedBy(sandbox("node"), args);
    expect(loaded.filter((file) => file.startsWith("main"))).toEqual(["main-help.js"]);
  });

  it("is the same however it is asked for, and fits 100 columns", async () => {
    const box = sandbox();
    const asked = async (...args: readonly string[]) => (await box.uwf(args)).stdout;
    expect(await asked("--help")).toBe(await asked("help"));
    expect(await asked()).toBe(await asked("help"));
    expect(await asked("thread", "list", "--help")).toBe(await asked("help", "thread", "list"));
    // With another option, the complete program answers.
    expect(await asked("thread", "list", "--format", "json", "--help")).toBe(
      await asked("help", "thread", "list"),
    );
    expect((await asked()).split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("is refused for an unknown word, and prints the topic of that name", async () => {
    const box = sandbox();
    const ran = await box.uwf(["thread", "lst", "--help"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(`unknown help topic 'thread lst', did you mean "list"?`);
    const topic = await box.uwf(["conditions", "--help"]);
    expect(topic).toMatchObject({ code: 0, stderr: "" });
    expect(topic.stdout).toBe((await box.uwf(["help", "conditions"])).stdout);
    // What stands behind a command's name is not its own.
    const page = (await box.uwf(["thread", "show", "latest", "--help"])).stdout;
    expect(page).toBe((await box.uwf(["help", "thread", "show"])).stdout);
  });
});
