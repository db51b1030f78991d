import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentRuns, exists, killNow, startWorking } from "../operator/support.js";
import { ended, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const COPIED = "this storage root was copied or moved here from";
const AGAIN = "here the step is paid for a second time";

/** A copy of the storage root, beside it, and uwf in it. */
function copyOf(box: Sandbox, name = "copy") {
  const root = join(dirname(box.root), name);
  execFileSync("cp", ["-a", box.root, root]);
  const env = { UNCAGED_WORKFLOW_STORAGE_ROOT: root };
  return { root, uwf: (...args: readonly string[]) => box.uwf(args, { env }) };
}

const agentPid = (box: Sandbox): number =>
  Number(box.read("../agent-runs.log").trim().split("\n")[0]?.split(" ").at(-1));

/** What nobody waits for stays as a zombie. */
function isAgentAlive(box: Sandbox): boolean {
  const pid = agentPid(box);
  return exists(pid) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/** A thread whose agent works until `go` is called; `over` is what its step then ended with. */
async function working() {
  const box = sandbox("node");
  const thread = await startTurns(box);
  const { uwf, go } = await startWorking(box, thread);
  return { box, thread, go, over: ended(uwf) };
}

const step = (thread: string) => ["thread", "step", thread, "--agent", zoo("valid")];

describe("two storage roots that are copies of one", () => {
  it("say so once in the copy, where a step was finished before", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    expect((await box.uwf(step(thread))).stderr).not.toContain(COPIED);
    const copy = copyOf(box);
    const shown = await copy.uwf("thread", "show", thread);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    const first = await copy.uwf(...step(thread));
    expect(first.code).toBe(0);
    expect(first.stderr).toContain(`${COPIED} ${box.root}`);
    expect((await copy.uwf("thread", "kill", thread)).stderr).not.toContain(COPIED);
    const original = await box.uwf(step(thread));
    expect(original.code).toBe(0);
    expect(original.stderr).not.toContain(COPIED);
  });

  it.skipIf(process.platform !== "linux")(
    "a kill in the copy, made during a step, ends the thread there and signals nothing of the original's",
    async () => {
      const { box, thread, go, over } = await working();
      const copy = copyOf(box);
      const killed = await copy.uwf("thread", "kill", thread);
      expect(killed.code).toBe(0);
      expect(killed.stderr).toContain(`${COPIED} ${box.root}`);
      expect(killed.stderr).toContain(
        "cannot end the processes of its run as maker from here: it was made in",
      );
      expect(isAgentAlive(box)).toBe(true);
      go();
      expect((await over).code).toBe(0);
      expect(agentRuns(box)).toBe(1);
    },
  );

  it.skipIf(process.platform !== "linux")(
    "a step in the copy, made during a step, waits for a person's word while the original's agent works, and then says that it is paid for again",
    async () => {
      const { box, thread, go, over } = await working();
      const copy = copyOf(box);
      const busy = await copy.uwf(...step(thread));
      expect(busy.code).toBe(75);
      expect(busy.stderr).toContain(`its agent works for that storage root (pid ${agentPid(box)}`);
      expect(agentRuns(box)).toBe(1);
      const told = await copy.uwf("thread", "unlock", thread);
      expect(told.code).toBe(75);
      expect(told.stderr).toContain("of which this is a copy");
      expect((await copy.uwf("thread", "unlock", thread, "--force")).code).toBe(0);
      const again = await copy.uwf(...step(thread));
      expect(again.code).toBe(0);
      expect(again.stderr).toContain(AGAIN);
      expect(isAgentAlive(box)).toBe(true);
      go();
      expect((await over).code).toBe(0);
      expect(agentRuns(box)).toBe(2);
    },
  );

  it.skipIf(process.platform !== "linux")(
    "no command that acts in a copy made during a step signals the original's agent, or starts one without a line that says so",
    async () => {
      const { box, thread, go, over } = await working();
      const { head } = await box.json(["thread", "show", thread]);
      const forced = ["thread", "unlock", thread, "--force"];
      const actions: readonly (readonly (readonly string[])[])[] = [
        [step(thread)],
        [["thread", "run", thread, "--agent", zoo("valid")]],
        [["thread", "run", "--all", "--agent", zoo("valid")]],
        [forced, ["thread", "run", "--all", "--agent", zoo("valid")]],
        [["thread", "kill", thread], step(thread)],
        [forced, ["thread", "kill", thread]],
        [["thread", "rm", thread]],
        [forced, ["thread", "rm", thread]],
        [["thread", "fork", head, "--instead-of", thread]],
        [
          ["thread", "pause", thread],
          ["thread", "resume", thread],
        ],
        [["thread", "note", thread, "a note"]],
        [["thread", "limit", thread, "--max-steps", "40"]],
        [["cas", "gc", "--yes", "--grace", "0s"]],
        [["cas", "pack"]],
        [["cas", "verify", "--repair"]],
        [["doctor"]],
      ];
      for (const [at, commands] of actions.entries()) {
        const copy = copyOf(box, `copy-${at}`);
        const before = agentRuns(box);
        let said = "";
        for (const command of commands) said += (await copy.uwf(...command)).stderr;
        expect({ commands, alive: isAgentAlive(box) }).toEqual({ commands, alive: true });
        const isPaidAgain = said.includes(AGAIN);
        expect({ commands, again: agentRuns(box) > before }).toEqual({ commands, again: isPaidAgain });
      }
      go();
      expect((await over).code).toBe(0);
      expect((await box.json(["thread", "show", thread])).head).not.toBe(head);
    },
  );

  it("no command that acts in the original or in a copy made of an ended thread starts an agent", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    await box.uwf(["thread", "run", thread, "--agent", zoo("valid")]);
    await box.uwf(["thread", "kill", thread]);
    const copy = copyOf(box);
    const before = agentRuns(box);
    const words = [
      step(thread),
      ["thread", "run", thread],
      ["thread", "run", "--all"],
      ["thread", "kill", thread],
    ];
    for (const each of words) {
      await copy.uwf(...each);
      await box.uwf(each);
    }
    expect(agentRuns(box)).toBe(before);
  });

  it("a step in the copy of a run that its agent has finished since takes nothing over, and says that it is paid for again", async () => {
    const { box, thread, go, over } = await working();
    const copy = copyOf(box);
    go();
    expect((await over).code).toBe(0);
    const again = await copy.uwf(...step(thread));
    expect(again.code).toBe(0);
    expect(again.stderr).toContain(AGAIN);
    expect(again.stderr).toContain(`${COPIED} ${box.root}`);
    expect(agentRuns(box)).toBe(2);
    // In the log too.
    const log = await copy.uwf("log", "--thread", thread);
    expect(log.stdout).toContain(AGAIN);
  });

  it.skipIf(process.platform !== "linux")(
    "a damaged run that came with the copy has nothing signalled by a kill there",
    async () => {
      const { box, thread, go, over } = await working();
      const copy = copyOf(box);
      const runs = join(copy.root, "runs", thread);
      for (const name of readdirSync(runs)) {
        if (existsSync(join(runs, name, "run.json"))) writeFileSync(join(runs, name, "run.json"), "{");
      }
      const killed = await copy.uwf("thread", "kill", thread);
      expect(killed.code).toBe(0);
      expect(killed.stderr).toContain("processes of a damaged run are left alone");
      expect(isAgentAlive(box)).toBe(true);
      go();
      expect((await over).code).toBe(0);
    },
  );
});

