import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type ChildSpec,
  resolveCommand,
  runChild,
  startWaiting,
  type Waiting,
} from "../../src/process/index.js";
import { isAlive, until, useZoo } from "./support.js";

const zoo = useZoo();

const RUNTIMES = ["node", "bun"].filter(
  (name) => resolveCommand(name, { path: process.env.PATH ?? "", cwd: "/" }).ok,
);

const UWF = resolve(import.meta.dirname, "../../../cli-workflow/bin/uwf");

/** What a process of its own can load. */
const BUILT = resolve(import.meta.dirname, "../../dist/process/index.js");

/** A package with one of our launchers, and this program behind it: what it does when it is loaded, and when it runs. */
function launcher(main: string, load = ""): string {
  for (const folder of ["bin", "dist/bin", "dist/bun"]) mkdirSync(zoo.file(folder), { recursive: true });
  writeFileSync(zoo.file("bin/package.json"), '{ "type": "commonjs" }');
  writeFileSync(zoo.file("dist/bin/package.json"), '{ "type": "commonjs" }');
  writeFileSync(zoo.file("dist/bin/uwf.js"), `${load}\nexports.main = () => {${main}\n};\n`);
  const wrapped = `(function(exports, require, module, __filename, __dirname) {${load}\nexports.main = () => {${main}\n};})`;
  writeFileSync(zoo.file("dist/bun/uwf.js"), `// @bun @bun-cjs\n${wrapped}\n`);
  const command = zoo.script("bin/agent", "");
  writeFileSync(command, readFileSync(UWF));
  return command;
}

const PROBE = `
const { argv, env, pid } = process;
const stdio = [0, 1, 2].map((fd) => require("node:fs").readlinkSync("/proc/self/fd/" + fd));
console.log(JSON.stringify({ args: argv.slice(2), cwd: process.cwd(), env, pid, stdio }));
console.error("said");
process.exitCode = 7;`;

function specOf(command: string, change: Partial<ChildSpec> = {}): ChildSpec {
  return zoo.spec(command, { args: ["a b", "", "thread"], pidFile: zoo.file("pid"), ...change });
}

async function started({ command, args, cwd, env }: ChildSpec): Promise<Waiting> {
  const waiting = await startWaiting({ command, args: args.slice(0, 2), cwd, env });
  if (waiting === null) throw new Error("it does not wait");
  return waiting;
}

const ended = (waiting: Waiting) => waiting.child.exited;

