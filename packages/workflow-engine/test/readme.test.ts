import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as store from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { afterAll, describe, expect, it } from "vitest";
import * as engine from "../src/index.js";

const README = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
const repository = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "uwf-engine-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

type AsyncBody = (...args: readonly unknown[]) => Promise<unknown>;

const AsyncFunction = (async () => {}).constructor as new (...text: readonly string[]) => AsyncBody;

/** Of this process, with a home of its own. */
const host: engine.Host = {
  env: { PATH: process.env.PATH, HOME: folder },
  cwd: folder,
  binaries: join(repository, "packages/cli-workflow/bin"),
  now: Date.now,
  pid: process.pid,
  stderr: { write: () => {} },
  newToken: () => crypto.randomUUID().replaceAll("-", ""),
  onSignal: () => () => {},
  kill: () => false,
  sleep: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
};

describe("the README", () => {
  it("shows how a thread is started, stepped and looked at, and it works as typed", async () => {
    const example = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
    const lines = example
      .replace('"./state"', JSON.stringify(join(folder, "state")))
      .replace('"./analyze-topic.yaml"', JSON.stringify(join(repository, "examples/analyze-topic.yaml")))
      .replace("uwf-mock", join(repository, "packages/workflow-agent-mock/bin/uwf-mock"))
      .replace("answers.yaml", join(repository, "examples/analyze-topic.scenario.yaml"))
      .split("\n");
    const body = lines.filter((line) => !line.startsWith("import ")).join("\n");
    const known = { ...store, ...engine, newThreadId, host };
    const run = new AsyncFunction(...Object.keys(known), `${body}\nreturn { taken, view };`);
    expect(await run(...Object.values(known))).toMatchObject({
      taken: { done: true },
      view: { state: "ended", held: null, next: null },
    });
  });

  it("is short enough to be shown: at most twenty lines and the imports", () => {
    const example = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
    const lines = example.split("\n").filter((line) => line !== "" && !line.startsWith("import "));
    expect(lines.length).toBeLessThanOrEqual(20);
  });
});
