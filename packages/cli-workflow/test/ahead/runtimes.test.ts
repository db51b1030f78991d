import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { keepForecast, pathsOf } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { stampOf } from "../../src/ahead/index.js";
import { spyAgent } from "../support/spy-agent.js";
import { RUNTIMES, type Runtime, type Sandbox, sandbox } from "../support/uwf.js";

// The same on both runtimes: bun looks at files without node:fs, which takes it 2 ms to load.

const BUILT = resolve(import.meta.dirname, "../../dist/ahead");

const THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

const PATH = process.env.PATH ?? "";

/** What a script prints as JSON. */
function said(runtime: Runtime, box: Sandbox, script: string): unknown {
  const file = box.write("script.mjs", script);
  const env = { PATH, HOME: box.home, UWF_RUNTIME: runtime, UNCAGED_WORKFLOW_STORAGE_ROOT: box.root };
  const ran = spawnSync(runtime === "bun" ? "bun" : process.execPath, [file], {
    cwd: box.cwd,
    env,
    encoding: "utf8",
  });
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout);
}

describe.each(RUNTIMES)("what starts ahead, on %s", (runtime) => {
  it("is the forecast agent, and it is loaded before anybody asks for it", () => {
    const box = sandbox(runtime);
    const { command, file } = spyAgent(box);
    mkdirSync(box.root, { recursive: true });
    const launcher = stampOf(command) ?? expect.fail("no spy");
    const known = { asked: null, command, launcher, config: null };
    const forecast = { ...known, args: ["-x"], passed: [], resume: true, keyNames: [] };
    keepForecast({ paths: pathsOf(box.root) }, forecast);
    const spec = said(
      runtime,
      box,
      `import { existsSync } from "node:fs";
      import { startAhead } from ${JSON.stringify(join(BUILT, "index.js"))};
      const host = { env: process.env, cwd: process.cwd(), newToken: () => "early-token" };
      const ahead = await startAhead({ thread: "${THREAD}", agent: null }, host);
      for (let round = 0; round < 1000 && !existsSync(${JSON.stringify(file)}); round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      const env = { PATH: ${JSON.stringify(PATH)}, HOME: process.env.HOME, UWF_RUNTIME: "${runtime}", UWF_AGENT_ENV: "" };
      const root = { UNCAGED_WORKFLOW_STORAGE_ROOT: process.env.UNCAGED_WORKFLOW_STORAGE_ROOT };
      const own = { ...env, ...root, UWF_HEAD: "h", UWF_RUN: "r", UWF_KEY_NAMES: "" };
      const wanted = { command: ${JSON.stringify(command)}, args: ["-x", "${THREAD}"], cwd: process.cwd(), env: own };
      const waiting = await ahead.take(wanted);
      await waiting?.dismiss();
      console.log(JSON.stringify(waiting?.spec.args ?? null));`,
    );
    expect(spec).toEqual(["-x", THREAD]);
    expect(readFileSync(file, "utf8")).toMatch(new RegExp(`^loaded \\d+ -x ${THREAD}\\n$`));
  });

  it("looks at files that are there and not empty, and opens no named pipe", () => {
    const box = sandbox(runtime);
    const text = box.write("text", "täxt\n");
    chmodSync(text, 0o444);
    const large = box.write("large", "");
    truncateSync(large, 1024 * 1024 + 1);
    symlinkSync("text", join(box.cwd, "link"));
    execFileSync("mkfifo", [join(box.cwd, "pipe")]);
    box.write("empty", "");
    const names = [
      "text",
      "link",
      "large",
      "empty",
      "pipe",
      "missing",
      "text/below",
      "a\0b",
      "x".repeat(5000),
    ];
    const seen = said(
      runtime,
      box,
      `import { stampOf, textOf } from ${JSON.stringify(join(BUILT, "peek.js"))};
      const look = (name) => [stampOf(name)?.size ?? null, textOf(name)];
      console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => look(process.cwd() + "/" + name))));`,
    );
    expect(seen).toEqual([
      [6, "täxt\n"],
      [6, "täxt\n"],
      [1024 * 1024 + 1, null],
      ...Array(6).fill([null, null]),
    ]);
    expect(
      said(
        runtime,
        box,
        `import { textOf } from ${JSON.stringify(join(BUILT, "peek.js"))};
      console.log(JSON.stringify(textOf("/")));`,
      ),
    ).toBeNull();
  });

  it("sees the same time of a file as the other runtime", () => {
    const box = sandbox(runtime);
    const file = box.write("file", "x");
    const seen = said(
      runtime,
      box,
      `import { stampOf } from ${JSON.stringify(join(BUILT, "peek.js"))};
      console.log(JSON.stringify(stampOf(${JSON.stringify(file)})));`,
    );
    expect(seen).toEqual(stampOf(file));
  });
});

describe("uwf's first file for bun", () => {
  it("loads neither node:fs nor node:path before the agent is started", () => {
    const first = resolve(dirname(BUILT), "bun/uwf.js");
    expect(existsSync(first)).toBe(true);
    const loaded = [...readFileSync(first, "utf8").matchAll(/require\("([^"]*)"\)/g)].map(([, name]) => name);
    // Node.js's own spawn is loaded when there is none of bun.
    expect(loaded.filter((name) => !name?.startsWith("./main"))).toEqual(["child_process"]);
  });
});
