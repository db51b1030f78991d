import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DoctorOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { ended, REAL_MOCK, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const STRANGER = 12_345;
const isRoot = process.getuid?.() === 0;

/** Makes one thing of a storage root a stranger's. */
type Spoil = readonly [what: string, path: string, how: (path: string) => void, reason: string];

const open = (path: string): void => chmodSync(path, statSync(path).mode | 0o002);
const give = (path: string): void => chownSync(path, STRANGER, STRANGER);

const OPEN: readonly Spoil[] = [".", "config.yaml", ".env", "runs"].map((path) => [
  `every user may write ${path}`,
  path,
  open,
  "every user may write",
]);
const GIVEN: readonly Spoil[] = [".", "config.yaml", ".env", "runs"].map((path) => [
  `${path} is another user's`,
  path,
  give,
  `belongs to another user (uid ${STRANGER})`,
]);

/** A root whose config.yaml names an agent that leaves a mark when it is started. */
async function marked(box: Sandbox): Promise<{ readonly thread: string; readonly ran: () => boolean }> {
  const mark = join(box.cwd, "executed");
  const agent = box.write("marks", `#!/bin/sh\ntouch '${mark}'\nexec ${zoo("valid")} "$@"\n`);
  chmodSync(agent, 0o755);
  const thread = await startTurns(box);
  box.write(join(box.root, "config.yaml"), `agents: { marks: { command: ${agent} } }\ndefaultAgent: marks\n`);
  box.write(join(box.root, ".env"), "");
  chmodSync(join(box.root, ".env"), 0o600);
  mkdirSync(join(box.root, "runs"), { recursive: true });
  return { thread, ran: () => existsSync(mark) };
}

describe.each([...OPEN, ...(isRoot ? GIVEN : [])])(
  "a storage root where %s",
  (_what, path, spoil, reason) => {
    it("executes and signals nothing, is read all the same, and is trusted on its user's word", async () => {
      const box = sandbox();
      const { thread, ran } = await marked(box);
      spoil(join(box.root, path));
      for (const args of [
        ["thread", "step", thread],
        ["thread", "step", thread, "--agent", zoo("valid")],
        ["thread", "run", thread],
        ["thread", "kill", thread],
      ]) {
        const refused = await box.uwf(args);
        expect(refused).toMatchObject({ code: 4, stdout: "" });
        expect(refused.stderr).toContain(
          `error[ROOT_NOT_TRUSTED]: the storage root ${box.root} is not trusted`,
        );
        expect(refused.stderr).toContain(reason);
        expect(refused.stderr).toContain(`\`export UWF_TRUSTED_ROOTS=${box.root}\``);
      }
      const doctor = await box.uwf(["doctor"]);
      expect(doctor.code).toBe(4);
      const { findings }: DoctorOutput = JSON.parse(doctor.stdout);
      expect(findings.filter(({ check }) => check === "trust")).toHaveLength(1);
      expect(ran()).toBe(false);
      expect((await box.json(["thread", "show", thread])).thread).toBe(thread);
      const env = { UWF_TRUSTED_ROOTS: `/elsewhere:${box.root}` };
      expect((await box.json(["thread", "step", thread], { env })).done).toBe(false);
      expect(ran()).toBe(true);
    });
  },
);

describe("a storage root of one's own", () => {
  it("is made without write permission for everybody, whatever the umask", async () => {
    const box = sandbox();
    const before = process.umask(0);
    try {
      const { thread } = await marked(box);
      chmodSync(join(box.root, "config.yaml"), 0o644);
      await box.json(["setup", "--agent", zoo("valid")]);
      await box.json(["thread", "step", thread]);
    } finally {
      process.umask(before);
    }
    for (const name of [".", "cas", "runs", "locks", "logs", "threads.yaml", "config.yaml"])
      expect([name, statSync(join(box.root, name)).mode & 0o002]).toEqual([name, 0]);
  });

  it.runIf(isRoot)("is trusted under sudo, another's is not", async () => {
    const box = sandbox();
    const { thread } = await marked(box);
    for (const path of [".", "config.yaml", ".env", "runs"]) give(join(box.root, path));
    const as = (SUDO_UID: string) => box.uwf(["thread", "step", thread], { env: { SUDO_UID } });
    expect((await as("12346")).code).toBe(4);
    expect((await as(String(STRANGER))).code).toBe(0);
  });

  it.runIf(isRoot)("in which root has written is found by doctor, and no agent is paid in vain", async () => {
    const box = sandbox("node");
    const { thread, ran } = await marked(box);
    const own = statSync(box.root).uid;
    const index = join(box.root, "cas/_index");
    const spoilt = join(index, readdirSync(index)[0] ?? "");
    execFileSync("chown", ["-R", `${STRANGER}:${STRANGER}`, dirname(box.root)]);
    chownSync(spoilt, own, own);
    chmodSync(spoilt, 0o644);
    const asOwner = ["setpriv", "--reuid", `${STRANGER}`, "--regid", `${STRANGER}`, "--clear-groups"];
    const step = await box.uwf(["thread", "step", thread], { through: asOwner });
    expect(step).toMatchObject({ code: 74, stdout: "" });
    expect(step.stderr).toContain(`error[IO_FAILED]: cannot write ${spoilt}: permission denied (EACCES)`);
    expect(step.stderr).toContain("`uwf doctor`");
    expect(ran()).toBe(false);
    const doctor = await box.uwf(["doctor"], { through: asOwner });
    expect(doctor.code).toBe(74);
    expect(doctor.stdout).toContain(`cannot write ${spoilt}`);
    expect(doctor.stdout).toContain("sudo chown -R");
  });

  it("may be named by a relative path where it is trusted", async () => {
    const box = sandbox();
    const { thread } = await marked(box);
    open(box.root);
    const env = { UNCAGED_WORKFLOW_STORAGE_ROOT: "../storage", UWF_TRUSTED_ROOTS: box.root };
    expect((await box.uwf(["thread", "step", thread], { env })).code).toBe(0);
  });
});

describe("an agent that a person runs by hand", () => {
  it("takes no provider and no key from a root that is not trusted", async () => {
    const box = sandbox();
    const { thread } = await marked(box);
    open(join(box.root, "config.yaml"));
    const env = { PATH: process.env.PATH, HOME: box.home, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root };
    const ran = await ended(spawn(REAL_MOCK, [thread, "maker"], { cwd: box.cwd, env }));
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain("error[ROOT_NOT_TRUSTED]");
  });
});
