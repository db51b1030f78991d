import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RELEASES, recorded, replay } from "./support/replay.js";
import { repository, run } from "./support/run.js";
import { writeFiles } from "./support/tree.js";

// README's way into another project: npm packs, npm installs, and bun is nowhere. Needs the registry (or npm's cache).

const temporary = mkdtempSync(join(tmpdir(), "uwf-npm-"));
const project = join(temporary, "project");
const MINUTES = 60_000;

/** Versions other than the one that runs the tests come from npm, as a package with the program alone. */
const VERSIONS = ["20", "22", "24"];
const OWN = process.versions.node.split(".")[0];
const NODE = `node-${process.platform}-${process.arch}`;

describe("tarballs of npm pack", () => {
  beforeAll(() => {
    const tarballs = join(temporary, "tarballs");
    mkdirSync(tarballs);
    npm(["pack", "--workspaces", "--pack-destination", tarballs], repository);
    writeFiles(project, { "package.json": "{}" });
    const files = readdirSync(tarballs).map((file) => join(tarballs, file));
    npm(["install", "--no-audit", "--no-fund", ...files], project);
    cpSync(join(repository, "examples"), join(project, "examples"), { recursive: true });
  }, 5 * MINUTES);

  afterAll(() => rmSync(temporary, { recursive: true, force: true }));

  it.each(VERSIONS)(
    "play the quick start on Node.js %s without bun",
    (version) => {
      const node = folderOf(version === OWN ? process.execPath : install(version), version);
      const env = {
        HOME: temporary,
        PATH: [join(project, "node_modules/.bin"), node, "/usr/bin", "/bin"].join(":"),
        UNCAGED_WORKFLOW_STORAGE_ROOT: join(temporary, `store-${version}`),
        UWF_RUNTIME: undefined,
      };
      const uwf = (...args: readonly string[]) => {
        const ran = run(join(project, "node_modules/.bin/uwf"), args, { cwd: project, env });
        expect(ran.code, ran.stderr).toBe(0);
        return JSON.parse(ran.stdout);
      };
      uwf("setup", "--agent", "uwf-mock --scenario examples/solve-issue.scenario.yaml");
      uwf("workflow", "put", "examples/solve-issue.yaml");
      const { thread } = uwf("thread", "start", "solve-issue", "-p", "parsePort accepts 80x");
      expect(uwf("thread", "run", thread)).toMatchObject({ done: true });
      const { findings } = uwf("doctor");
      const runtime = findings.find(({ check }: { readonly check: string }) => check === "runtime");
      expect(runtime.message).toContain(`node ${version}.`);
      // In a root of its own: a thread of each release is decided as it was then; replay.test.ts asks our own version.
      for (const release of version === OWN ? [] : RELEASES) {
        env.UNCAGED_WORKFLOW_STORAGE_ROOT = join(temporary, `store-${version}-${release}`);
        expect(replay(release, uwf, temporary)).toEqual(recorded(release));
      }
    },
    5 * MINUTES,
  );
});

function install(version: string): string {
  const prefix = join(temporary, `node-${version}`);
  writeFiles(prefix, { "package.json": "{}" });
  npm(["install", "--no-audit", "--no-fund", `${NODE}@${version}`], prefix);
  return join(prefix, "node_modules", NODE, "bin/node");
}

/** A folder with this program alone: the one it comes from may hold bun. */
function folderOf(node: string, version: string): string {
  const folder = join(temporary, `bin-${version}`);
  mkdirSync(folder);
  symlinkSync(node, join(folder, "node"));
  return folder;
}

function npm(args: readonly string[], cwd: string): void {
  const ran = run("npm", args, { cwd });
  expect(ran.code, ran.stderr).toBe(0);
}
