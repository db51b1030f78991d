import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { onPath, repository, run } from "./support/run.js";

// `bun run demo` without its build, and then what it tells to type, in a home folder of its own.

const home = mkdtempSync(join(tmpdir(), "uwf-demo-home-"));
const temporary = join(home, "tmp");
mkdirSync(temporary);
const env = {
  HOME: home,
  TMPDIR: temporary,
  UNCAGED_WORKFLOW_STORAGE_ROOT: undefined,
  WORKFLOW_STORAGE_ROOT: undefined,
};

describe.skipIf(onPath("bun") === null)("the demo", () => {
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it("leaves nothing behind, and every command that it suggests works as typed", () => {
    const demo = run("bun", ["scripts/demo.ts"], { cwd: repository, env });
    expect(demo.code, demo.stderr).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(home)).toEqual(["tmp"]);

    const [, suggested = ""] = demo.stdout.split("\nThe same in your own storage root");
    const commands = [...suggested.matchAll(/^ {2}(\S.*)$/gm)].map(([, command]) => command);
    expect(commands.length).toBeGreaterThan(4);
    const typed = run("bash", ["-euo", "pipefail", "-c", commands.join("\n")], { cwd: repository, env });
    expect(typed.code, typed.stderr).toBe(0);
    expect(typed.stdout).toContain('"reason": "end"');
    expect(typed.stdout).toContain("I ran the tests");
  }, 120_000);
});
