import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, type Sandbox, sandbox } from "../support/uwf.js";
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
  await box.json(args, { env: { NODE_OPTIONS: `--require=${hook}`, LOADED: loaded } });
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
    const agent = `'${MOCK}' --scenario '${scenario}'`;
    expect(await loadedBy(box, ["thread", "step", thread, "--agent", agent])).toEqual([
      "library-xxhash-wasm.js",
      "main-step.js",
    ]);
  });
});
