import { readFileSync } from "node:fs";

// node .ci/summary.mjs <vitest's JSON report> <exit code of verify>
// Prints "N passed, N failed". A failure that no test shows (install, build, check, a test file that does not load,
// no test at all) counts as one failed, so that the line never looks better than the exit code.

const [file = "", status = "1"] = process.argv.slice(2);
const { passed, failed, reason } = count(readReport(file), Number(status));
if (reason !== null) process.stderr.write(`${reason}\n`);
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
 * @param {Report | null} report
 * @param {number} exitCode
 * @returns {{ readonly passed: number, readonly failed: number, readonly reason: string | null }}
 */
function count(report, exitCode) {
  if (report === null) {
    return { passed: 0, failed: 1, reason: "the tests did not run: install, build or check failed" };
  }
  const { numPassedTests: passed, numFailedTests: failed } = report;
  if (failed === 0 && exitCode !== 0) {
    return { passed, failed: 1, reason: `verify ended with ${exitCode} though no test failed` };
  }
  if (passed + failed === 0) return { passed, failed: 1, reason: "there was no test" };
  return { passed, failed, reason: null };
}
