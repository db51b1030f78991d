import { execFileSync } from "node:child_process";
import { chmodSync, closeSync, constants, existsSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "@uncaged/json-cas-fs";
import { followStderr } from "@uncaged/workflow-engine";
import { createRedactor } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import { RUNTIMES, reap, sandbox, until } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

const MIB = 1024 * 1024;

/** What a pipe holds at this moment. */
function readNow(pipe: number): string {
  const bytes = Buffer.alloc(MIB);
  try {
    return bytes.toString("utf8", 0, readSync(pipe, bytes));
  } catch (error) {
    if (errnoOf(error) === "EAGAIN") return "";
    throw error;
  }
}

describe.each(RUNTIMES)("on %s, an agent that writes to stderr without end", (runtime) => {
  it("keeps no time limit from being met, and is shown in part", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const agent = box.write("loud", "#!/bin/sh\nhead -c 100000000 /dev/zero | tr '\\0' x >&2\nsleep 600\n");
    chmodSync(agent, 0o755);
    box.write(
      join(box.root, "config.yaml"),
      `agents:\n  loud: { command: ${agent}, timeoutSeconds: 2 }\ndefaultAgent: loud\n`,
    );
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toMatch(/\[\d+ bytes of the agent's stderr are not shown\]\n/);
    expect(ran.stderr).toContain("error[AGENT_TIMEOUT]: ");
    expect(ran.stderr.length).toBeLessThan(60 * MIB);
  });

  it("can be stopped although no process reads its output", async () => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const file = join(box.cwd, "agent");
    const agent = box.write(
      "loud",
      `#!/bin/sh\nhead -c 1000000 /dev/zero | tr '\\0' x >&2\necho $$ > '${file}'\nexec sleep 600\n`,
    );
    chmodSync(agent, 0o755);
    const pipe = join(box.cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    // Two open files: to be blocking or not is a property of each, and a child's is made blocking.
    const stderr = openSync(pipe, constants.O_RDWR);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const uwf = reap(box.start(["thread", "step", thread, "--agent", `'${agent}'`], { stderr }));
    await until("the agent has written", () => existsSync(file));
    const pid = readFileSync(file, "utf8").trim();
    uwf.kill("SIGINT");
    await until("the agent is gone", () => !existsSync(`/proc/${pid}`));
    let said = "";
    await until("uwf has ended", () => {
      said += readNow(reader);
      return uwf.exitCode !== null;
    });
    said += readNow(reader);
    for (const end of [stderr, reader]) closeSync(end);
    expect(uwf.exitCode).toBe(130);
    expect(said).toMatch(/\n\[\d+ bytes were left unread and are not shown\]\n/);
    expect(said).toContain("error[INTERRUPTED]: ");
  });
});

describe("the part of stderr that is shown", () => {
  it("has no half of a key where a part was left out", () => {
    const box = sandbox();
    const key = "sk-0123456789-abcdefghij";
    const file = box.write("stderr", `begin ${key.slice(0, 12)}`);
    let shown = "";
    const sink = {
      write: (text: string) => {
        shown += text;
      },
      isClosed: () => false,
      isTerminal: () => false,
      columns: () => null,
    };
    const follower = followStderr(file, sink, createRedactor([{ name: "KEY", value: key }]));
    follower.show();
    const rest = `${key.slice(12)}${"x".repeat(MIB)}${key}${"y".repeat(MIB - 10)}`;
    box.write("stderr", `begin ${key.slice(0, 12)}${rest} end`);
    follower.finish();
    expect(shown).toMatch(/^begin \n\[\d+ bytes of the agent's stderr are not shown\]\ny{1048566} end\n$/);
  });
});
