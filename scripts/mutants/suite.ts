import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

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
 * Runs files of tests in the copy below `root`, for `seconds` at most. `null`: it did not come to its end, which a
 * mistake can cause as well (a loop without an end, a file that does not load).
 */
export async function runTests(
  root: string,
  files: readonly string[],
  { seconds, bail }: { readonly seconds: number; readonly bail: boolean },
): Promise<Ran | null> {
  const report = join(root, "mutants.report.json");
  rmSync(report, { force: true });
  const words = ["run", "--project", "code", "--testTimeout", "40000", "--hookTimeout", "40000"];
  const args = [...words, ...(bail ? ["--bail", "1"] : []), ...files];
  const env = { ...process.env, HOME: join(root, "mutants.home"), UWF_TEST_REPORT: report };
  const child = spawn(join(root, "node_modules/.bin/vitest"), args, {
    cwd: root,
    env,
    stdio: "ignore",
    detached: true,
  });
  group = child.pid ?? null;
  const timer = setTimeout(endTests, seconds * 1000);
  await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  endTests();
  if (!existsSync(report)) return null;
  const { testResults }: Report = JSON.parse(readFileSync(report, "utf8"));
  const nameOf = ({ name }: { readonly name: string }): string => relative(root, name);
  return {
    failed: testResults.filter(({ status }) => status === "failed").map(nameOf),
    costs: new Map(testResults.map((each) => [nameOf(each), each.endTime - each.startTime])),
  };
}

/** The process group of the run under way. */
let group: number | null = null;

/** Ends the run under way with all that it has left: a mistake can leave programs behind that never end. */
export function endTests(): void {
  if (group === null) return;
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended.
  }
  group = null;
}
