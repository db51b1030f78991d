import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { childPipe, runChild } from "../../src/process/index.js";
import { until, useZoo } from "./support.js";

const zoo = useZoo();

const memory = (onLine: ((line: string) => void) | null = null) =>
  ({ kind: "memory", limitBytes: 1_000_000, onLine }) as const;

const ANSWERS = `while read -r line; do echo "got $line"; done; echo over`;

describe("a stdin that stays open", () => {
  it("carries a conversation: what was written before the start, answers to lines, and its end", async () => {
    const pipe = childPipe();
    const heard: string[] = [];
    pipe.write("one\n");
    const onLine = (line: string): void => {
      heard.push(line);
      if (line === "got one") pipe.write("two\n");
      if (line === "got two") pipe.end();
    };
    const spec = zoo.spec(zoo.shell("agent", ANSWERS), { stdin: pipe.stdin, stdout: memory(onLine) });
    expect(await runChild(spec)).toMatchObject({ kind: "exited", code: 0 });
    expect(heard).toEqual(["got one", "got two", "over"]);
  });

  it("carries more than a pipe holds, completely and in order", async () => {
    const pipe = childPipe();
    const text = "ünïcode 🙂\n".repeat(100_000);
    pipe.write(text);
    pipe.write("last\n");
    pipe.end();
    const spec = zoo.spec(zoo.shell("agent", "sleep 0.2; cat"), { stdin: pipe.stdin });
    expect(await runChild(spec)).toMatchObject({ kind: "exited", code: 0 });
    expect(zoo.read("stdout")).toBe(`${text}last\n`);
    expect(pipe.pending()).toBe(0);
  });

  it("keeps nobody waiting: a child that reads nothing ends as it likes, and what it left is dropped", async () => {
    const pipe = childPipe();
    pipe.write("x".repeat(5_000_000));
    expect(pipe.pending()).toBe(5_000_000);
    const spec = zoo.spec(zoo.shell("agent", "sleep 0.1; exit 4"), { stdin: pipe.stdin });
    expect(await runChild(spec)).toMatchObject({ kind: "exited", code: 4 });
    pipe.write("late\n");
    pipe.end();
    expect(pipe.pending()).toBe(0);
  });

  it("reports how much the child has not read yet", async () => {
    const pipe = childPipe();
    const gate = zoo.file("gate");
    const command = zoo.shell("agent", `while [ ! -e "${gate}" ]; do sleep 0.02; done; cat >/dev/null`);
    const running = runChild(zoo.spec(command, { stdin: pipe.stdin }));
    pipe.write("x".repeat(5_000_000));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pipe.pending()).toBeGreaterThan(1_000_000);
    zoo.shell("gate", "");
    await until(() => pipe.pending() === 0);
    pipe.end();
    expect(await running).toMatchObject({ kind: "exited", code: 0 });
  });

  it("survives a child that closes its stdin and goes on", async () => {
    const pipe = childPipe();
    const onLine = (): void => {
      for (let n = 0; n < 3; n += 1) pipe.write("y".repeat(200_000));
    };
    const command = zoo.shell("agent", "exec <&-; echo closed; sleep 0.2; echo done");
    const spec = zoo.spec(command, { stdin: pipe.stdin, stdout: memory(onLine) });
    expect(await runChild(spec)).toMatchObject({ kind: "exited", code: 0, stdout: "closed\ndone\n" });
  });

  it("lets a child that waits for its end be ended by a limit", async () => {
    const pipe = childPipe();
    const limits = { timeoutMs: 200, idleMs: null, graceMs: 100 };
    const spec = zoo.spec(zoo.shell("agent", "exec cat"), { stdin: pipe.stdin, limits });
    expect(await runChild(spec)).toMatchObject({ kind: "timeout", limit: "wall" });
  });

  it("says nothing of a child that never started", async () => {
    const pipe = childPipe();
    pipe.write("x\n");
    expect(await runChild(zoo.spec(zoo.file("none"), { stdin: pipe.stdin }))).toMatchObject({
      kind: "not-startable",
    });
    pipe.end();
  });
});

const hasBun = spawnSync("bun", ["--version"]).status === 0;

// The same program on bun, over the sources: its own spawn has another kind of stream.
describe.skipIf(!hasBun)("a stdin that stays open, on bun", () => {
  const source = join(import.meta.dirname, "../../src/process/index.ts");

  function onBun(body: string) {
    const file = zoo.script("host.mjs", body);
    const words = ["--env-file=/dev/null", "--config=/dev/null", "--conditions=uwf-source", file];
    const env = { PATH: process.env.PATH, HOME: zoo.file("."), SOURCE: source };
    return spawnSync("bun", words, { env, encoding: "utf8", timeout: 30_000 });
  }

  const prelude = (agent: string, onLine: string) => `
    const { childPipe, runChild } = await import(process.env.SOURCE);
    const pipe = childPipe();
    const spec = { command: "/bin/sh", args: ["-c", ${JSON.stringify(agent)}], cwd: "/", env: { PATH: process.env.PATH },
      stdin: pipe.stdin, stdout: { kind: "memory", limitBytes: 8_000_000, onLine: ${onLine} },
      stderr: { kind: "memory", limitBytes: 1000, onLine: null }, pidFile: null,
      limits: { timeoutMs: 20_000, idleMs: null, graceMs: 100 }, lastActivity: null, onTick: null, resultSeen: null,
      abort: null, token: null };`;

  it("carries a conversation and its end", () => {
    const body = `${prelude(
      ANSWERS,
      `(line) => { if (line === "got one") pipe.write("two\\n"); if (line === "got two") pipe.end(); }`,
    )}
    pipe.write("one\\n");
    console.log(JSON.stringify(await runChild(spec)));`;
    const { stdout, stderr } = onBun(body);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ kind: "exited", code: 0, stdout: "got one\ngot two\nover\n" });
  });

  it("carries more than a pipe holds, completely", () => {
    const body = `${prelude("sleep 0.2; cat", "null")}
    const text = "ünïcode 🙂\\n".repeat(100_000);
    pipe.write(text);
    pipe.write("last\\n");
    pipe.end();
    const { kind, stdout } = await runChild(spec);
    console.log(kind, stdout === text + "last\\n", pipe.pending());`;
    expect(onBun(body)).toMatchObject({ stdout: "exited true 0\n", stderr: "" });
  });

  it("survives a child that reads nothing, and one that closes its stdin", () => {
    const body = `${prelude("exec <&-; echo closed; sleep 0.2; exit 4", `() => { for (let n = 0; n < 3; n += 1) pipe.write("y".repeat(200_000)); }`)}
    const { kind, code } = await runChild(spec);
    pipe.write("late\\n");
    pipe.end();
    console.log(kind, code, pipe.pending());`;
    expect(onBun(body)).toMatchObject({ stdout: "exited 4 0\n", stderr: "" });
  });
});
