import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { ownedBy, plantOn, project, TRAPS, type Trap } from "../src/project.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "uwf-project-")));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const trap = (name: string): Trap => TRAPS.find((each) => each.name === name) as Trap;

describe("a stranger's repository", () => {
  it("provides names, prompts and a choice among the user's agents, and has no other effect", async () => {
    const { figures, violations } = await runKind(project, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures["commands between traps"]).toBeGreaterThanOrEqual(12);
    expect(figures.traps).toBeGreaterThanOrEqual(TRAPS.length);
  }, 120_000);
});

describe("the harness sees", () => {
  it("nothing if no trap is triggered", () => {
    for (const each of TRAPS) plantOn(folder, each);
    expect(ownedBy(folder)).toEqual([]);
  });

  it("a program of the folder that was started by a careless PATH", () => {
    plantOn(folder, trap("programs in the folder"));
    spawnSync("/bin/sh", ["-c", "node --version"], { cwd: folder, env: { PATH: ".:/usr/bin:/bin" } });
    expect(ownedBy(folder)).toEqual(["programs-in-the-folder"]);
  });

  it("a script that was loaded", () => {
    plantOn(folder, trap("package json"));
    spawnSync(process.execPath, ["."], { cwd: folder });
    expect(ownedBy(folder)).toContain("package-json");
  });
});
