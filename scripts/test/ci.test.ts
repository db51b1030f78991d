import { copyFileSync, cpSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { makeTree } from "./support/tree.js";

/** Runs .ci/run with an `npx` that does what the scripts say instead of `verify`, `test:agents` and `test:all`. */
function ci(verify: string, agents = agentsReport(3, 0), world = reports(1, 0)): Ran {
  const cases = [
    ["*test:agents*", agents],
    ["*test:all*", world],
    ["*pictures*", "exit 1"],
    ["*", verify],
  ];
  const stub = `#!/bin/sh\ncase "$*" in\n${cases.map(([words, does]) => `${words}) ${does}\n;;\n`).join("")}esac\n`;
  // So that it does not install them.
  const programs = ["chromium", "soffice", "pdftoppm", "pg_ctlcluster"].map((name) => [
    `stub/${name}*`,
    "#!/bin/sh\n",
  ]);
  const root = makeTree({ "stub/npx*": stub, ...Object.fromEntries(programs) });
  cpSync(join(repository, ".ci"), join(root, ".ci"), { recursive: true });
  return run(join(root, ".ci/run"), [], {
    cwd: "/",
    env: { PATH: `${join(root, "stub")}${delimiter}${process.env.PATH}` },
  });
}

function reports(passed: number, failed: number): string {
  return `echo '{"numPassedTests":${passed},"numFailedTests":${failed}}' > "$UWF_TEST_REPORT"`;
}

function agentsReport(passed: number, failed: number): string {
  return `echo '{"numPassedTests":${passed},"numFailedTests":${failed}}' > "$UWF_AGENTS_REPORT"`;
}

function lastLine({ stdout }: Ran): string {
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

describe(".ci/run", () => {
  it("prints the counts as its last line and ends with 0 when everything passed", () => {
    const ran = ci(`echo noise; ${reports(12, 0)}`);
    expect(lastLine(ran)).toBe("16 passed, 0 failed");
    expect(ran.code).toBe(0);
  });

  it("ends with 1 when a test failed", () => {
    const ran = ci(`${reports(12, 2)}; exit 1`);
    expect(lastLine(ran)).toBe("12 passed, 2 failed");
    expect(ran.code).toBe(1);
  });

  it("counts a failure that is no test, and prints the line even when no test ran", () => {
    for (const [verify, line] of [
      ["echo 'check failed'; exit 1", "0 passed, 1 failed"],
      [`${reports(12, 0)}; exit 1`, "12 passed, 1 failed"],
      [`${reports(0, 0)}`, "4 passed, 1 failed"],
      ["exit 0", "4 passed, 1 failed"],
      ["kill -9 $$", "0 passed, 1 failed"],
    ] as const) {
      const ran = ci(verify);
      expect(lastLine(ran)).toBe(line);
      expect(ran.code).toBe(1);
    }
  });

  it("counts the real agents too, and a failure of theirs that no test shows", () => {
    for (const [agents, line] of [
      [`${agentsReport(30, 2)}; exit 1`, "43 passed, 2 failed"],
      [`${agentsReport(30, 0)}; exit 1`, "43 passed, 1 failed"],
      ["echo 'no registry' >&2; exit 1", "13 passed, 1 failed"],
      ["exit 0", "13 passed, 1 failed"],
    ] as const) {
      const ran = ci(reports(12, 0), agents);
      expect(lastLine(ran)).toBe(line);
      expect(ran.code).toBe(1);
    }
  });

  it("counts the tests of the world", () => {
    expect(lastLine(ci(reports(12, 0), agentsReport(3, 0), `${reports(5, 2)}; exit 1`))).toBe(
      "20 passed, 2 failed",
    );
    expect(lastLine(ci(reports(12, 0), agentsReport(3, 0), "exit 1"))).toBe("15 passed, 1 failed");
  });

  it("runs neither on what did not pass", () => {
    const ran = ci(`${reports(12, 2)}; exit 1`, "echo AGENTS", "echo WORLD");
    expect(ran.stdout).not.toMatch(/AGENTS|WORLD/);
  });

  it("runs the README's test command, without stdin, as CI", () => {
    const ran = ci('echo "npx $*"; echo "stdin: $(wc -c)"; echo "CI=$CI"; pwd');
    expect(ran.stdout).toContain("npx --yes --allow-scripts=bun bun@1.4.5 run verify\n");
    expect(ran.stdout).toMatch(/stdin: +0\nCI=true\n/);
  });
});

describe.skipIf(onPath("bun") === null)("check", () => {
  it("names the checks there are when one is not known", () => {
    const root = makeTree({});
    copyFileSync(join(repository, "package.json"), join(root, "package.json"));
    const ran = run("bun", [join(repository, "scripts/check.ts"), "nonsense"], { cwd: root });
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("types, test-types, page-types, biome, boundaries, log-tags, manifests");
  });
});
