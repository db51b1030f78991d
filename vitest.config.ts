import { existsSync, readdirSync, readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";
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
  "packages/workflow-remote/test/uwf/**",
  "packages/*/test/browser/**",
  "packages/workflow-docx/test/{pandoc,pandoc-properties,diff-properties,edit-properties}.test.ts",
  "packages/cli-workflow/test/{recipes,worktree}.test.ts",
  "packages/cli-workflow/test/bad-input/memory.test.ts",
  "packages/cli-workflow/test/step/{full-disk,sandbox}.test.ts",
  "packages/cli-workflow/test/children/tree.test.ts",
  "packages/json-cas-fs/test/lock/processes.test.ts",
  "packages/json-cas-fs/test/pack/{kill,together}.test.ts",
  "packages/workflow-store/test/heads/{kill,processes}.test.ts",
  "scripts/test/{npm-pack,packaging,publish-all,replay,build-bins,bytecode,full-disk,pictures,without-add-ons}.test.ts",
];

/** No binary that a test starts writes into the real home; code-cache.test.ts takes this away where it looks at that. */
const env = { NODE_DISABLE_COMPILE_CACHE: "1" };

/**
 * Where tests of the code make their folders: in memory where 4 GiB are free there. ext4 looks long for an inode where
 * thousands of files were just deleted, an eighth of what the tests' processes cost. TMPDIR decides where it is set; the
 * world's tests use the disk.
 */
const ENOUGH = 4 * 1024 ** 3;
const inMemory = process.env.TMPDIR === undefined && isRoomy("/dev/shm") ? { TMPDIR: "/dev/shm" } : {};

/**
 * Files with tests that would run on each runtime, or with sweeps: the project `code` runs the first on bun, `node` runs them
 * on Node.js, and the sweeps.
 */
const onEach = [...readdirSync("packages").map((name) => join("packages", name)), "scripts"]
  .map((folder) => join(folder, "test"))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => file.endsWith(".test.ts") && /\b(RUNTIMES|WHOLE)\b/.test(readFileSync(file, "utf8")));

/**
 * The project `processes` runs the tests of the commands, one in eight, by its name, with a process for each command. `code`
 * does so with one in 32. Tests of a document go on where the one before ended: none of them runs alone.
 */
const inOrder = ["readme", "tutorial", "help/samples"].map(
  (name) => `packages/cli-workflow/test/${name}.test.ts`,
);

/** A project takes the option, though its type has only that of the whole run. Without it all tests of the files run. */
const OF_NODE: object = { testNamePattern: /\bnode\b|\(whole\)$/ };

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    projects: [
      { extends: true, test: { name: "code", include: all, exclude: world, env: { ...env, ...inMemory } } },
      {
        extends: true,
        test: { name: "world", include: world.map(testsIn), env: { ...env, UWF_TEST_EACH: "all" } },
      },
      {
        extends: true,
        test: {
          name: "node",
          include: onEach,
          exclude: world,
          ...OF_NODE,
          env: { ...env, ...inMemory, UWF_TEST_EACH: "node" },
        },
      },
      {
        extends: true,
        test: {
          name: "processes",
          include: ["packages/cli-workflow/test/**/*.test.ts"],
          exclude: [...world, ...inOrder],
          setupFiles: ["packages/cli-workflow/test/support/processes-only.ts"],
          env: { ...env, ...inMemory, UWF_TEST_PROCESS: "some" },
        },
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
    // vitest leaves one of two cores idle; a test that waits for a limit leaves its own.
    maxWorkers: 3,
    // For busy machines: what hangs is still found, and no test is about its own time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

function isRoomy(folder: string): boolean {
  if (!existsSync(folder) || freemem() < ENOUGH) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ENOUGH;
}

function testsIn(glob: string): string {
  return glob.endsWith("**") ? `${glob}/*.test.ts` : glob;
}
