import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const WRITE = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin/uwf-agent-write");

const TURNS = 50;

/** An agent that reports fifty turns, and then does `last`. */
function tracer(box: Sandbox, last = ""): string {
  const turns = Array.from({ length: TURNS }, (_, turn) => ({
    input: `asked ${turn}`,
    output: `said ${turn}`,
    toolCalls: [{ name: "read", arguments: `file ${turn}`, result: `found ${turn}`, durationMs: 1 }],
    tokens: null,
    latencyMs: 1,
  }));
  const facts = box.write("facts.json", JSON.stringify({ sessionId: "long", turns }));
  const script = `#!/bin/sh\necho '{"text": "made"}' | '${WRITE}' --output --facts '${facts}' "$1" "$2"\n${last}\n`;
  const agent = box.write("tracer", script);
  chmodSync(agent, 0o755);
  return `'${agent}'`;
}

function filesIn(box: Sandbox): readonly string[] {
  const cas = join(box.root, "cas");
  const packs = existsSync(join(cas, "pack")) ? readdirSync(join(cas, "pack")) : [];
  return [...readdirSync(cas).filter((name) => name.endsWith(".bin")), ...packs];
}

describe.each(RUNTIMES)("on %s, a step of fifty turns", (runtime) => {
  it("is two files, and is read, followed, verified, exported and imported like any other", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const before = filesIn(box);
    const { head } = await box.json(["thread", "step", thread, "--agent", tracer(box)]);
    const added = filesIn(box).filter((name) => !before.includes(name));
    expect(added.map((name) => name.replace(/^.*\./, "")).sort()).toEqual(["idx", "pack"]);

    const read = await box.uwf(["thread", "read", thread]);
    expect([read.code, read.stdout.includes("made")]).toEqual([0, true]);
    expect((await box.json(["cas", "get", head])).payload.role).toBe("maker");
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0, damagedPacks: 0, packs: 1 });

    // The next step goes on from it, and a copy of the thread elsewhere has all of it.
    const next = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(next.code).toBe(0);
    const file = join(box.cwd, "thread.pack");
    expect((await box.uwf(["cas", "export", thread, "-o", file])).code).toBe(0);
    const other = sandbox(runtime);
    expect((await other.uwf(["cas", "import", file])).code).toBe(0);
    expect(await other.json(["cas", "get", head])).toEqual(await box.json(["cas", "get", head]));
  });

  it("is adopted when its uwf is killed after it was written", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const ready = join(box.cwd, "ready");
    const agent = tracer(box, `: > '${ready}'; while [ ! -e '${ready}.go' ]; do sleep 0.02; done`);
    const first = reap(box.start(["thread", "step", thread, "--agent", agent]));
    await until("the agent", () => existsSync(ready));
    const run = ended(first);
    first.kill("SIGKILL");
    await run;
    box.write("ready.go", "");
    const adopted = await box.uwf(["thread", "step", thread, "--wait=30", "--agent", zoo("garbage")]);
    expect(adopted.code).toBe(0);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0, packs: 1 });
  });
});
