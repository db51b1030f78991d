import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStorage, putStart, readRegistry } from "@uncaged/workflow-store";
import { HELD, ROLE, type Tell, teller } from "../children/tree.js";
import type { Session } from "../frame.js";
import { openWorld, putTurns, type Ran, RUNTIMES, startThread, type World } from "../world.js";

/** A person plays the only role. */
const GATE = `name: gate
description: A question
roles:
  asker:
${ROLE}
    agent: human
    meta: { type: object, required: [ok], properties: { ok: { type: boolean } } }
conditions: {}
graph:
  $START: [{ role: asker, condition: null }]
  asker: [{ role: $END, condition: null }]
`;

/** Waits for an answer, or for another thread, in turns; tells each of its starts. */
const WAITER = ({ cwd }: World, other: { readonly thread: string; readonly head: string }): string => {
  const threads = [{ ...other, held: true }];
  const [answer, thread] = [
    { for: "answer", question: "May I?" },
    { for: "threads", threads },
  ];
  return `#!/bin/sh
echo "$1" >>'${cwd}/starts'
case "$(($(wc -l <'${cwd}/starts') % 2))" in
  0) waiting='${JSON.stringify(answer)}' ;;
  *) waiting='${JSON.stringify(thread)}' ;;
esac
echo "$waiting" >"$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/waiting.json"
exit 9
`;
};

/** So many threads wait for people, for what an agent has asked, and for one another. */
async function furnish(world: World, many: number): Promise<readonly string[]> {
  await putTurns(world);
  writeFileSync(join(world.cwd, "gate.yaml"), GATE);
  await world.json(["workflow", "put", join(world.cwd, "gate.yaml")]);
  const { thread: asked } = await world.json(["thread", "start", "gate", "-p", "Ask"]);
  await world.uwf(["thread", "step", asked]);
  const { head } = await world.json(["thread", "show", asked]);
  const waiter = join(world.cwd, "waiter.sh");
  writeFileSync(waiter, WAITER(world, { thread: asked, head }), { mode: 0o755 });
  await world.json(["setup", "--agent", waiter]);
  const heads = await startsOf(world);
  const threads = Array.from({ length: many }, (_, at) => threadAt(at));
  // In one go: started one by one they would take a minute.
  const lines = threads.map((thread, at) => `${thread}: "${heads[at % heads.length]}"\n`);
  const { threads: file } = openStorage(world.root, { now: Date.now }).paths;
  writeFileSync(file, lines.join("") + readFileSync(file, "utf8"));
  return threads;
}

/** A start of each workflow. */
async function startsOf({ root }: World): Promise<readonly string[]> {
  const storage = openStorage(root, { now: Date.now });
  const registry = await readRegistry(storage);
  if (!registry.ok) throw new Error(registry.error.code);
  return Promise.all(
    Object.values(registry.value).map((workflow) => putStart(storage.cas, { workflow, prompt: "Wait" })),
  );
}

/** In ascending order, and older than any that is started now. */
function threadAt(number: number): string {
  return `01ARZ3NDEKTSV4RRFF${String(number).padStart(8, "0")}`;
}

/** Threads that wait are stepped in a loop: each says so, no agent starts, and nothing is written. */
export async function heldRound(session: Session, folder: string, many: number): Promise<void> {
  const { count } = session;
  const world = openWorld(folder, RUNTIMES[0]);
  const tell = teller(session, `${many} threads that wait`);
  const threads = await furnish(world, many);
  const first = await world.uwf(["thread", "run", "--all", "--jobs", "2"]);
  if (first.code !== 0) tell("one line serves all threads", `${first.code}: ${first.stderr.slice(-600)}`);
  const ended = await startThread(world);
  await world.json(["thread", "kill", ended]);
  const before = traces(world);
  const ms = { held: 0, ended: 0 };
  for (const [at, thread] of threads.entries()) {
    const held = await timed(() => world.uwf(["thread", "step", thread]));
    judgeAnswer(thread, held.ran, tell);
    if (at >= PAIRS) continue;
    ms.held += held.ms;
    ms.ended += (await timed(() => world.uwf(["thread", "step", ended]))).ms;
  }
  const all = await world.uwf(["thread", "run", "--all"]);
  if (all.code !== 0 || JSON.parse(all.stdout).held !== many + 1)
    tell("threads that wait are passed over", `${all.code}: ${all.stdout.slice(0, 600)}${all.stderr}`);
  const after = traces(world);
  if (after !== before)
    tell("a thread that waits costs no run and no line in the log", `${before} became ${after}`);
  count("answers of threads that wait", many);
  count(`ms for ${Math.min(many, PAIRS)} of these answers`, Math.round(ms.held));
  count("ms for as many of an ended thread", Math.round(ms.ended));
}

/** So many answers are timed, in turn with those of an ended thread. */
const PAIRS = 200;

function judgeAnswer(thread: string, { code, stdout, stderr }: Ran, tell: Tell): void {
  if (code !== HELD || stdout !== "" || !/^error\[WAITING_FOR_(ANSWER|THREADS)\]: /m.test(stderr))
    tell("a thread that waits says so", `${thread}: exit ${code}: ${stdout}${stderr}`);
}

/** What a run leaves: starts of the agent, bytes of the log, heads, and files of threads. */
function traces({ root, cwd, read }: World): string {
  const starts = existsSync(join(cwd, "starts")) ? readFileSync(join(cwd, "starts"), "utf8").length : 0;
  const logs = readdirSync(join(root, "logs")).map((name) => statSync(join(root, "logs", name)).size);
  const runs = readdirSync(join(root, "runs"), { recursive: true }).length;
  return JSON.stringify({ starts, logs, runs, heads: read("threads.yaml").length });
}

async function timed(run: () => Promise<Ran>): Promise<{ readonly ran: Ran; readonly ms: number }> {
  const started = performance.now();
  const ran = await run();
  return { ran, ms: performance.now() - started };
}
