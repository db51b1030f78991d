import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, reap } from "../../../cli-workflow/test/support/uwf.js";
import { BINARIES, type Server, startPostgres } from "../support/postgres.js";
import { type RemoteBox, remoteBox, type WorkerRoot } from "./support.js";

const DRAIN = ["worker", "--until-idle"];
const FULL_DISK = resolve(import.meta.dirname, "../../../cli-workflow/test/support/full-disk.mjs");

const starting: Promise<Server> | null = BINARIES === null ? null : startPostgres();

async function newBox(): Promise<RemoteBox> {
  return remoteBox(starting === null ? null : (await starting).database());
}

/** A worker whose agent is this shell script; its last two arguments are thread and role. */
function shellWorker(box: RemoteBox, name: string, script: string): WorkerRoot {
  const worker = box.worker(name, "valid");
  const sh = { command: "sh", args: ["-c", script, "agent"] };
  writeFileSync(join(worker.root, "config.yaml"), JSON.stringify({ agents: { sh }, defaultAgent: "sh" }));
  return worker;
}

/** An agent that tells why it has failed. */
const telling = (reason: string) => {
  const report = JSON.stringify({
    ...{ sessionId: null, cwd: null, model: null, usage: null, raw: null, words: null },
    fault: {
      code: "AGENT_FAILED",
      reason,
      retryAfter: null,
      retryable: false,
      message: `no ${reason}`,
      hint: null,
    },
  });
  return `printf %s '${report}' > "$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/report.json"; exit 1`;
};

async function states(box: RemoteBox): Promise<{ readonly ready: number; readonly failed: number }> {
  const status = await box.json<{ readonly threads: { readonly ready: number; readonly failed: number } }>(
    ["remote", "status"],
    { env: box.env },
  );
  return { ready: status.threads.ready, failed: status.threads.failed };
}

/** One that has worked before a file of its root was damaged. */
async function damagedWorker(box: RemoteBox, file: string, text: string): Promise<WorkerRoot> {
  const worker = box.worker("sick", "valid");
  await box.json(["worker", "--max-steps", "1"], { env: worker.env });
  writeFileSync(join(worker.root, file), text);
  return worker;
}

async function ends(box: RemoteBox): Promise<readonly (string | null)[]> {
  const all = ["thread", "list", "--remote", "--all"];
  return (await box.json<readonly { readonly ended: string | null }[]>(all, { env: box.env })).map(
    ({ ended }) => ended,
  );
}

/** What is wrong with the machine, the exit code of its fault, and a word of its sentence. */
const SICK: readonly (readonly [
  what: string,
  make: (box: RemoteBox) => WorkerRoot | Promise<WorkerRoot>,
  exit: number,
  says: RegExp,
])[] = [
  ["whose agent has no login", (box) => shellWorker(box, "sick", telling("auth")), 6, /no auth/],
  ["whose agent's credit is used up", (box) => shellWorker(box, "sick", telling("quota")), 6, /no quota/],
  ["whose agent has no network", (box) => shellWorker(box, "sick", telling("network")), 6, /no network/],
  ["whose agent's interpreter is not there", (box) => shellWorker(box, "sick", "exit 127"), 6, /with 127/],
  ["whose agent cannot write", (box) => shellWorker(box, "sick", "exit 74"), 74, /could not write/],
  ["whose threads.yaml is damaged", (box) => damagedWorker(box, "threads.yaml", "{"), 7, /threads\.yaml/],
  ["whose store a newer version has written", (box) => damagedWorker(box, "cas/_format", "99"), 7, /99/],
];

describe("a worker", () => {
  it.each(SICK)("%s says so and ends, and the threads are another's at once", async (_, make, exit, says) => {
    const box = await newBox();
    for (let count = 0; count < 3; count += 1) await box.submit();
    const sick = await make(box);
    const ran = await box.uwf(DRAIN, { env: sick.env });
    expect([ran.code, ran.stderr]).toEqual([exit, expect.stringContaining("error[WORKER_UNFIT]")]);
    expect(ran.stderr).toMatch(says);
    const { failed } = await states(box);
    expect(failed).toBe(0);
    const { env } = box.worker("well", "valid");
    await box.json(DRAIN, { env });
    expect(await ends(box)).toEqual(["end", "end", "end"]);
  });

  it("on a full disk puts no thread aside, wherever it meets it", async () => {
    const box = await newBox();
    for (let count = 0; count < 3; count += 1) await box.submit();
    const codes = new Set<number | null>();
    for (const writes of [1, 3, 8, 14, 20]) {
      const { env, root } = box.worker(`full-${writes}`, "valid");
      const config = JSON.parse(box.readAt(join(root, "config.yaml")));
      // Its own disk is another one.
      config.agents.zoo.env = ["PATH"];
      writeFileSync(join(root, "config.yaml"), JSON.stringify(config));
      const full = {
        NODE_OPTIONS: `--import ${FULL_DISK}`,
        UWF_TEST_WRITES: String(writes),
        UWF_RUNTIME: "node",
      };
      const ran = await ended(reap(box.start(["worker", "--max-steps", "1"], { env: { ...env, ...full } })));
      codes.add(ran.code);
      expect([writes, await states(box)]).toEqual([writes, expect.objectContaining({ failed: 0 })]);
    }
    expect([...codes].filter((code) => code !== 0)).toEqual([74]);
  });

  it("at which three threads have failed in a row ends before the rest is put aside, and all can be resumed", async () => {
    const box = await newBox();
    const threads: string[] = [];
    for (let count = 0; count < 5; count += 1) threads.push(await box.submit());
    const failing = box.worker("failing", "exit3");
    const ran = await box.uwf(DRAIN, { env: failing.env });
    expect([ran.code, ran.stderr]).toEqual([6, expect.stringContaining("3 threads in a row have failed")]);
    expect(box.agentRuns()).toHaveLength(3);
    expect(await states(box)).toEqual({ ready: 3, failed: 2 });
    const resume = ["thread", "resume", "--remote", "--failed"];
    const { resumed } = await box.json<{ readonly resumed: readonly { readonly thread: string }[] }>(resume, {
      env: box.env,
    });
    expect(resumed).toEqual(
      threads.slice(0, 2).map((thread) => ({
        ...{ thread, role: null, code: "AGENT_FAILED", why: expect.stringContaining("exited with 3") },
      })),
    );
    expect(await states(box)).toEqual({ ready: 5, failed: 0 });
    expect(await box.json(resume, { env: box.env })).toEqual({ resumed: [] });
    const { env } = box.worker("well", "valid");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 10, failed: 0 });
  });

  it("goes on with others where each of four threads is certainly to blame itself", async () => {
    const box = await newBox();
    const repository = join(box.home, "empty.git");
    spawnSync("git", ["init", "--quiet", "--bare", repository]);
    const submit = ["thread", "submit", "turns", "-p", "Do it"];
    for (let count = 0; count < 4; count += 1)
      await box.json([...submit, "--workspace", `file://${repository}#nowhere`], { env: box.env });
    await box.submit();
    const { env } = box.worker("well", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 2, refused: 0, failed: 4 });
  });

  it.each([
    [["thread", "resume"]],
    [["thread", "resume", "--failed"]],
    [["thread", "resume", "--remote"]],
    [["thread", "resume", "01KAJ5E8", "--remote", "--failed"]],
  ])("is not needed to learn that `uwf %j` names too little or too much", async (words) => {
    const box = await newBox();
    const ran = await box.uwf(words, { env: box.env });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("--remote --failed")]);
  });
});
