import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// The main job, by the real binaries, in a storage root of its own: put, start, step until done, read.

const root = resolve(import.meta.dirname, "..");
const uwf = join(root, "packages/cli-workflow/bin/uwf");
const mock = join(root, "packages/workflow-agent-mock/bin/uwf-mock");
const workflow = join(root, "examples/solve-issue.yaml");
const scenario = join(root, "examples/solve-issue.scenario.yaml");
const storage = mkdtempSync(join(tmpdir(), "uwf-demo-"));
process.on("exit", () => rmSync(storage, { recursive: true, force: true }));
// A signal alone would end this process before that; Ctrl-C reaches the command under way as well.
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));
const env = { ...process.env, UNCAGED_WORKFLOW_STORAGE_ROOT: storage };

/** More than the scenario needs: a demo that does not end is a bug, not a long demo. */
const MAX_STEPS = 12;

function run(args: readonly string[], shown: string): string {
  console.log(`\n$ ${shown}`);
  const child = spawnSync(uwf, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (child.error !== undefined) throw child.error;
  if (child.status !== 0) throw new Error(`uwf ${args[0]} ${args[1]} exited with ${child.status}`);
  process.stdout.write(child.stdout);
  return child.stdout;
}

type Step = { readonly role: string; readonly output: Readonly<Record<string, unknown>> };

/** What the newest step said: its role, the verdict where it gives one, and the reason. */
function tellStep(thread: string): void {
  const steps = spawnSync(uwf, ["thread", "steps", thread], { env, encoding: "utf8" });
  const { role, output } = (JSON.parse(steps.stdout) as { readonly steps: readonly Step[] }).steps.at(
    -1,
  ) as Step;
  const verdict = output.approved === undefined ? "" : output.approved === true ? " approves" : " rejects";
  console.log(`→ ${role}${verdict}: ${String(output.comments ?? output.summary ?? output.plan).trim()}`);
}

function stepToEnd(thread: string): number {
  const agent = `'${mock}' --scenario '${scenario}'`;
  for (let steps = 1; steps <= MAX_STEPS; steps += 1) {
    const output = run(
      ["thread", "step", thread, "--agent", agent],
      `uwf thread step ${thread} --agent "uwf-mock --scenario examples/solve-issue.scenario.yaml"`,
    );
    tellStep(thread);
    if ((JSON.parse(output) as { readonly done: boolean }).done) return steps;
  }
  throw new Error(`the demo thread is not done after ${MAX_STEPS} steps`);
}

console.log(`The storage root of this demo is ${storage}`);
run(["workflow", "put", workflow], "uwf workflow put examples/solve-issue.yaml");
const started = run(
  ["thread", "start", "solve-issue", "-p", "parsePort accepts 80x. Fix it."],
  'uwf thread start solve-issue -p "parsePort accepts 80x. Fix it."',
);
const { thread } = JSON.parse(started) as { readonly thread: string };
const steps = stepToEnd(thread);
run(["thread", "read", thread, "--quota", "20000"], `uwf thread read ${thread} --quota 20000`);

console.log(`
Done in ${steps} steps, every one an immutable node. The demo's storage root is removed again.

The same in your own storage root, from this folder; replace the mock by an agent that you have:
  export PATH="$PWD/node_modules/.bin:$PATH"
  uwf setup --agent "uwf-mock --scenario $PWD/examples/solve-issue.scenario.yaml"
  uwf workflow put examples/solve-issue.yaml
  thread=$(uwf thread start solve-issue -p "parsePort accepts 80x. Fix it." | grep -o '[0-9A-Z]\\{26\\}')
  uwf thread run "$thread"
  uwf thread read "$thread"
Your own agent is ten lines: see "Write an agent" in docs/agents.md.`);
