import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { longThread } from "../support/long.js";
import { ended, nodeFile, RUNTIMES, sandbox } from "../support/uwf.js";

const COUNT = 300;

describe.each(RUNTIMES)("thread steps of a long history on %s", (runtime) => {
  it("is one document, oldest step first, in JSON and in YAML", async () => {
    const box = sandbox(runtime);
    const { thread, workflow, start, steps } = await longThread(box.root, COUNT);
    const { stdout } = await box.uwf(["thread", "steps", thread]);
    const document = JSON.parse(stdout);
    expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(document).toMatchObject({ thread, workflow });
    expect(document.steps).toHaveLength(COUNT + 1);
    expect(document.steps[0]).toMatchObject({ hash: start, workflow, prompt: "Go on" });
    expect(document.steps.slice(1)).toMatchObject(
      steps.map(({ hash, detail }, index) => ({
        hash,
        role: "worker",
        output: { note: `step ${index}` },
        detail,
        agent: "uwf-test",
      })),
    );
    expect(parse((await box.uwf(["thread", "steps", thread, "--format", "yaml"])).stdout)).toEqual(document);
  });

  it("is nothing but an error when an output in its middle is damaged", async () => {
    const box = sandbox(runtime);
    const { thread, steps } = await longThread(box.root, COUNT);
    const step = steps[200];
    writeFileSync(nodeFile(box, step?.output), "damaged");
    const ran = await box.uwf(["thread", "steps", thread]);
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(`the output of step ${step?.hash} is unreadable`);
    rmSync(nodeFile(box, step?.output));
    expect((await box.uwf(["thread", "steps", thread])).stderr).toContain(
      `the output of step ${step?.hash} does not exist`,
    );
  });

  it("ends quietly when its reader has seen enough", async () => {
    const box = sandbox(runtime);
    const note = "n".repeat(20_000);
    const { thread } = await longThread(box.root, COUNT, (index) => ({ note: `${index} ${note}` }));
    const bash = (pipeline: string) => {
      const uwf = resolve(import.meta.dirname, "../../bin/uwf");
      const env = { PATH: process.env.PATH ?? "", HOME: box.home, UWF_RUNTIME: runtime };
      const script = `"${uwf}" ${pipeline}; echo "\${PIPESTATUS[0]}"`;
      return ended(
        spawn("bash", ["-c", script], {
          cwd: box.cwd,
          env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root },
          stdio: ["ignore", "pipe", "pipe"],
        }),
      );
    };
    expect(await bash(`thread steps ${thread} | head -1`)).toMatchObject({ stdout: "{\n0\n", stderr: "" });
  });
});

describe("thread read of a long history", () => {
  it("shows and needs the newest steps only, and counts the others", async () => {
    const box = sandbox();
    const { thread, steps } = await longThread(box.root, COUNT);
    // What is not shown is not read: neither outputs nor replies.
    for (const { output, detail } of steps.slice(0, -30)) {
      rmSync(nodeFile(box, output));
      rmSync(nodeFile(box, detail));
    }
    const { code, stdout } = await box.uwf(["thread", "read", thread, "--quota", "500"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`- state: active, ${COUNT} steps\n`);
    expect(stdout).toContain(`## ${COUNT}. worker\n`);
    expect(stdout).toMatch(new RegExp(`\\*\\d+ earlier steps: \`uwf thread read ${thread} --before `));
    const older = await box.uwf(["thread", "read", thread, "--before", steps[150]?.hash ?? ""]);
    expect(older).toMatchObject({ code: 7, stdout: "" });
  });

  it("says that the history is damaged wherever a step of it is", async () => {
    const box = sandbox();
    const { thread, steps } = await longThread(box.root, COUNT);
    rmSync(nodeFile(box, steps[3]?.hash));
    for (const verb of ["read", "steps"]) {
      const ran = await box.uwf(["thread", verb, thread]);
      expect({ verb, code: ran.code, stdout: ran.stdout }).toEqual({ verb, code: 7, stdout: "" });
      expect(ran.stderr).toContain(steps[3]?.hash);
    }
  });
});
