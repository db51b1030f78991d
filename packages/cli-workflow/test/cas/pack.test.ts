import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const PACKAGES = resolve(import.meta.dirname, "../../..");

function looseIn(box: Sandbox): readonly string[] {
  return readdirSync(join(box.root, "cas")).filter((name) => name.endsWith(".bin"));
}

describe("the files that a step loads", () => {
  it.each([
    ["cli-workflow", "main-step.js"],
    ["workflow-agent-kit", "kit.js"],
  ])(
    "of %s have no code that reads packs, but the place from which it comes when it is needed",
    (name, file) => {
      for (const [folder, prefix] of [
        ["bin", "whole-"],
        ["bun", ""],
      ] as const) {
        const built = join(PACKAGES, name, "dist", folder);
        const text = readFileSync(join(built, `${prefix}${file}`), "utf8");
        const reader = "library-uncaged-json-cas-fs-pack-reader.js";
        // Only who reads one says so; a trace is written as a pack by what a step has loaded.
        const marker = "it is not an index of this version";
        expect(text).not.toContain(marker);
        expect(text).toContain(reader);
        expect(readFileSync(join(built, reader), "utf8")).toContain(marker);
      }
    },
  );
});

describe.each(RUNTIMES)("uwf cas pack on %s", (runtime) => {
  it("changes nothing of what is read, and a thread goes on in the packed store", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const agent = ["--agent", zoo("valid")];
    await box.json(["thread", "step", thread, ...agent]);
    const asked = [
      ["thread", "steps", thread],
      ["cas", "list"],
    ];
    const before = await Promise.all(asked.map((words) => box.json(words)));
    expect(await box.json(["cas", "pack"])).toMatchObject({ loose: 0, packs: 1 });
    expect(looseIn(box)).toEqual([]);
    expect(await Promise.all(asked.map((words) => box.json(words)))).toEqual(before);
    const { head } = await box.json(["thread", "step", thread, ...agent]);
    expect(looseIn(box).length).toBeGreaterThan(2);
    expect((await box.json(["thread", "show", thread])).head).toBe(head);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0, damagedPacks: 0 });
    expect(await box.json(["cas", "gc", "--yes", "--grace", "0s"])).toMatchObject({ garbage: 0 });
  });

  it("says of a pack that lost its index what to do, and that helps", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const { pack } = await box.json<{ readonly pack: string }>(["cas", "pack"]);
    rmSync(join(box.root, "cas", "pack", `${pack}.idx`));
    const ran = await box.uwf(["thread", "read", thread]);
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(`${pack}.idx is damaged: it is missing`);
    expect(ran.stderr).toContain("`uwf cas reindex`");
    expect(await box.json(["cas", "reindex"])).toMatchObject({ packIndexes: 1 });
    expect((await box.uwf(["thread", "read", thread])).code).toBe(0);
    expect(existsSync(join(box.root, "cas", "pack", `${pack}.idx`))).toBe(true);
  });
});
