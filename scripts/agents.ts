import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "./agents/install.js";
import { runSubject } from "./agents/run.js";
import { SUBJECTS } from "./agents/subjects/index.js";
import { newTally } from "./agents/tally.js";

// `bun run test:agents [word…]`: installs real agents of pinned versions into a scratch folder and lets each solve the
// example issue against a model of our own on 127.0.0.1. Words choose those whose name has one of them. The last line
// is "N passed, N failed", also as JSON in the file that UWF_AGENTS_REPORT names. What is installed is in no way a
// dependency of what is published.

const words = process.argv.slice(2);
const chosen = SUBJECTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const scratch = mkdtempSync(join(tmpdir(), "uwf-agents-"));
const tally = newTally();
const installed = new Map<string, ReturnType<typeof install>>();

try {
  for (const subject of chosen) {
    const { program, name } = subject;
    console.error(`${name}: ${program.package}@${program.version}`);
    const at = installed.get(program.package) ?? install(program, scratch);
    installed.set(program.package, at);
    if (at.ok) await runSubject(subject, scratch, at.bin, tally);
    else tally.holds(`${program.package} is installed`, false, at.reason);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

if (chosen.length === 0) tally.holds("there is such an agent", false, words.join(" "));
const [passed, failed] = [tally.passed(), tally.failed()];
const report = process.env.UWF_AGENTS_REPORT ?? "";
if (report !== "") writeFileSync(report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
