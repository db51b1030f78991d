import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

function looseIn(box: Sandbox): readonly string[] {
  return readdirSync(join(box.root, "cas")).filter((name) => name.endsWith(".bin"));
}

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
