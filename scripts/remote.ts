import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openRemote, type Remote } from "@uncaged/workflow-remote";
import { launchPostgres, type Server } from "../packages/workflow-remote/test/support/server.js";

// `bun scripts/remote.ts steps [rounds [workers [ms]]]`: workers of a remote and as many local loops in turn, each with storage
// roots of its own and the mock agent, which works for so many ms. On a machine that does nothing else: side by side, the ones would get the time that the
// others wait for the database.
// `bun scripts/remote.ts rows <threads> <nodes>`: lease, fetch and push on so many rows.
// The figures of docs/performance.md; needs a built tree and PostgreSQL.

const root = resolve(import.meta.dirname, "..");
const uwf = join(root, "packages/cli-workflow/bin/uwf");
const folder = mkdtempSync(join(tmpdir(), "uwf-remote-"));

/** Steps that one loop or worker takes in a round: a worker is a long process, and its first dozens are slower. */
const STEPS = 50;

/** Threads of each, of five steps: they come to their end. */
const THREADS = 10;

type Env = Readonly<Record<string, string | undefined>>;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const spread = (values: readonly number[]): string => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): string =>
    (sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN).toFixed(2);
  return `${at(0.5)} (${at(0.1)} to ${at(0.9)})`;
};

/** The example's scenario, with agents that work for so many ms. */
function scenarioOf(workMs: number): string {
  const file = join(folder, "agents.scenario.yaml");
  const text = readFileSync(join(root, "examples/solve-issue.scenario.yaml"), "utf8");
  writeFileSync(file, text.replaceAll(/^ {4}- reply:/gm, `    - delayMs: ${workMs}\n      reply:`));
  return file;
}

function envOf(name: string, url: string, scenario: string): Env {
  const storage = join(folder, name);
  mkdirSync(storage, { recursive: true });
  const args = ["--scenario", scenario];
  const agents = { mock: { command: join(root, "packages/workflow-agent-mock/bin/uwf-mock"), args } };
  writeFileSync(join(storage, "config.yaml"), JSON.stringify({ agents, defaultAgent: "mock" }));
  return { ...process.env, UNCAGED_WORKFLOW_STORAGE_ROOT: storage, UWF_REMOTE_URL: url };
}

