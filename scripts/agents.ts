import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeLlm } from "./agents/fake-llm.js";
import {
  EXPECTED,
  judgeFailures,
  judgeServer,
  judgeTrace,
  movesOf,
  newTally,
  TASK,
  type Tally,
} from "./agents/judge.js";
import { SUBJECTS, type Subject } from "./agents/subjects.js";
import { install, makeWorld, type Ran, ROOT, type World } from "./agents/world.js";

// `bun run test:agents [word…]`: installs real agents of pinned versions into a scratch folder and lets each solve the
// example issue against a model of our own on 127.0.0.1. Words choose those whose name has one of them. The last line
// is "N passed, N failed", also as JSON in the file that UWF_AGENTS_REPORT names. What is installed is in no way a
// dependency of what is published.

const words = process.argv.slice(2);
const chosen = SUBJECTS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const scratch = mkdtempSync(join(tmpdir(), "uwf-agents-"));
const installed = new Map<string, ReturnType<typeof install>>();
const total = { passed: 0, failed: chosen.length === 0 ? 1 : 0 };
try {
  for (const subject of chosen) {
    const { program, name } = subject;
    console.error(`${name}: ${program.package}@${program.version}`);
    const { bin, reason } = installed.get(program.package) ?? install(subject, scratch);
    installed.set(program.package, bin === null ? { bin, reason } : { bin, reason: null });
    if (bin === null) console.error(reason);
    const { passed, failed } = bin === null ? { passed: 0, failed: 1 } : await twice(subject, bin);
    total.passed += passed;
    total.failed += failed;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

const report = process.env.UWF_AGENTS_REPORT ?? "";
const { passed, failed } = total;
if (report !== "") writeFileSync(report, JSON.stringify({ numPassedTests: passed, numFailedTests: failed }));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Other people's programs have races of their own: one that fails is run again, and the second time counts. */
async function twice(subject: Subject, bin: string): Promise<Tally["counts"]> {
  const first = await attempt(subject, bin, 1);
  if (first.failed === 0) return first;
  console.error(`${subject.name}: it failed; once more`);
  return attempt(subject, bin, 2);
}

/** Runs solve-issue to its end by one real agent against a server of our own, and checks what is left of it. */
async function attempt(subject: Subject, bin: string, number: number): Promise<Tally["counts"]> {
  const tally = newTally();
  const moves = movesOf(subject);
  const llm = await startFakeLlm(moves);
  try {
    const world = makeWorld(subject, join(scratch, `${subject.agent.command}-${number}`), bin, llm.baseUrl);
    const { code, stdout } = await world.agent("--check", ...subject.agent.args);
    tally.equal("--check is content with what is installed and configured", code, 0);
    tally.holds("--check tells the version", stdout.includes(subject.program.version), stdout);
    const ended = await stepToEnd(subject, world, tally);
    if (ended === null) return tally.counts;
    judgeServer(llm, moves.length, tally);
    judgeTrace(subject, world.storage, ended.head, tally);
    if (tally.counts.failed > 0) console.error(ended.told);
    return tally.counts;
  } finally {
    await llm.close();
  }
}

type Ended = { readonly head: string; readonly told: string };

/** Registers solve-issue, starts a thread and steps it to its end; gives its head and what was said on stderr, or `null`. */
async function stepToEnd(subject: Subject, world: World, tally: Tally): Promise<Ended | null> {
  const put = await world.uwf("workflow", "put", join(ROOT, "examples/solve-issue.yaml"));
  const started = await world.uwf("thread", "start", "solve-issue", "-p", TASK);
  if (put.code !== 0 || started.code !== 0) {
    tally.holds("a thread of solve-issue is started", false, put.stderr + started.stderr);
    return null;
  }
  const { thread } = JSON.parse(started.stdout) as { readonly thread: string };
  const failures: Ran[] = [];
  let told = "";
  // More steps than the script has, one failed one included.
  for (let taken = 0; taken < EXPECTED.length + 3 && failures.length < 2; taken += 1) {
    const ran = await world.uwf("thread", "step", thread);
    told += ran.stderr;
    if (ran.code !== 0) {
      failures.push(ran);
      continue;
    }
    const { head, done } = JSON.parse(ran.stdout) as { readonly head: string; readonly done: boolean };
    if (!done) continue;
    tally.holds("the thread comes to its end", true, "");
    judgeFailures(subject, failures, tally);
    return { head, told };
  }
  const last = failures.map(({ stderr }) => stderr.slice(-1500)).join("\n");
  tally.holds("the thread comes to its end", false, last || "it is not done after all its steps");
  return null;
}