describe.skipIf(process.platform !== "linux")("a storage root that was renamed", () => {
  it("during a step ends that step with where it was, and the next one at its new place goes on", async () => {
    const { box, thread, go, over } = await working();
    const root = `${box.root}-renamed`;
    renameSync(box.root, root);
    go();
    const lost = await over;
    expect(lost.code).toBe(75);
    expect(lost.stderr).toContain(`error[CLAIM_LOST]: the storage root was moved away from ${box.root}`);
    expect(existsSync(join(box.root, "threads.yaml"))).toBe(false);
    const env = { UNCAGED_WORKFLOW_STORAGE_ROOT: root };
    expect((await box.uwf(step(thread), { env })).code).toBe(0);
  });

  it("during a step is the same one: its left run is its own, and a kill ends the agent", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    await killNow(uwf);
    const root = `${box.root}-renamed`;
    renameSync(box.root, root);
    const env = { UNCAGED_WORKFLOW_STORAGE_ROOT: root };
    const busy = await box.uwf(step(thread), { env });
    expect(busy.code).toBe(75);
    expect(busy.stderr).toContain("is still running (pid ");
    const killed = await box.uwf(["thread", "kill", thread], { env });
    expect(killed.code).toBe(0);
    expect(killed.stderr).not.toContain(COPIED);
    expect(isAgentAlive(box)).toBe(false);
    go();
  });
});
