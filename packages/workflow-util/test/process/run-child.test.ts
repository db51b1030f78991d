import { statSync, writeFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { runChild } from "../../src/process/index.js";
import { isAlive, useZoo } from "./support.js";

const zoo = useZoo();

describe("the outcome of a child that ends by itself", () => {
  it.each([0, 3, 125, 126, 127, 255])("is its exit code %i, with and without a pid file", async (code) => {
    const command = zoo.shell("agent", `exit ${code}`);
    for (const pidFile of [null, zoo.file("pid")]) {
      expect(await runChild(zoo.spec(command, { pidFile }))).toMatchObject({ kind: "exited", code });
    }
  });

  it("names the signal that ended it", async () => {
    const command = zoo.shell("agent", "kill -9 $$");
    expect(await runChild(zoo.spec(command))).toMatchObject({ kind: "signaled", signal: "SIGKILL" });
    expect(await runChild(zoo.spec(command, { pidFile: zoo.file("pid") }))).toMatchObject({
      kind: "signaled",
      signal: "SIGKILL",
    });
  });

  it("carries the pid and the duration", async () => {
    const command = zoo.shell("agent", "echo $$");
    const outcome = await runChild(zoo.spec(command));
    expect(zoo.read("stdout")).toBe(`${outcome.pid}\n`);
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
  });

  it("leaves no timer behind that would keep the caller alive", async () => {
    const pending = new Set<unknown>();
    const set = vi.spyOn(globalThis, "setTimeout");
    const clear = vi.spyOn(globalThis, "clearTimeout");
    const piped = { kind: "memory", limitBytes: 100, onLine: null } as const;
    await runChild(zoo.spec(zoo.shell("agent", "echo done"), { stdout: piped, stderr: piped }));
    for (const { value } of set.mock.results) pending.add(value);
    for (const [timer] of clear.mock.calls) pending.delete(timer);
    vi.restoreAllMocks();
    expect(set.mock.results.length).toBeGreaterThan(0);
    expect([...pending].filter((timer) => (timer as NodeJS.Timeout).hasRef())).toEqual([]);
  });

  it("has no text for an output that goes to a file", async () => {
    const outcome = await runChild(zoo.spec(zoo.shell("agent", "exit 0")));
    expect(outcome).toMatchObject({ stdout: null, stderr: null });
  });
});

describe("what the child gets", () => {
  it("passes the arguments untouched", async () => {
    const command = zoo.shell("agent", `for a in "$@"; do printf '[%s]' "$a"; done`);
    const args = ["", "a b", "$HOME", "'\"`", "-x", "*", "line\nbreak", "ü"];
    for (const pidFile of [null, zoo.file("pid")]) await runChild(zoo.spec(command, { args, pidFile }));
    const once = args.map((arg) => `[${arg}]`).join("");
    expect(zoo.read("stdout")).toBe(once + once);
  });

  it.each([
    {
      PATH: "/usr/bin:/bin",
      A: "1",
      EMPTY: "",
      "a.b": "dotted",
      "BASH_FUNC_x%%": "() { :; }",
      LINES: "x\ny",
    },
    {
      PATH: "/usr/bin:/bin",
      PWD: "/elsewhere",
      OLDPWD: "/old",
      SHLVL: "7",
      IFS: "x",
      PPID: "1",
      OPTIND: "5",
    },
    { PATH: "" },
  ])("has exactly the given environment, whatever a shell in between makes of it: %o", async (env) => {
    const args = ["-e", "process.stdout.write(JSON.stringify(process.env))"];
    const pidFile = zoo.file("pid");
    await runChild(zoo.spec(process.execPath, { args, env, pidFile }));
    expect(JSON.parse(zoo.read("stdout"))).toEqual(env);
  });

  it("keeps variables whatever they are called: those of the shell in between have names of their own", async () => {
    const env = { PATH: "/usr/bin:/bin", f: "1", d: "2", s: "3", self: "4", with: "5", dir: "6", clean: "7" };
    const args = ["-e", "process.stdout.write(JSON.stringify(process.env))"];
    await runChild(zoo.spec(process.execPath, { args, env, pidFile: zoo.file("pid") }));
    expect(JSON.parse(zoo.read("stdout"))).toEqual(env);
  });

  it("runs in the given folder", async () => {
    await runChild(zoo.spec(zoo.shell("agent", "pwd -P"), { cwd: "/", pidFile: zoo.file("pid") }));
    expect(zoo.read("stdout")).toBe("/\n");
  });

  it("reads an empty stdin, at once", async () => {
    await runChild(zoo.spec(zoo.shell("agent", "wc -c")));
    expect(zoo.read("stdout").trim()).toBe("0");
  });

  it("reads a text completely, however long", async () => {
    const text = "ünïcode 🙂\n".repeat(300_000);
    await runChild(zoo.spec(zoo.shell("agent", "cat"), { stdin: { kind: "text", text } }));
    expect(zoo.read("stdout")).toBe(text);
  });

  it("may leave its text unread", async () => {
    const stdin = { kind: "text", text: "x".repeat(5_000_000) } as const;
    expect(await runChild(zoo.spec(zoo.shell("agent", "exit 4"), { stdin }))).toMatchObject({ code: 4 });
  });
});

describe("output to files", () => {
  it("is appended, and the file is for the owner only", async () => {
    writeFileSync(zoo.file("stderr"), "before\n");
    await runChild(zoo.spec(zoo.shell("agent", "echo out; echo err >&2")));
    expect([zoo.read("stdout"), zoo.read("stderr")]).toEqual(["out\n", "before\nerr\n"]);
    expect(statSync(zoo.file("stdout")).mode & 0o777).toBe(0o600);
  });

  it("holds 5 MB", async () => {
    await runChild(zoo.spec(zoo.shell("agent", "head -c 5000000 /dev/zero")));
    expect(statSync(zoo.file("stdout")).size).toBe(5_000_000);
  });

  it("does not wait for a grandchild that holds it", async () => {
    const command = zoo.shell("agent", `sleep 600 & echo $! > "$ZOO/grandchild"; echo done`);
    expect(await runChild(zoo.spec(command))).toMatchObject({ kind: "exited", code: 0 });
    const grandchild = await zoo.pidIn("grandchild");
    expect(zoo.read("stdout")).toBe("done\n");
    expect(isAlive(grandchild)).toBe(true);
  });
});

describe("output to memory", () => {
  const memory = (limitBytes: number, onLine: ((line: string) => void) | null = null) =>
    ({ kind: "memory", limitBytes, onLine }) as const;

  it("is complete if it fits", async () => {
    const command = zoo.shell("agent", "echo out; echo err >&2");
    const outcome = await runChild(zoo.spec(command, { stdout: memory(100), stderr: memory(100) }));
    expect(outcome).toMatchObject({ kind: "exited", code: 0, stdout: "out\n", stderr: "err\n" });
  });

  it("keeps the last bytes of 5 MB", async () => {
    const command = zoo.shell("agent", "head -c 5000000 /dev/zero | tr '\\0' x; echo end");
    const outcome = await runChild(zoo.spec(command, { stdout: memory(1000) }));
    expect(outcome.stdout).toBe(`${"x".repeat(996)}end\n`);
  });

  it("gives each line, also the unterminated last one", async () => {
    const lines: string[] = [];
    const command = zoo.shell("agent", `printf 'one\\r\\n\\nthree'`);
    await runChild(zoo.spec(command, { stdout: memory(1000, (line) => lines.push(line)) }));
    expect(lines).toEqual(["one", "", "three"]);
  });

  it("gives what the child wrote although a grandchild holds the pipe", async () => {
    const command = zoo.shell(
      "agent",
      `sleep 600 & echo $! > "$ZOO/grandchild"; head -c 50000 /dev/zero | tr '\\0' x; echo end`,
    );
    const outcome = await runChild(zoo.spec(command, { stdout: memory(100_000) }));
    await zoo.pidIn("grandchild");
    expect(outcome.stdout?.length).toBe(50_004);
  });

  it("does not wait for a grandchild that goes on writing", async () => {
    const command = zoo.shell("agent", `yes & echo $! > "$ZOO/grandchild"; exit 5`);
    expect(await runChild(zoo.spec(command, { stdout: memory(1000) }))).toMatchObject({ code: 5 });
    await zoo.pidIn("grandchild");
  });
});

describe("a callback that throws", () => {
  it.each(["onLine", "onTick", "resultSeen", "lastActivity"])(
    "ends the run and is thrown on: %s",
    async (name) => {
      const throws = (): never => {
        throw new Error(`bug in ${name}`);
      };
      const command = zoo.shell("agent", `echo $$ > "$ZOO/agent-pid"; echo line; exec sleep 600`);
      const change = name === "onLine" ? {} : { [name]: throws };
      const stdout = { kind: "memory", limitBytes: 10, onLine: name === "onLine" ? throws : null } as const;
      const limits = { timeoutMs: null, idleMs: 600_000, graceMs: 100 };
      await expect(runChild(zoo.spec(command, { ...change, stdout, limits }))).rejects.toThrow(
        `bug in ${name}`,
      );
      expect(isAlive(await zoo.pidIn("agent-pid"))).toBe(false);
    },
  );
});
