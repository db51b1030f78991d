import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

// A remote on an embedded PostgreSQL: threads are submitted, a worker steps four at a time and is killed twice, and at the
// end every step has been taken once. Needs nothing that is not in this repository.

const root = resolve(import.meta.dirname, "..");
const uwf = join(root, "packages/cli-workflow/bin/uwf");
const mock = join(root, "packages/workflow-agent-mock/bin/uwf-mock");
const scenario = join(root, "examples/solve-issue.scenario.yaml");
const folder = mkdtempSync(join(tmpdir(), "uwf-demo-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// A signal alone would end this process before that; Ctrl-C reaches the command under way as well.
process.on("SIGINT", () => process.exit(130));
process.on("SIGTERM", () => process.exit(143));

const worker = join(folder, "worker");
const own = { ...process.env, UWF_REMOTE_URL: `pglite:${folder}/database` };
const env = { ...own, UNCAGED_WORKFLOW_STORAGE_ROOT: join(folder, "storage") };
const workerEnv = { ...own, UNCAGED_WORKFLOW_STORAGE_ROOT: worker };

const THREADS = 6;

/** After how many pushed steps the worker is killed. */
const KILLS = [3, 8] as const;

type Env = Readonly<Record<string, string | undefined>>;

function run(words: readonly string[], at: Env = env): string {
  console.log(`$ uwf ${words.map((word) => (/[ .]/.test(word) ? `"${word}"` : word)).join(" ")}`);
  const child = spawnSync(uwf, words, { env: at, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  if (child.status !== 0) throw new Error(`uwf ${words[0]} ${words[1]} exited with ${child.status}`);
  return child.stdout;
}

/** Runs a worker until it has pushed so many steps; then it is killed with SIGKILL. */
async function killedAfter(steps: number): Promise<void> {
  console.log(`$ uwf worker --jobs 4     (killed after ${steps} steps)`);
  const child: ChildProcess = spawn(uwf, ["worker", "--jobs", "4"], {
    env: workerEnv,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let seen = 0;
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    process.stdout.write(text);
    seen += text.split("\n").length - 1;
    if (seen >= steps) child.kill("SIGKILL");
  });
  await new Promise((resolveExit) => child.once("exit", resolveExit));
}

run(["remote", "init"]);
run(["workflow", "put", join(root, "examples/solve-issue.yaml")]);
const threads: string[] = [];
for (let count = 1; count <= THREADS; count += 1) {
  const submitted = run(["thread", "submit", "solve-issue", "-p", `Fix number ${count}.`]);
  threads.push((JSON.parse(submitted) as { readonly thread: string }).thread);
}
mkdirSync(worker);
const agents = { mock: { command: mock, args: ["--scenario", scenario] } };
writeFileSync(join(worker, "config.yaml"), JSON.stringify({ agents, defaultAgent: "mock" }));
for (const steps of KILLS) await killedAfter(steps);
run(["worker", "--jobs", "4", "--until-idle"], workerEnv);

/** Asks for what is counted, and prints neither the command nor what it says. */
function ask(words: readonly string[]): string {
  return execFileSync(uwf, words, { env: workerEnv, encoding: "utf8" });
}

type Listed = { readonly thread: string; readonly steps: number; readonly ended: string | null };
const listed = JSON.parse(ask(["thread", "list", "--all", "--remote"])) as readonly Listed[];
const taken = listed.reduce((sum, { steps }) => sum + steps, 0);
type Entry = { readonly outcome?: string; readonly adopted?: string };
const log = JSON.parse(ask(["log", "--remote"])) as readonly Entry[];
const runs = log.filter(({ outcome }) => outcome !== undefined);
const adopted = log.filter((entry) => entry.adopted !== undefined).length;
const isWhole = listed.length === THREADS && listed.every(({ ended }) => ended === "end");
console.log(
  `\n${listed.length} threads, ${taken} steps, ${runs.length} runs of agents, ${KILLS.length} killed workers`,
);
if (!isWhole || runs.length !== taken || runs.some(({ outcome }) => outcome !== "step")) {
  throw new Error("a thread has not ended, or a step was run twice");
}
console.log(
  `Every thread has ended, and every step was run once; of the killed workers' steps ${adopted} were finished already, and the next worker pushed them.`,
);
