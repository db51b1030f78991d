import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Doc, ended, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

type Gc = Doc & {
  readonly garbage: number;
  readonly removed: number;
  readonly young: number;
  readonly roots: Readonly<Record<string, number>>;
};

function nodes(box: Sandbox): readonly string[] {
  return readdirSync(join(box.root, "cas"))
    .filter((name) => name.endsWith(".bin"))
    .sort();
}

/** Makes every node look years old: no step is under way. */
function age(box: Sandbox): void {
  for (const name of nodes(box)) utimesSync(join(box.root, "cas", name), 1e9, 1e9);
}

function forget(box: Sandbox): void {
  rmSync(join(box.root, "logs"), { recursive: true, force: true });
}

describe.each(RUNTIMES)("uwf cas gc on %s", (runtime) => {
  it("keeps threads, ended threads and registered workflows; removes the rest with --yes", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const { thread: killed } = await box.json(["thread", "start", "turns", "-p", "To be killed"]);
    await box.json(["thread", "kill", killed]);
    const garbage = (await box.json(["cas", "schema", "put", '{"title": "Garbage"}'])).hash;
    age(box);
    const before = nodes(box);
    expect(await box.json<Gc>(["cas", "gc"])).toMatchObject({
      garbage: 1,
      removed: 0,
      hashes: [garbage],
      roots: { heads: 1, history: 2, registry: 1 },
    });
    expect(nodes(box)).toEqual(before);
    expect(await box.json<Gc>(["cas", "gc", "--yes"])).toMatchObject({ removed: 1 });
    expect(nodes(box)).toHaveLength(before.length - 1);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0, staleIndexLines: 0 });
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    expect((await box.json(["thread", "steps", killed])).steps).toHaveLength(1);
  });
});

describe("what uwf cas gc keeps", () => {
  it("is what a log names", async () => {
    const box = sandbox();
    const { hash } = await box.json(["cas", "schema", "put", '{"title": "Named"}']);
    age(box);
    box.write(join(box.root, "logs/2026-01-01.jsonl"), `{"tag":"X","raw":"${hash}"}\n`);
    expect(await box.json<Gc>(["cas", "gc", "--yes"])).toMatchObject({ removed: 0, roots: { logs: 1 } });
    forget(box);
    expect(await box.json<Gc>(["cas", "gc", "--yes"])).toMatchObject({ removed: 1, hashes: [hash] });
  });

  it("is what a running agent has stored, however short the grace period", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    const child = reap(box.start(["thread", "step", thread, "--agent", zoo("waits", `'${gate}'`)]));
    const run = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    const { hash } = await box.json(["cas", "schema", "put", '{"title": "By the agent"}']);
    expect(await box.json<Gc>(["cas", "gc", "--yes", "--grace", "0"])).toMatchObject({ removed: 0 });
    expect((await box.uwf(["cas", "has", hash])).code).toBe(0);
    writeFileSync(gate, "");
    expect((await run).code).toBe(0);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });

  it("is everything, exit 7, when a file that names roots cannot be trusted", async () => {
    const damages = { "threads.yaml": "- no map\n", "history.jsonl": "no json\n", "registry.yaml": "a: b\n" };
    for (const [name, text] of Object.entries(damages)) {
      const box = sandbox();
      await startTurns(box);
      await box.json(["cas", "schema", "put", '{"title": "Garbage"}']);
      age(box);
      const before = nodes(box);
      box.write(join(box.root, name), text);
      for (const flags of [[], ["--yes"]]) {
        const ran = await box.uwf(["cas", "gc", ...flags]);
        expect({ name, code: ran.code, stdout: ran.stdout }).toEqual({ name, code: 7, stdout: "" });
        expect(ran.stderr).toContain(`error[STORE_DAMAGED]: ${join(box.root, name)}`);
      }
      expect(nodes(box)).toEqual(before);
    }
  });

  it("is everything, exit 7, when the history of a thread is damaged", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    await box.json(["cas", "schema", "put", '{"title": "Garbage"}']);
    age(box);
    const { steps } = await box.json(["thread", "steps", thread]);
    const detail = join(box.root, "cas", `${steps[1]?.detail}.bin`);
    rmSync(detail);
    const before = nodes(box);
    const ran = await box.uwf(["cas", "gc", "--yes"]);
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      refused: true,
      removed: 0,
      problems: [{ kind: "missing", referrer: head }],
    });
    expect(nodes(box)).toEqual(before);
  });

  it("is nothing that is missing: a store that does not exist has no garbage", async () => {
    expect(await sandbox().json<Gc>(["cas", "gc", "--yes"])).toMatchObject({
      nodes: 0,
      removed: 0,
      refused: false,
    });
  });
});

describe("uwf cas gc --yes without a grace period, beside everything else", () => {
  it("breaks no step, and everything that was reported as started, forked or put is complete", {
    timeout: 300_000,
  }, async () => {
    const box = sandbox(RUNTIMES.at(-1));
    const threads = [await startTurns(box)];
    for (const n of [1, 2])
      threads.push((await box.json(["thread", "start", "turns", "-p", `task ${n}`])).thread);
    let [isOver, rounds] = [false, 0];
    const collecting = (async () => {
      while (!isOver) {
        const ran = await box.uwf(["cas", "gc", "--yes", "--grace", "0"]);
        expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: ran.stderr });
        rounds += 1;
      }
    })();
    const stepping = threads.map(async (thread) => {
      for (let step = 0; step < 3; step += 1) {
        const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
        expect([0, 8], ran.stderr).toContain(ran.code);
      }
    });
    const made: string[] = [];
    const making = (async () => {
      for (let n = 0; n < 4; n += 1) {
        const put = await box.uwf([
          "workflow",
          "put",
          box.write(`w${n}/turns.yaml`, TURNS.replace("Two roles in turn", `Version ${n}`)),
        ]);
        expect(put.code, put.stderr).toBe(0);
        const started = await box.uwf(["thread", "start", "turns", "-p", `made ${n}`]);
        expect([0, 7], started.stderr).toContain(started.code);
        if (started.code === 0) made.push(JSON.parse(started.stdout).thread);
        const { head } = await box.json(["thread", "show", threads[n % 3] ?? ""]);
        const fork = await box.uwf(["thread", "fork", head]);
        expect(fork.code, fork.stderr).toBe(0);
        made.push(JSON.parse(fork.stdout).thread);
      }
    })();
    await Promise.all([...stepping, making]);
    isOver = true;
    await collecting;
    expect(rounds).toBeGreaterThan(0);
    const verified = await box.uwf(["cas", "verify"]);
    expect({ code: verified.code, stderr: verified.stderr }).toEqual({ code: 0, stderr: "" });
    for (const thread of [...threads, ...made]) await box.json(["thread", "steps", thread]);
  });
});
