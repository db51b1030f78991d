import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { agentRuns } from "../support/logs.js";
import { ended, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { realZoo, startTurns } from "../support/workflows.js";

const UWF = resolve(import.meta.dirname, "../../bin/uwf");
const NAMESPACE = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc"];
const hasNamespaces = spawnSync("unshare", [...NAMESPACE, "true"]).status === 0;

/** A step whose agent works until `go`, in a pid namespace of its own: a container on the same storage root. */
async function startElsewhere(box: Sandbox, thread: string, name = "elsewhere") {
  const file = join(box.cwd, name);
  const words = [...NAMESPACE, UWF, "thread", "step", thread, "--agent", realZoo("waits", file)];
  const env = {
    PATH: process.env.PATH,
    HOME: box.home,
    UWF_RUNTIME: "node",
    UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
  };
  const uwf = reap(spawn("unshare", words, { cwd: box.cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
  await until(`the agent ${name} works`, () => existsSync(`${file}.started`));
  return { over: ended(uwf), go: () => writeFileSync(file, "") };
}

async function startHere(box: Sandbox, thread: string) {
  const file = join(box.cwd, "here");
  const uwf = reap(box.start(["thread", "step", thread, "--agent", realZoo("waits", file)]));
  await until("the agent here works", () => existsSync(`${file}.started`));
  return { over: ended(uwf), go: () => writeFileSync(file, "") };
}

const head = async (box: Sandbox, thread: string) => (await box.json(["thread", "show", thread])).head;

describe.skipIf(!hasNamespaces)("one thread, two pid namespaces", () => {
  it("is busy in the one while it is stepped in the other, lock and run", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const elsewhere = await startElsewhere(box, thread);
    const step = await box.uwf(["thread", "step", thread, "--agent", realZoo("valid")]);
    expect(step).toMatchObject({ code: 75, stdout: "" });
    expect(step.stderr).toContain("whether it is alive cannot be checked from here");
    const unlock = await box.uwf(["thread", "unlock", thread]);
    expect(unlock.code).toBe(75);
    expect(unlock.stderr).toContain("it is in another pid namespace, such as a container");
    elsewhere.go();
    expect((await elsewhere.over).code).toBe(0);
    expect(agentRuns(box)).toBe(1);
  });

  it("moves its head once when a person takes it from a step that lives", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const elsewhere = await startElsewhere(box, thread);
    await box.json(["thread", "unlock", thread, "--force"]);
    // From here the agent's processes are seen, whatever a person says; from the other container they are not.
    const seen = await box.uwf(["thread", "step", thread, "--agent", realZoo("valid")]);
    expect(seen.code).toBe(75);
    expect(seen.stderr).toContain("is still running (pid ");
    const second = await startElsewhere(box, thread, "second");
    const before = await head(box, thread);
    elsewhere.go();
    const late = await elsewhere.over;
    expect(late).toMatchObject({ code: 75, stdout: "" });
    expect(late.stderr).toContain(`error[CLAIM_LOST]: this process lost the lock of thread ${thread}`);
    expect(await head(box, thread)).toBe(before);
    second.go();
    const stepped = await second.over;
    expect(stepped.code).toBe(0);
    const after = await box.json(["thread", "steps", thread]);
    expect(after.steps).toHaveLength(2);
    expect(await head(box, thread)).toBe(JSON.parse(stepped.stdout).head);
    // The second one is what a person asked for.
    expect(agentRuns(box)).toBe(2);
  });
});

describe("a step whose lock was released by force", () => {
  it("moves no head and leaves its result to the next step, which pays for nothing", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const here = await startHere(box, thread);
    await box.json(["thread", "unlock", thread, "--force"]);
    here.go();
    const lost = await here.over;
    expect(lost).toMatchObject({ code: 75, stdout: "" });
    expect(lost.stderr).toContain(`\`uwf thread step ${thread}\` continues from it`);
    const next = await box.json(["thread", "step", thread, "--agent", realZoo("valid")]);
    expect(next.done).toBe(false);
    expect(agentRuns(box)).toBe(1);
  });

  it("starts no further run after a failed one", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    const agent = box.write(
      "fails",
      `#!/bin/sh
echo x >> '${gate}.runs'
while [ ! -e '${gate}' ]; do sleep 0.05; done
exit 1
`,
    );
    const uwf = reap(box.start(["thread", "step", thread, "--retries", "3", "--agent", `sh '${agent}'`]));
    const over = ended(uwf);
    await until("the agent works", () => existsSync(`${gate}.runs`));
    await box.json(["thread", "unlock", thread, "--force"]);
    writeFileSync(gate, "");
    const lost = await over;
    expect(lost.code).toBe(75);
    expect(lost.stderr).toContain("error[CLAIM_LOST]");
    expect(box.read("../project/gate.runs")).toBe("x\n");
  });
});
