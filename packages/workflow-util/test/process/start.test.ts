import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { resolveCommand, runChild } from "../../src/process/index.js";
import { useZoo } from "./support.js";

const zoo = useZoo();

/** Files that no system starts, and what the sentence must say. */
const REFUSED: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  ["a missing file", () => {}, /there is no file .*victim/],
  ["a directory", (file) => mkdirSync(file), /victim is a directory/],
  ["a file without x", (file) => write(file, "#!/bin/sh\n", 0o644), /not executable/],
  ["a text without #!", (file) => write(file, "echo hello\n", 0o755), /without a #! line/],
  ["an empty file", (file) => write(file, "", 0o755), /empty/],
  [
    "a missing interpreter",
    (file) => write(file, "#!/no/such/sh -e\n", 0o755),
    /interpreter.*\/no\/such\/sh/,
  ],
  [
    "a missing env interpreter",
    (file) => write(file, "#!/usr/bin/env no-such-x\n", 0o755),
    /no-such-x is not on PATH/,
  ],
  ["DOS line ends", (file) => write(file, "#!/bin/sh\r\nexit 0\r\n", 0o755), /DOS line ends/],
  ["a #! line without a name", (file) => write(file, "#!  \n", 0o755), /no interpreter/],
  ["a dangling link", (file) => symlinkSync("nowhere", file), /there is no file/],
  ["a loop of links", (file) => symlinkSync("victim", file), /symbolic links|no file/],
];

function write(file: string, text: string, mode: number): void {
  writeFileSync(file, text);
  chmodSync(file, mode);
}

// The superuser may execute only what has an x somewhere, like everybody: no case depends on who runs the tests.
describe("a command that the system refuses", () => {
  it.each(REFUSED)("is not startable: %s", async (_, make, reason) => {
    const file = zoo.file("victim");
    make(file);
    for (const pidFile of [null, zoo.file("pid")]) {
      const outcome = await runChild(zoo.spec(file, { pidFile }));
      expect(outcome).toMatchObject({
        kind: "not-startable",
        pid: null,
        reason: expect.stringMatching(reason),
      });
      expect(() => zoo.read("pid")).toThrow();
    }
  });

  it.each(REFUSED)("is refused by resolveCommand with the same sentence: %s", (_, make, reason) => {
    const file = zoo.file("victim");
    make(file);
    const { PATH = "" } = process.env;
    expect(resolveCommand(file, { path: PATH, cwd: "/" })).toMatchObject({
      ok: false,
      error: { code: "AGENT_NOT_STARTABLE", command: file, reason: expect.stringMatching(reason) },
    });
  });

  it("is distinguished from an agent's exit 126 by the mark in the pid file", async () => {
    // A binary for the check, nothing for the kernel.
    write(zoo.file("binary"), "\u007fELF\0\0\0\0nonsense\0", 0o755);
    const outcome = await runChild(zoo.spec(zoo.file("binary"), { pidFile: zoo.file("pid") }));
    expect(outcome).toMatchObject({
      kind: "not-startable",
      pid: null,
      reason: expect.stringContaining("refused"),
    });
    expect(zoo.read("pid").split("\n")[1]).toBe("not started");
  });

  it("names arguments that are too long", async () => {
    const outcome = await runChild(zoo.spec("/bin/echo", { args: ["x".repeat(200_000)] }));
    expect(outcome).toMatchObject({ kind: "not-startable", reason: expect.stringContaining("too long") });
  });

  it("names an argument that no program can get", async () => {
    const outcome = await runChild(zoo.spec("/bin/echo", { args: ["a\0b"] }));
    expect(outcome).toMatchObject({ kind: "not-startable", reason: expect.stringContaining("NUL") });
  });

  it("names a working directory that does not exist", async () => {
    const outcome = await runChild(zoo.spec("/bin/echo", { cwd: zoo.file("nowhere") }));
    expect(outcome).toMatchObject({
      kind: "not-startable",
      reason: expect.stringContaining("nowhere does not exist"),
    });
  });

  it("names an output file that cannot be opened", async () => {
    const stdout = { kind: "file", path: zoo.file("no/such/folder") } as const;
    const outcome = await runChild(zoo.spec("/bin/echo", { stdout }));
    expect(outcome).toMatchObject({
      kind: "io-failed",
      operation: "open",
      path: zoo.file("no/such/folder"),
      errno: "ENOENT",
      reason: "no such file or directory",
    });
  });
});

