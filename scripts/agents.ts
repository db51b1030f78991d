import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install } from "./agents/install.js";
import { runSubject } from "./agents/run.js";
import { loadSubjects } from "./agents/subjects/index.js";
import { newTally, type Tally } from "./agents/tally.js";
import type { Subject } from "./agents/types.js";

// `bun run test:agents [word…]`: installs real agents of pinned versions into a scratch folder and lets each solve the
// example issue against a model of our own on 127.0.0.1. Words choose those whose name has one of them. The last line
// is "N passed, N failed", also as JSON in the file that UWF_AGENTS_REPORT names. What is installed is in no way a
// dependency of what is published.

const words = process.argv.slice(2);
const subjects = await loadSubjects();
const chosen = subjects.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const scratch = mkdtempSync(join(tmpdir(), "uwf-agents-"));
const tally = newTally();
const installed = new Map<string, ReturnType<typeof install>>();

try {
  for (const subject of chosen) {
    const { program, name } = subject;
    console.error(`${name}: ${program.package}@${program.version}`);
    const at = installed.get(program.package) ?? install(program, scratch);
    installed.set(program.package, at);
    tally.add(at.ok ? await twice(subject, at.bin) : notInstalled(program.package, at.reason));
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

/** Other people's programs have races of their own: one that fails is run again, and the second time counts. */
async function twice(subject: Subject, bin: string): Promise<Tally> {
  const first = await attempt(subject, bin, 1);
  if (first.failed() === 0) return first;
  console.error(`${subject.name}: it failed; once more`);
  return attempt(subject, bin, 2);
}

async function attempt(subject: Subject, bin: string, number: number): Promise<Tally> {
  const counted = newTally();
  const folder = join(scratch, `${subject.agent.command}-${number}`);
  const told = await runSubject(subject, folder, bin, counted);
  if (counted.failed() > 0) console.error(told);
  return counted;
}

function notInstalled(name: string, reason: string): Tally {
  const counted = newTally();
  counted.holds(`${name} is installed`, false, reason);
  return counted;
}
