import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

// A link in runs/<thread>/ is nobody's wish: whatever it leads to stays as it is.

type Case = readonly [file: string, there: string, command: readonly string[]];

const CASES: readonly Case[] = [
  ["notes.jsonl", "", ["note", "?", "keep it short"]],
  ["notes.jsonl", '{"text":"theirs","by":"them","at":1}\n', ["note", "?", "keep it short"]],
  ["pause.json", '{"since":1,"why":null,"remote":false}\n', ["pause", "?", "-m", "later"]],
  ["limits.json", '{"maxSteps":1,"maxCostUsd":null,"maxMinutes":null}\n', ["limit", "?", "--max-steps", "9"]],
];

describe("a file of a thread that is a link to one outside", () => {
  it.each(CASES)("%s with %j is never written through", async (name, there, command) => {
    const box = sandbox();
    const thread = await startTurns(box);
    const outside = join(box.cwd, "outside");
    writeFileSync(outside, there);
    symlinkSync(outside, join(box.root, "runs", thread, name));
    await box.uwf(["thread", ...command.map((word) => (word === "?" ? thread : word))]);
    expect(readFileSync(outside, "utf8")).toBe(there);
  });

  it("that leads to nothing makes no file there", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const outside = join(box.cwd, "outside");
    symlinkSync(outside, join(box.root, "runs", thread, "pause.json"));
    await box.uwf(["thread", "pause", thread]);
    expect(() => readFileSync(outside)).toThrow("ENOENT");
  });
});
