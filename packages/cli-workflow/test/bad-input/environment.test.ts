import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ThreadUsageOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { ended, type Sandbox, sandbox, WHOLE } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

const preload = (name: string): string =>
  `--import ${pathToFileURL(resolve(import.meta.dirname, "../support", name))}`;

describe("a clock that went back a year", () => {
  it("changes nothing but the times: threads start, step and end", async () => {
    const box = sandbox("node");
    const before = await startTurns(box, "Before");
    const env = { NODE_OPTIONS: preload("clock-back.mjs") };
    const { thread } = await box.json(["thread", "start", "turns", "-p", "After"], { env });
    expect(thread < before).toBe(true);
    for (const each of [before, thread]) {
      const last = await box.json(["thread", "run", each, "--agent", zoo("valid")], { env });
      expect(last.done).toBe(true);
      const { steps } = await box.json<ThreadUsageOutput>(["thread", "usage", each]);
      expect(steps.map(({ inherited }) => inherited)).toEqual([false, false]);
    }
    expect(await box.json(["thread", "list"])).toEqual([]);
  });
});

describe("a full disk", () => {
  /** Runs the command with the disk full from the n-th write on, for every n until it succeeds. */
  async function atEveryWrite(
    box: Sandbox,
    args: readonly string[],
    look: () => Promise<unknown>,
  ): Promise<number> {
    const before = await look();
    for (let writes = 0; writes < 60; writes += 1) {
      const env = { NODE_OPTIONS: preload("full-disk.mjs"), UWF_TEST_WRITES: String(writes) };
      const ran = await box.uwf(args, { env });
      if (ran.code === 0) return writes;
      expect(ran).toMatchObject({ code: 74, stdout: "" });
      expect(ran.stderr).toContain("error[IO_FAILED]");
      expect(ran.stderr).toContain("ENOSPC");
      expect(await look()).toEqual(before);
    }
    throw new Error("it never succeeded");
  }

  it.skipIf(!WHOLE)(
    "makes put and start exit 74 at whichever write, and what they would have changed is as it was (whole)",
    async () => {
      const box = sandbox("node");
      const file = box.write("turns.yaml", TURNS);
      const writes = await atEveryWrite(box, ["workflow", "put", file], () => box.json(["workflow", "list"]));
      expect(writes).toBeGreaterThan(5);
      await atEveryWrite(box, ["thread", "start", "turns", "-p", "x"], () => box.json(["thread", "list"]));
      expect(await box.json(["thread", "list"])).toHaveLength(1);
      expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
    },
  );
});

describe("a storage root that may only be read", () => {
  it("shows everything, and refuses to write with 74", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    chmodSync(join(box.root, ".."), 0o755);
    for (const path of [box.root, ...readdirSync(box.root).map((name) => join(box.root, name))])
      chmodSync(path, 0o555);
    // Root may write anywhere, so the commands run as nobody where the tests run as root; and from a copy, because
    // the checkout may lie in a folder that nobody can enter.
    const copy = join(box.root, "..", "copy");
    for (const part of ["bin", "dist/bin"])
      cpSync(resolve(import.meta.dirname, "../..", part), join(copy, part), { recursive: true });
    const isRoot = process.getuid?.() === 0;
    const env = {
      PATH: process.env.PATH ?? "",
      HOME: "/",
      UWF_RUNTIME: "node",
      UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
      // It is root's then.
      UWF_TRUSTED_ROOTS: box.root,
    };
    const uwf = (args: readonly string[]) =>
      ended(
        spawn(process.execPath, [join(copy, "dist/bin/uwf.js"), ...args], {
          cwd: "/",
          env,
          stdio: ["ignore", "pipe", "pipe"],
          ...(isRoot ? { uid: 65534, gid: 65534 } : {}),
        }),
      );
    for (const args of [
      ["thread", "list", "--all"],
      ["thread", "show", thread],
      ["thread", "steps", thread],
      ["thread", "read", thread],
    ]) {
      expect(await uwf(args)).toMatchObject({ code: 0, stderr: "" });
    }
    for (const args of [
      ["thread", "start", "turns", "-p", "x"],
      ["thread", "step", thread, "--agent", "true"],
      ["thread", "kill", thread],
    ]) {
      const ran = await uwf(args);
      expect({ args, code: ran.code, stdout: ran.stdout }).toEqual({ args, code: 74, stdout: "" });
    }
    for (const path of [box.root, ...readdirSync(box.root).map((name) => join(box.root, name))])
      chmodSync(path, 0o755);
  });
});

describe.skipIf(!existsSync("/dev/full"))("an output that cannot be written", () => {
  const bash = (box: Sandbox, line: string) =>
    ended(
      spawn("bash", ["-c", `"${resolve(import.meta.dirname, "../../bin/uwf")}" ${line}`], {
        cwd: box.cwd,
        env: {
          PATH: process.env.PATH ?? "",
          HOME: box.home,
          UWF_RUNTIME: "node",
          UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
        },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );

  it("does not change the exit code when it is stderr", async () => {
    expect((await bash(sandbox("node"), "thread show zzz! 2>/dev/full")).code).toBe(2);
  });

  it.each(["thread list", "--help", "help thread"])(
    "is an I/O failure when it is stdout: %s",
    async (line) => {
      const ran = await bash(sandbox("node"), `${line} >/dev/full`);
      expect(ran.code).toBe(74);
      expect(ran.stderr).toContain("error[IO_FAILED]: cannot write stdout");
    },
  );
});