describe("a launcher that waits", () => {
  it("goes on as the run: recorded, with all its arguments, with the outcome of any command", async () => {
    const spec = specOf(launcher(PROBE));
    const outcome = await runChild(spec, await started(spec));
    expect(outcome).toMatchObject({ kind: "exited", code: 7 });
    const { pid, ...seen } = JSON.parse(zoo.read("stdout"));
    expect(seen).toMatchObject({ args: spec.args, cwd: dirname(zoo.file("pid")) });
    expect(seen.stdio).toEqual(["/dev/null", zoo.file("stdout"), zoo.file("stderr")]);
    expect(zoo.read("stderr")).toBe("said\n");
    expect([outcome.pid, Number.parseInt(zoo.read("pid"), 10)]).toEqual([pid, pid]);
    expect(zoo.read("pid")).toMatch(/^\d+ \(.*\) .+\n$/);
  });

  it("has the environment that it would have, started as a program", async () => {
    const command = launcher(PROBE);
    symlinkSync(zoo.file("."), zoo.file("link"));
    const own = { PATH: process.env.PATH ?? "", HOME: zoo.file("."), UWF_RUNTIME: "node" };
    const surroundings: Readonly<Record<string, string>>[] = [
      { ...own, A: "1", PWD: zoo.file("link") },
      { ...own, PWD: "/elsewhere", "a-b": "c" },
      own,
    ];
    for (const [index, env] of surroundings.entries()) {
      writeFileSync(zoo.file("stdout"), "");
      const direct = specOf(command, { env, pidFile: null });
      expect(await runChild(direct)).toMatchObject({ code: 7 });
      const waited = specOf(command, { env, pidFile: zoo.file(`pid-${index}`) });
      expect(await runChild(waited, await started(waited))).toMatchObject({ code: 7 });
      const [one, two] = zoo.read("stdout").trim().split("\n");
      // What only a shell sets, and drops because it cannot spell it.
      const shells = { OLDPWD: undefined, SHLVL: undefined, _: undefined, "a-b": undefined };
      expect({ ...JSON.parse(two ?? "").env, ...shells }).toEqual({
        ...JSON.parse(one ?? "").env,
        ...shells,
      });
    }
  });

  it("has loaded its program before its word, and learns with it what was not known before", async () => {
    const load = `require("node:fs").writeFileSync(${JSON.stringify(zoo.file("loaded"))}, "");`;
    const spec = specOf(launcher(PROBE, load));
    const waiting = await started({ ...spec, env: { ...spec.env, CHANGED: "before", SAME: "1" } });
    await until(() => existsSync(zoo.file("loaded")));
    expect(existsSync(zoo.file("pid"))).toBe(false);
    const env = { ...spec.env, CHANGED: "after", SAME: "1", NEW: "2" };
    expect(await runChild({ ...spec, env }, waiting)).toMatchObject({ kind: "exited", code: 7 });
    const seen = JSON.parse(zoo.read("stdout"));
    expect(seen.env).toMatchObject({ CHANGED: "after", SAME: "1", NEW: "2" });
  });

  it("takes its files and records itself when it is told, while their folder has another name, and runs later", async () => {
    const command = launcher(PROBE);
    mkdirSync(zoo.file("new"));
    const place = (folder: string): Pick<ChildSpec, "pidFile" | "stdout" | "stderr"> => ({
      pidFile: zoo.file(`${folder}/pid`),
      stdout: { kind: "file", path: zoo.file(`${folder}/stdout`) },
      stderr: { kind: "file", path: zoo.file(`${folder}/stderr`) },
    });
    const spec = specOf(command, place("run"));
    const waiting = await started(spec);
    const names = (file: string) => [zoo.file(`new/${file}`), zoo.file(`run/${file}`)] as const;
    const [pidFile, stdout, stderr] = [names("pid"), names("stdout"), names("stderr")];
    waiting.tell({ pidFile, stdout, stderr, args: spec.args, env: spec.env });
    await until(() => existsSync(zoo.file("new/pid")));
    renameSync(zoo.file("new"), zoo.file("run"));
    expect(zoo.read("run/stdout")).toBe("");
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "exited", code: 7 });
    const { stdio, pid } = JSON.parse(zoo.read("run/stdout"));
    expect(stdio).toEqual(["/dev/null", zoo.file("run/stdout"), zoo.file("run/stderr")]);
    expect(zoo.read("run/pid")).toMatch(new RegExp(`^${pid} `));
  });

  it("is not started a second time when it was ended after it had recorded itself", async () => {
    const spec = specOf(launcher(PROBE));
    const waiting = await started(spec);
    const [pidFile, stdout, stderr] = [zoo.file("pid"), zoo.file("stdout"), zoo.file("stderr")];
    waiting.tell({ pidFile: [pidFile], stdout: [stdout], stderr: [stderr], args: spec.args, env: spec.env });
    await until(() => existsSync(pidFile));
    process.kill(waiting.child.pid, "SIGKILL");
    await until(waiting.isGone);
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "signaled", signal: "SIGKILL" });
    expect(zoo.read("stdout")).toBe("");
  });

  it("is started in turn when somebody has ended it meanwhile", async () => {
    const spec = specOf(launcher(PROBE), { env: { ...zoo.spec("").env, UWF_RUNTIME: "node" } });
    const waiting = await started(spec);
    process.kill(waiting.child.pid, "SIGKILL");
    await ended(waiting);
    await until(waiting.isGone);
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "exited", code: 7 });
    expect(zoo.read("stdout").trim().split("\n")).toHaveLength(1);
  });

  it("is started in turn when its program could not be loaded, which says why", async () => {
    const spec = specOf(launcher(PROBE, 'throw new Error("half installed");'), {
      env: { ...zoo.spec("").env, UWF_RUNTIME: "node" },
    });
    expect(await runChild(spec, await started(spec))).toMatchObject({ kind: "exited", code: 1 });
    expect(zoo.read("stderr").split("half installed")).toHaveLength(3);
    expect(zoo.read("pid")).toMatch(/^\d+ /);
  });

  it("takes a word of any length", async () => {
    const spec = specOf(launcher(PROBE), { args: ["a b", "", "x".repeat(100_000), "y".repeat(100_000)] });
    expect(await runChild(spec, await started(spec))).toMatchObject({ kind: "exited", code: 7 });
    expect(JSON.parse(zoo.read("stdout")).args).toEqual(spec.args);
  });

  it("is not wanted by a run whose files cannot be made", async () => {
    const stdout = { kind: "file", path: zoo.file("nowhere/stdout") } as const;
    const spec = specOf(launcher(PROBE), { stdout });
    const waiting = await started(spec);
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "io-failed", operation: "open", pid: null });
    expect(await ended(waiting)).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("has run nothing when it is not wanted", async () => {
    const waiting = await started(specOf(launcher(PROBE)));
    await waiting.dismiss();
    expect(await ended(waiting)).toEqual({ code: null, signal: "SIGKILL" });
    for (const file of ["stdout", "stderr", "pid"]) expect(existsSync(zoo.file(file))).toBe(false);
  });

  it("is not wanted by a run that is aborted before it begins", async () => {
    const spec = specOf(launcher(PROBE), { abort: AbortSignal.abort("SIGINT") });
    const waiting = await started(spec);
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "aborted", signal: "SIGINT", pid: null });
    expect(await ended(waiting)).toEqual({ code: null, signal: "SIGKILL" });
    expect(existsSync(zoo.file("stdout"))).toBe(false);
  });

  it.each(RUNTIMES)(
    "runs nothing when whoever started it, on %s, is killed, and lives no longer",
    async (runtime) => {
      const command = launcher(PROBE);
      const starter = zoo.script(
        "starter.mjs",
        `import { spawn } from "node:child_process";
      import { writeFileSync } from "node:fs";
      import { startWaiting } from ${JSON.stringify(BUILT)};
      const [, , command, cwd] = process.argv;
      const { child } = await startWaiting({ command, args: [], cwd, env: process.env });
      // Another child must not hold the pipe open.
      const other = spawn("sleep", ["600"], { stdio: "ignore" });
      writeFileSync(cwd + "/other", other.pid + "\\n");
      writeFileSync(cwd + "/waiting", child.pid + "\\n");
      process.kill(process.pid, "SIGKILL");`,
      );
      const env = { ...zoo.spec("").env, UWF_RUNTIME: runtime };
      const program = resolveCommand(runtime, { path: process.env.PATH ?? "", cwd: "/" });
      const args = [starter, command, zoo.file(".")];
      const outcome = await runChild(zoo.spec(program.ok ? program.value : "", { args, env }));
      expect(outcome).toMatchObject({ kind: "signaled", signal: "SIGKILL" });
      const [pid, other] = [await zoo.pidIn("waiting"), await zoo.pidIn("other")];
      await until(() => !isAlive(pid));
      expect(isAlive(other)).toBe(true);
      expect(existsSync(zoo.file("pid"))).toBe(false);
    },
  );

  it("does not begin when its run was taken away meanwhile", async () => {
    const spec = specOf(launcher(PROBE));
    const waiting = await started(spec);
    writeFileSync(zoo.file("pid"), "barred\n");
    const reason = "its run was taken away";
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "not-startable", reason, pid: null });
    expect([zoo.read("stdout"), zoo.read("pid")]).toEqual(["", "barred\n"]);
  });

  it("says that its record cannot be made, where that is so", async () => {
    const spec = specOf(launcher(PROBE), { pidFile: zoo.file("nowhere/pid") });
    const outcome = await runChild(spec, await started(spec));
    expect(outcome).toMatchObject({ kind: "io-failed", operation: "create", errno: "ENOENT", pid: null });
    expect(zoo.read("stdout")).toBe("");
  });
});

