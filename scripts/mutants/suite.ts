import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";

/** How a run of files of tests ended: those that failed, and how long each took, in ms. */
export type Ran = { readonly failed: readonly string[]; readonly costs: ReadonlyMap<string, number> };

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: "passed" | "failed";
    readonly startTime: number;
    readonly endTime: number;
  }[];
};

/**
 * Runs all files of tests in these folders of the copy below `root`, each in a worker of its own: what a file reaches
 * while it loads a module counts for this file, and not for the first one of a worker alone. `null`: no report.
 */
export async function runAll(root: string, folders: readonly string[]): Promise<Ran | null> {
  const report = join(root, "mutants.report.json");
  const args = ["run", "--project", "code", "--isolate", ...folders];
  const child = start(root, join(root, "node_modules/.bin/vitest"), args, { UWF_TEST_REPORT: report });
  child.stdout?.resume();
  await new Promise((resolve) => child.once("close", resolve));
  endTests();
  if (!existsSync(report)) return null;
  const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
  const nameOf = ({ name }: { readonly name: string }): string => relative(root, name);
  return {
    failed: testResults.filter(({ status }) => status === "failed").map(nameOf),
    costs: new Map(testResults.map((each) => [nameOf(each), each.endTime - each.startTime])),
  };
}

/**
 * Runs files of tests until one fails, for `seconds` at most. The ones that failed; `null`: they did not come to their
 * end, which a mistake can cause as well (a loop without an end, a worker that dies).
 */
export async function runUntilOneFails(
  root: string,
  files: readonly string[],
  seconds: number,
): Promise<readonly string[] | null> {
  const { child, lines } = runner ?? startRunner(root);
  const timer = setTimeout(endTests, seconds * 1000);
  child.stdin?.write(`${JSON.stringify(files)}\n`);
  let line = await lines.next();
  // A test may print, too.
  while (line.done !== true && !line.value.startsWith(ANSWER)) line = await lines.next();
  clearTimeout(timer);
  if (line.done !== true) return JSON.parse(line.value.slice(ANSWER.length)) as readonly string[];
  endTests();
  return null;
}

/** How a line of the runner's begins. */
const ANSWER = "failed: ";

type Runner = { readonly child: ChildProcess; readonly lines: AsyncIterator<string> };

let runner: Runner | null = null;

function startRunner(root: string): Runner {
  const child = start(root, "node", [join(root, "scripts/mutants/runner.mjs")], {});
  if (child.stdout === null) throw new Error("the runner of tests has no output");
  runner = { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  return runner;
}

function start(
  root: string,
  program: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): ChildProcess {
  const env = { ...process.env, HOME: join(root, "mutants.home"), ...more };
  const child = spawn(program, args, { cwd: root, env, stdio: ["pipe", "pipe", "ignore"], detached: true });
  child.stdin?.on("error", () => {});
  group = child.pid ?? null;
  return child;
}

/** The process group of the run under way. */
let group: number | null = null;

/** Ends the run under way with all that it has left: a mistake can leave programs behind that never end. */
export function endTests(): void {
  runner = null;
  if (group === null) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
  group = null;
}
