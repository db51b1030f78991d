import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// Tests run on the sources: `uwf-source` is the exports condition of every package that names them.
const conditions = ["uwf-source"];

// Where the machine-readable report goes that .ci/run counts; none without the variable.
const report = process.env.UWF_TEST_REPORT ?? "";

const all = ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"];

/**
 * What can fail though no line of ours has changed: browsers, PostgreSQL, pandoc, npm's tarballs, other runtimes, full
 * disks, and programs killed at many places.
 */
const world = [
  "packages/faults/test/**",
  "packages/workflow-remote/test/remote.test.ts",
  "packages/cli-workflow/test/remote/**",
  "packages/*/test/browser/**",
  "packages/workflow-docx/test/{pandoc,pandoc-properties,diff-properties,edit-properties}.test.ts",
  "packages/cli-workflow/test/{recipes,worktree}.test.ts",
  "packages/cli-workflow/test/bad-input/memory.test.ts",
  "packages/cli-workflow/test/step/{full-disk,sandbox}.test.ts",
  "packages/cli-workflow/test/children/tree.test.ts",
  "packages/json-cas-fs/test/lock/processes.test.ts",
  "packages/json-cas-fs/test/pack/{kill,together}.test.ts",
  "packages/workflow-store/test/heads/{kill,processes}.test.ts",
  "scripts/test/{npm-pack,packaging,publish-all,replay,build-bins,bytecode,full-disk,pictures}.test.ts",
];

/** No binary that a test starts writes into the real home; code-cache.test.ts takes this away where it looks at that. */
const env = { NODE_DISABLE_COMPILE_CACHE: "1" };

/** Files with tests that would run on each runtime: the project `code` runs them on bun, `node` on Node.js. */
const onEach = [...readdirSync("packages").map((name) => join("packages", name)), "scripts"]
  .map((folder) => join(folder, "test"))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith(".test.ts") && /\bRUNTIMES\b/.test(readFileSync(file, "utf8")));

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: "code", include: all, exclude: world } },
      {
        extends: true,
        test: { name: "world", include: world.map(testsIn), env: { ...env, UWF_TEST_EACH: "all" } },
      },
      {
        extends: true,
        test: { name: "node", include: onEach, exclude: world, env: { ...env, UWF_TEST_EACH: "node" } },
      },
    ],
    env,
    globalSetup: ["scripts/test/built-bins.ts"],
    setupFiles: ["scripts/test/start-hashing.ts", "scripts/test/fixed-seed.ts", "scripts/test/clean-up.ts"],
    // A worker keeps its modules: each file of its own costs 0.65 s to start and to import again. Helpers close what they
    // have opened by json-cas-fs/test/support/ends.ts.
    pool: "forks",
    isolate: false,
    reporters: report === "" ? ["default"] : ["default", ["json", { outputFile: report }]],
    // vitest leaves one of two cores idle.
    maxWorkers: 2,
    // For busy machines: what hangs is still found, and no test is about its own time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

function testsIn(glob: string): string {
  return glob.endsWith("**") ? `${glob}/*.test.ts` : glob;
}