describe("the pid file", () => {
  it("is there, with pid and start time, before the command starts", async () => {
    const command = zoo.shell("agent", `cat "$ZOO/pid"; echo "$$"; cat "/proc/$$/stat"`);
    const outcome = await runChild(zoo.spec(command, { pidFile: zoo.file("pid") }));
    const [record = "", own, stat = ""] = zoo.read("stdout").split("\n");
    expect(record.split(" ")[0]).toBe(String(outcome.pid));
    expect(own).toBe(String(outcome.pid));
    const startTime = (line: string) => line.slice(line.lastIndexOf(")") + 2).split(" ")[19];
    expect(startTime(record)).toBe(startTime(stat));
    expect(zoo.read("pid")).toBe(`${record}\n`);
  });

  it("that exists already keeps the command from ever starting", async () => {
    writeFileSync(zoo.file("pid"), "");
    const command = zoo.shell("agent", "echo started");
    const outcome = await runChild(zoo.spec(command, { pidFile: zoo.file("pid") }));
    expect(outcome).toMatchObject({
      kind: "not-startable",
      pid: null,
      reason: expect.stringContaining("taken away"),
    });
    expect([zoo.read("stdout"), zoo.read("stderr"), zoo.read("pid")]).toEqual(["", "", ""]);
  });

  it("that cannot be created keeps the command from ever starting", async () => {
    const outcome = await runChild(
      zoo.spec(zoo.shell("agent", "echo started"), { pidFile: zoo.file("no/pid") }),
    );
    expect(outcome).toMatchObject({ kind: "io-failed", operation: "create", pid: null, errno: "ENOENT" });
    expect(zoo.read("stdout")).toBe("");
  });

  it.each([124, 125, 126, 127])("leaves an agent's own exit %i alone", async (code) => {
    const command = zoo.shell("agent", `exit ${code}`);
    const outcome = await runChild(zoo.spec(command, { pidFile: zoo.file("pid") }));
    expect(outcome).toMatchObject({ kind: "exited", code });
  });

  it.skipIf(process.platform !== "linux")(
    "that cannot be written (disk full) keeps the command from ever starting",
    async () => {
      const outcome = await runChild(zoo.spec(zoo.shell("agent", "echo started"), { pidFile: "/dev/full" }));
      expect(outcome).toMatchObject({ kind: "io-failed", operation: "write", pid: null, errno: "ENOSPC" });
      expect(zoo.read("stdout")).toBe("");
    },
  );

  it("lets exactly one of many starts happen", async () => {
    const command = zoo.shell("agent", "echo started");
    const spec = zoo.spec(command, { pidFile: zoo.file("pid") });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => runChild(spec)));
    expect(outcomes.filter((outcome) => outcome.kind === "exited")).toHaveLength(1);
    expect(zoo.read("stdout")).toBe("started\n");
  });
});

describe("resolveCommand", () => {
  const where = (path: string) => ({ path, cwd: dirname(zoo.file("x")) });

  it("finds the first executable on PATH and skips other files", () => {
    mkdirSync(zoo.file("one"));
    mkdirSync(zoo.file("two"));
    mkdirSync(zoo.file("one/agent"));
    write(zoo.file("two/agent"), "#!/bin/sh\n", 0o755);
    const path = `${zoo.file("none")}:${zoo.file("one")}:${zoo.file("two")}`;
    expect(resolveCommand("agent", where(path))).toEqual({ ok: true, value: zoo.file("two/agent") });
  });

  it("takes relative entries of PATH, and an empty one, from the working directory", () => {
    mkdirSync(zoo.file("bin"));
    write(zoo.file("bin/agent"), "#!/bin/sh\n", 0o755);
    write(zoo.file("other"), "#!/bin/sh\n", 0o755);
    expect(resolveCommand("agent", where("bin"))).toEqual({ ok: true, value: zoo.file("bin/agent") });
    expect(resolveCommand("other", where("/nowhere:"))).toEqual({ ok: true, value: zoo.file("other") });
  });

  it("takes a command with a slash from the working directory", () => {
    mkdirSync(zoo.file("bin"));
    write(zoo.file("bin/agent"), "#!/bin/sh\n", 0o755);
    expect(resolveCommand("bin/agent", where(""))).toEqual({ ok: true, value: zoo.file("bin/agent") });
    expect(resolveCommand("./bin/agent", where(""))).toEqual({ ok: true, value: zoo.file("bin/agent") });
  });

  it("says where it looked", () => {
    expect(resolveCommand("no-such-agent", where("/bin:/nowhere"))).toEqual({
      ok: false,
      error: { code: "AGENT_NOT_FOUND", command: "no-such-agent", path: "/bin:/nowhere", suggestion: null },
    });
    expect(resolveCommand("agent", where(""))).toMatchObject({ error: { code: "AGENT_NOT_FOUND" } });
  });

  it("says that it is there but cannot be executed", () => {
    write(zoo.file("agent"), "#!/bin/sh\n", 0o644);
    expect(resolveCommand("agent", where("."))).toMatchObject({
      error: { code: "AGENT_NOT_STARTABLE", reason: expect.stringContaining("not executable") },
    });
  });

  it.each(["", "a\0b", "~/agent"])("refuses %j with a sentence", (command) => {
    expect(resolveCommand(command, where("/bin"))).toMatchObject({
      error: { code: "AGENT_NOT_STARTABLE", command, reason: expect.stringMatching(/empty|NUL|shell's/) },
    });
  });

  it("takes a program without a #! line that is a binary", () => {
    expect(resolveCommand(process.execPath, where(""))).toEqual({ ok: true, value: process.execPath });
    expect(statSync(process.execPath).isFile() && readFileSync(process.execPath).length > 0).toBe(true);
  });
});
