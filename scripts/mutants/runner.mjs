// Runs files of tests in the current folder, which is a planted copy: for each line of stdin, a JSON array of files, a
// line of stdout, `failed: ` and those that failed. It ends with its stdin. A start of vitest costs more than most of these runs,
// and the sources stay as they are: which mistake is made is read by each worker.
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { createVitest } from "vitest/node";

/** @type {string[]} */
const failed = [];
/** @type {import("vitest/reporters").Reporter} */
const reporter = {
  onTestModuleEnd: (module) => {
    if (module.state() === "failed") failed.push(module.relativeModuleId);
  },
};

const TIMES = { testTimeout: 40_000, hookTimeout: 40_000 };

const vitest = await createVitest("test", {
  project: ["code"],
  run: true,
  watch: false,
  bail: 1,
  reporters: [reporter],
  ...TIMES,
});
const all = await vitest.globTestSpecifications();

for await (const line of createInterface({ input: process.stdin })) {
  /** @type {readonly string[]} */
  const asked = JSON.parse(line);
  const files = new Set(asked.map((file) => resolve(file)));
  failed.length = 0;
  const { unhandledErrors } = await vitest.runTestSpecifications(
    all.filter(({ moduleId }) => files.has(moduleId)),
  );
  // Of an error outside of tests nobody knows the file.
  const others = unhandledErrors.length > 0 ? ["(an error outside of tests)"] : [];
  process.stdout.write(`failed: ${JSON.stringify([...failed, ...others])}\n`);
}
await vitest.close();
process.exit();