describe("a run without a pid file", () => {
  it("is started in turn, and what waits is let go", async () => {
    const spec = specOf(launcher(PROBE), {
      pidFile: null,
      env: { ...zoo.spec("").env, UWF_RUNTIME: "node" },
    });
    const waiting = await started(spec);
    expect(await runChild(spec, waiting)).toMatchObject({ kind: "exited", code: 7 });
    expect(await ended(waiting)).toEqual({ code: null, signal: "SIGKILL" });
    expect(zoo.read("stdout").trim().split("\n")).toHaveLength(1);
  });
});

describe("what cannot wait", () => {
  it("is every other command, and a launcher that would be refused, or be started otherwise by its shell", async () => {
    const ours = launcher(PROBE);
    const older = zoo.shell(
      "older",
      "':' //; # Shell and JavaScript at once, and waits for a word when told to; written by scripts/launchers.ts",
    );
    const wanted = specOf(ours);
    for (const spec of [
      { ...wanted, command: older },
      { ...wanted, command: zoo.shell("other", "exit 0") },
      { ...wanted, command: zoo.file("missing") },
      { ...wanted, cwd: zoo.file("nowhere") },
      { ...wanted, args: ["a\0b"] },
      ...["", ".:/bin", "/bin:", "/bin::/usr/bin", "bin"].map((PATH) => ({ ...wanted, env: { PATH } })),
      { ...wanted, env: { ...wanted.env, UWF_RUNTIME: "bun" } },
    ]) {
      expect(await startWaiting(spec)).toBeNull();
    }
  });
});
