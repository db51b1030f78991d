import { readFileSync } from "node:fs";

// node .ci/summary.mjs <script>=<its exit code, or "skipped">:<its report>...
// Prints "N passed, N failed" over all. A failure that no test shows (install, build, check, a test file that does not
// load, no test at all) counts as one failed, so that the line never looks better than the exit codes.

const parts = process.argv.slice(2).flatMap((argument) => {
  const [, name, status, path] = /^(.+?)=(skipped|\d+):(.+)$/.exec(argument) ?? [];
  if (name === undefined || path === undefined) {
    return [{ passed: 0, failed: 1, reason: `not <script>=<exit code>:<report>: ${argument}` }];
  }
  return status === "skipped" ? [] : [count(name, readReport(path), Number(status))];
});
for (const { reason } of parts) if (reason !== null) process.stderr.write(`${reason}\n`);
const passed = parts.reduce((sum, part) => sum + part.passed, 0);
const failed = parts.reduce((sum, part) => sum + part.failed, 0);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** @typedef {{ readonly numPassedTests: number, readonly numFailedTests: number }} Report */

/**
 * @param {string} path
 * @returns {Report | null}
 */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {Report | null} report
 * @param {number} exitCode
 * @returns {{ readonly passed: number, readonly failed: number, readonly reason: string | null }}
 */
function count(name, report, exitCode) {
  if (report === null) {
    return {
      passed: 0,
      failed: 1,
      reason: `the tests of ${name} did not run: install, build or check failed`,
    };
  }
  const { numPassedTests: passed, numFailedTests: failed } = report;
  if (failed === 0 && exitCode !== 0) {
    return { passed, failed: 1, reason: `${name} ended with ${exitCode} though no test failed` };
  }
  if (passed + failed === 0) return { passed, failed: 1, reason: `${name} had no test` };
  return { passed, failed, reason: null };
}
