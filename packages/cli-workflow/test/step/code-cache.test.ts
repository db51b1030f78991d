import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

// What Node.js compiled of uwf and of an agent, kept under cache/code (scripts/bins/code-cache).

function kept(box: Sandbox): readonly string[] {
  const folder = join(box.root, "cache/code");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

async function stepWithMock(box: Sandbox, thread: string): Promise<void> {
  const entries = [{ reply: "---\ntext: made\n---\nDone." }];
  const scenario = box.write("scenario.json", JSON.stringify({ roles: { maker: entries } }));
  const ran = await box.uwf(["thread", "step", thread, "--agent", `'${MOCK}' --scenario '${scenario}'`]);
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
}

describe("the compiled code of a step on Node.js", () => {
  it("is kept for uwf and for its agent, and changes nothing whether it is there, damaged or gone", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    expect(kept(box)).toEqual([]);
    await stepWithMock(box, thread);
    const names = kept(box);
    expect(names).toEqual([
      // For the scenario.
      expect.stringMatching(/^library-yaml-v[\d.]+-\w+\.bin$/),
      expect.stringMatching(/^main-step-v[\d.]+-\w+\.bin$/),
      expect.stringMatching(/^uwf-mock-v[\d.]+-\w+\.bin$/),
    ]);
    const files = names.map((name) => join(box.root, "cache/code", name));
    // Each of the first three adds what it compiled.
    for (let n = 0; n < 2; n += 1) await stepWithMock(box, await startTurns(box));
    const times = files.map((file) => statSync(file).mtimeMs);
    await stepWithMock(box, await startTurns(box));
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual(times);
    for (const file of files) {
      const bytes = readFileSync(file);
      for (const at of [bytes.length >> 2, bytes.length - 1]) bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(file, bytes);
    }
    await stepWithMock(box, await startTurns(box));
    rmSync(join(box.root, "cache"), { recursive: true });
    await stepWithMock(box, await startTurns(box));
    expect(kept(box)).toEqual(names);
  });

  it("is not made by commands that take no step", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    for (const args of [
      ["thread", "list"],
      ["thread", "show", thread],
      ["thread", "steps", thread],
      ["doctor"],
    ])
      await box.uwf(args);
    expect(existsSync(join(box.root, "cache"))).toBe(false);
  });
});