function run(words: readonly string[], env: Env): { readonly thread: string; readonly done: boolean } {
  const { status, stdout, stderr } = spawnSync(uwf, words, { env, cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`uwf ${words.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => child.once("exit", done));
}

/** When each step was over, in ms. */
type Times = readonly number[];

const START = ["thread", "start", "solve-issue", "-p", "Fix it"] as const;
const SUBMIT = ["thread", "submit", "solve-issue", "-p", "Fix it"] as const;

function begin(env: Env): readonly string[] {
  return Array.from({ length: THREADS }, () => run([...START], env).thread);
}

/** A caller that steps its threads in turn, as a worker does. */
async function localLoop(env: Env, begun: readonly string[]): Promise<Times> {
  let threads = begun;
  const times: number[] = [];
  while (times.length < STEPS) {
    const [thread = "", ...others] = threads;
    const child = spawn(uwf, ["thread", "step", thread], {
      env,
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
    });
    let said = "";
    child.stdout.on("data", (text) => {
      said += text;
    });
    await new Promise((done) => child.once("close", done));
    times.push(performance.now());
    threads = said.includes('"done": true') ? others : [...others, thread];
  }
  return times;
}

async function worker(env: Env): Promise<Times> {
  const words = ["worker", "--max-steps", String(STEPS)];
  const child = spawn(uwf, words, { env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const times: number[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    for (const line of text.split("\n"))
      if (/^[0-9A-Z]{26} .*step \d+/.test(line)) times.push(performance.now());
  });
  const code = await exitOf(child);
  if (code !== 0 || times.length !== STEPS)
    throw new Error(`a worker ended with ${code} after ${times.length} steps`);
  return times;
}

type Side = "local" | "remote";

/** Steps per second while all of one side were at work, and the times between the steps of each. */
function judge(lanes: readonly Times[]) {
  const from = Math.max(...lanes.map((times) => times[0] ?? 0));
  const to = Math.min(...lanes.map((times) => times.at(-1) ?? 0));
  const within = lanes.map((times) => times.filter((time) => time > from && time <= to));
  const count = within.reduce((sum, times) => sum + times.length, 0);
  return {
    rate: (count * 1000) / (to - from),
    gaps: within.flatMap((times) => times.slice(1).map((time, at) => time - (times[at] ?? 0))),
  };
}

async function steps(
  server: Server,
  rounds: number,
  { counts, workMs }: { readonly counts: readonly number[]; readonly workMs: number },
): Promise<void> {
  const scenario = scenarioOf(workMs);
  for (const many of counts) {
    const ratios: number[] = [];
    const rates: Record<Side, number[]> = { local: [], remote: [] };
    const gaps: Record<Side, number[]> = { local: [], remote: [] };
    const url = server.database();
    const envs = (kind: Side): readonly Env[] =>
      Array.from({ length: many }, (_, at) => envOf(`${kind}-${many}-${at}`, url, scenario));
    const [locals, workers] = [envs("local"), envs("remote")];
    const submitter = workers[0] ?? {};
    for (const env of [...locals, submitter]) {
      run(["workflow", "put", join(root, "examples/solve-issue.yaml")], env);
    }
    run(["remote", "init"], submitter);
    for (let round = 0; round < rounds; round += 1) {
      const begun = locals.map(begin);
      for (let each = 0; each < THREADS * many; each += 1) run([...SUBMIT], submitter);
      const local = await Promise.all(locals.map((env, at) => localLoop(env, begun[at] ?? [])));
      const remote = await Promise.all(workers.map(worker));
      const sides = { local: judge(local), remote: judge(remote) };
      for (const side of ["local", "remote"] as const) {
        rates[side].push(sides[side].rate);
        gaps[side].push(...sides[side].gaps);
      }
      ratios.push(sides.remote.rate / sides.local.rate);
    }
    const [local, remote] = [median(gaps.local), median(gaps.remote)];
    console.log(`${many} workers and ${many} loops in turn: remote ÷ local ${spread(ratios)}`);
    console.log(`   local ${spread(rates.local)} steps/s, remote ${spread(rates.remote)}`);
    console.log(`   a step: local ${local.toFixed(1)} ms, remote ${(remote - local).toFixed(1)} ms more`);
  }
}

/** Chains of so many nodes, the last one of each a head; as `COPY` or a dump would bring them. */
async function fill({ psql }: Server, database: string, threads: number, nodes: number): Promise<void> {
  const each = Math.floor(nodes / threads);
  const hash = (thread: string, at: string): string =>
    `'N' || lpad(to_hex(${thread}), 8, '0') || lpad((${at})::text, 4, '0')`;
  psql(
    `INSERT INTO uwf.nodes VALUES ('TYPE', 'TYPE', '{TYPE}', 'x');
     INSERT INTO uwf.nodes SELECT ${hash("t", "n")}, 'TYPE',
       CASE WHEN n = 0 THEN '{TYPE}'::text[] ELSE ARRAY['TYPE', ${hash("t", "n - 1")}] END,
       decode(repeat(md5(t::text || n), 12), 'hex')
     FROM generate_series(1, ${threads}) t, generate_series(0, ${each - 1}) n;
     INSERT INTO uwf.roots VALUES ('other', now(), 86400);
     INSERT INTO uwf.threads (thread, workflow, head, steps, ended, held, due, leased_by, changed)
     SELECT '01' || lpad(t::text, 24, '0'), 'W', ${hash("t", String(each - 1))}, ${each},
       CASE WHEN t % 10 < 6 THEN 'end' END, CASE WHEN t % 10 = 6 THEN '{"for": "answer"}'::jsonb END,
       CASE WHEN t % 10 = 6 THEN 'infinity' ELSE now() END, CASE WHEN t % 1000 = 7 THEN 'other' END, now()
     FROM generate_series(1, ${threads}) t;
     ANALYZE;`,
    database,
  );
}

async function rows(server: Server, threads: number, nodes: number): Promise<void> {
  const url = server.database();
  const opened = await openRemote(url);
  if (!opened.ok) throw new Error(opened.error.code);
  const remote = opened.value;
  good(await remote.migrate());
  const began = performance.now();
  await fill(server, /\/\/\/(\w+)\?/.exec(url)?.[1] ?? "", threads, nodes);
  const { bytes, nodes: there } = good(await remote.status());
  console.log(
    `${threads} threads, ${there} nodes, ${(bytes / 2 ** 30).toFixed(2)} GiB, made in ${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  await timeSteps(remote);
  await remote.close();
}

async function timeSteps(remote: Remote): Promise<void> {
  const times: Record<string, number[]> = {
    lease: [],
    "fetch of one node": [],
    push: [],
    "lease of nothing": [],
  };
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const value = await work();
    times[name]?.push(performance.now() - began);
    return value;
  };
  good(await remote.announce({ root: "own", leaseSeconds: 900, host: "here", folder, place: null }));
  for (let at = 0; at < 400; at += 1) {
    const leased = good(
      await timed("lease", () => remote.leaseNext({ root: "own", inFlight: [], workflow: null })),
    );
    if (leased === null) throw new Error("nothing is ready");
    const { thread, head, lease } = leased;
    good(
      await timed("fetch of one node", () =>
        remote.fetch(head, ["TYPE", head.replace(/\d{4}$/, (n) => String(Number(n) - 1).padStart(4, "0"))]),
      ),
    );
    const made = Array.from({ length: 10 }, (_, each) => ({
      hash: `S${at}.${each}`,
      type: "TYPE",
      refs: ["TYPE", ...(each === 0 ? [head] : [`S${at}.${each - 1}`])],
      bytes: new Uint8Array(600),
    }));
    const push = {
      thread,
      expected: head,
      lease,
      next: `S${at}.9`,
      steps: 1,
      ended: null,
      commit: null,
      nodes: made,
      entry: { event: "step" },
    };
    const pushed = good(await timed("push", () => remote.push(push)));
    if (pushed.kind !== "moved") throw new Error("refused");
    good(
      await timed("lease of nothing", () =>
        remote.leaseNext({ root: "own", inFlight: [], workflow: "NONE" }),
      ),
    );
  }
  for (const [name, all] of Object.entries(times)) console.log(`   ${name}: ${spread(all)} ms`);
}

function good<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const [kind = "", first = "5", second = "0", third = "0"] = process.argv.slice(2);
const server = await launchPostgres(["max_wal_size=8GB"]);
// A signal alone would leave it running.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void server.remove().then(() => process.exit(1)));
}
try {
  const counts = second === "0" ? [1, 2, 4] : second.split(",").map(Number);
  if (kind === "steps") await steps(server, Number(first), { counts, workMs: Number(third) });
  else await rows(server, Number(first), Number(second));
} finally {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
}
