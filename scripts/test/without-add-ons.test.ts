import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADD_ONS } from "../budgets.js";
import { pack, unpack } from "../release/pack.js";
import { verifyPackage } from "../release/verify.js";
import { membersInOrder } from "../release/workspace.js";
import { onPath, type Ran, repository, run } from "./support/run.js";
import { writeFiles } from "./support/tree.js";

// The core in a tree without the add-ons' packages: it builds, checks, tests, packs and runs.

const MINUTES = 60_000;
const temporary = mkdtempSync(join(tmpdir(), "uwf-core-"));
const tree = join(temporary, "tree");
const cwd = join(temporary, "project");

/** The tests there are a run of their own. */
const OUTSIDE = { UWF_TEST_REPORT: undefined, UWF_TEST_EACH: undefined };

const ok = (command: string, ...args: readonly string[]): string => {
  const ran = run(command, args, { cwd: tree, env: OUTSIDE });
  expect(ran.code, `${ran.stdout}${ran.stderr}`).toBe(0);
  return ran.stdout;
};

/** Copies what git would commit, without those packages and where they are named as workspaces. */
function copyCore(): void {
  const listed = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
  });
  const isAddOn = (file: string): boolean => ADD_ONS.some((name) => file.startsWith(`packages/${name}/`));
  for (const file of new Set(listed.stdout.split("\0").filter((name) => name !== "" && !isAddOn(name))))
    if (existsSync(join(repository, file))) cpSync(join(repository, file), join(tree, file));
  for (const name of ["package.json", "tsconfig.json"]) {
    const lines = readFileSync(join(tree, name), "utf8").split("\n");
    const named = new RegExp(`"@uncaged/(${ADD_ONS.join("|")})":`);
    const text = lines.filter((line) => !named.test(line)).join("\n");
    const referred = new RegExp(`\\s*\\{\\s*"path": "packages/(${ADD_ONS.join("|")})"\\s*\\},?`, "g");
    writeFileSync(join(tree, name), text.replace(referred, "").replace(/\},(\s*\])/, "}$1"));
  }
}

describe.skipIf(onPath("bun") === null)("a tree without the packages of add-ons", () => {
  beforeAll(() => {
    copyCore();
    // From bun's cache. It takes the missing workspaces out of the lockfile, with which the build installs again.
    ok("bun", "install");
    ok("bun", "run", "build");
  }, 15 * MINUTES);

  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  it(
    "passes the checks of types, boundaries and packages",
    () => {
      ok(
        "bun",
        "scripts/check.ts",
        "types",
        "test-types",
        "page-types",
        "boundaries",
        "log-tags",
        "manifests",
      );
    },
    10 * MINUTES,
  );

  it(
    "passes tests of the store, the engine and the commands",
    () => {
      const chosen = [
        "workflow-store/test/heads",
        "workflow-engine",
        "cli-workflow/test/help",
        "cli-workflow/test/step/retries",
      ];
      ok("node_modules/.bin/vitest", "run", "--project", "code", ...chosen.map((path) => `packages/${path}`));
    },
    15 * MINUTES,
  );

  it(
    "packs, and takes a thread to its end; without their add-on the commands of remotes say what to install",
    () => {
      const members = membersInOrder(tree);
      const member = members.find(({ manifest }) => manifest.name === "@uncaged/cli-workflow");
      if (member === undefined) throw new Error("no package of uwf");
      const packed = unpack(pack(member, join(temporary, "tarballs")));
      expect(verifyPackage(packed, member, members)).toEqual([]);
      writeFiles(cwd, { ".env": "" });
      cpSync(join(repository, "examples"), cwd, { recursive: true });
      const path = [
        join(packed, "bin"),
        join(tree, "packages/workflow-agent-mock/bin"),
        dirname(process.execPath),
      ];
      const env = {
        HOME: temporary,
        PATH: [...path, "/usr/bin", "/bin"].join(delimiter),
        UNCAGED_WORKFLOW_STORAGE_ROOT: join(temporary, "store"),
      };
      const uwf = (...line: readonly string[]): Ran => run(join(packed, "bin/uwf"), line, { cwd, env });
      expect(uwf("setup", "--agent", "uwf-mock --scenario solve-issue.scenario.yaml").code).toBe(0);
      expect(uwf("workflow", "put", "solve-issue.yaml").code).toBe(0);
      const { thread } = JSON.parse(uwf("thread", "start", "solve-issue", "-p", "A task").stdout);
      const stepped = uwf("thread", "step", thread);
      expect(stepped.code, stepped.stderr).toBe(0);
      expect(JSON.parse(uwf("thread", "run", thread).stdout)).toMatchObject({ done: true, reason: "end" });
      expect(uwf("thread", "report", thread, "-o", "report.html").code).toBe(0);
      for (const line of [
        ["remote", "status"],
        ["remote", "list"],
        ["worker"],
        ["thread", "submit", "solve-issue", "-p", "A task"],
        ["thread", "show", thread, "--remote"],
        ["thread", "list", "--remote"],
      ]) {
        const refused = uwf(...line);
        expect({ line, code: refused.code }).toEqual({ line, code: 4 });
        expect(refused.stderr).toMatch(/^error\[REMOTE_NOT_INSTALLED\]: .*@uncaged\/workflow-remote/);
      }
    },
    2 * MINUTES,
  );
});
