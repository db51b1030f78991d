import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ThreadId } from "@uncaged/workflow-protocol";
import { type Forecast, keepForecast, pathsOf, threadLockPath } from "@uncaged/workflow-store";
import type { WaitingSpec } from "@uncaged/workflow-util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Ahead, type AheadLine, stampOf, startAhead } from "../../src/ahead/index.js";
import type { Host } from "../../src/io/index.js";
import { spyAgent } from "../support/spy-agent.js";
import { sandbox } from "../support/uwf.js";

const THREAD = "01ARZ3NDEKTSV4RRFFQ69G5FAV" as ThreadId;

let started: Ahead[] = [];

afterEach(async () => {
  for (const ahead of started) await ahead.drop();
  started = [];
});

/** A storage root whose last step ran the spy by `--agent spy`. */
function world() {
  const box = sandbox();
  const spy = spyAgent(box);
  const storage = { paths: pathsOf(box.root) };
  mkdirSync(box.root, { recursive: true });
  const { command } = spy;
  const launcher = stampOf(command) ?? expect.fail("no spy");
  const forecast = {
    asked: "spy",
    command,
    launcher,
    config: null,
    args: ["-x"],
    passed: null,
    resume: true,
  };
  const keep = (change: Partial<Forecast> = {}): void =>
    keepForecast(storage, { ...forecast, keyNames: ["K"], ...change });
  keep();
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: box.home,
    UWF_RUNTIME: "node",
    UNCAGED_WORKFLOW_STORAGE_ROOT: box.root,
  };
  const start = async (line: Partial<AheadLine> = {}, own: Host["env"] = env): Promise<Ahead> => {
    const host = { env: own, cwd: box.cwd, newToken: () => "early-token" };
    const ahead = await startAhead({ thread: THREAD, agent: "spy", ...line }, host);
    started.push(ahead);
    return ahead;
  };
  /** What the step comes to by the whole way. */
  const wanted: WaitingSpec = {
    command: spy.command,
    args: ["-x", THREAD],
    cwd: box.cwd,
    env: { ...env, UWF_KEY_NAMES: "K", UWF_HEAD: "0123456789ABC", UWF_RUN: "its-own" },
  };
  return { box, spy, storage, keep, env, start, wanted };
}

/** Of whatever was started: its program is loaded, and waits. */
async function isStarted({ spy, wanted }: ReturnType<typeof world>, ahead: Ahead): Promise<boolean> {
  const waiting = await ahead.take(wanted);
  if (waiting === null) return false;
  await spy.loaded();
  await waiting.dismiss();
  return true;
}

describe("what starts ahead of a step", () => {
  it("is the forecast agent, which waits with all but the head and the role", async () => {
    const at = world();
    const ahead = await at.start();
    await at.spy.loaded();
    const waiting = await ahead.take(at.wanted);
    expect(waiting?.spec).toEqual({
      ...at.wanted,
      env: { ...at.wanted.env, UWF_HEAD: "", UWF_RUN: "early-token" },
    });
    await waiting?.dismiss();
    expect(at.spy.lines()).toEqual([`loaded -x ${THREAD}`]);
  });

  it("is given once", async () => {
    const at = world();
    const ahead = await at.start();
    const waiting = await ahead.take(at.wanted);
    expect(waiting).not.toBeNull();
    expect(await ahead.take(at.wanted)).toBeNull();
    await ahead.drop();
    expect(waiting?.isGone()).toBe(false);
    await waiting?.dismiss();
  });

  it.each<[string, (wanted: WaitingSpec) => Partial<WaitingSpec>]>([
    ["command", () => ({ command: "/bin/true" })],
    ["arguments", ({ args }) => ({ args: [...args, "more"] })],
    ["folder", () => ({ cwd: "/" })],
    ["variable more", ({ env }) => ({ env: { ...env, MORE: "1" } })],
    ["variable less", ({ env: { HOME: _, ...env } }) => ({ env })],
    ["other value", ({ env }) => ({ env: { ...env, UWF_KEY_NAMES: "K,L" } })],
  ])("is let go by a step that wants another one (%s)", async (_name, change) => {
    const at = world();
    const ahead = await at.start();
    await at.spy.loaded();
    expect(await ahead.take({ ...at.wanted, ...change(at.wanted) })).toBeNull();
    expect(await ahead.take(at.wanted)).toBeNull();
    await at.spy.gone();
  });

  it("is let go when nobody took it", async () => {
    const at = world();
    const ahead = await at.start();
    await at.spy.loaded();
    await ahead.drop();
    await at.spy.gone();
    expect(at.spy.lines()).toEqual([`loaded -x ${THREAD}`]);
  });

  it("is nothing that somebody has ended", async () => {
    const at = world();
    const ahead = await at.start();
    const pid = await at.spy.loaded();
    process.kill(pid, "SIGKILL");
    // It is collected when it has no entry any more.
    await vi.waitUntil(() => !existsSync(`/proc/${pid}`), { timeout: 10_000 });
    expect(await ahead.take(at.wanted)).toBeNull();
  });

  it("is for any way to write the thread's id in full, and for this line only", async () => {
    const at = world();
    expect(await isStarted(at, await at.start({ thread: THREAD.toLowerCase() }))).toBe(true);
    expect(await isStarted(at, await at.start({ thread: THREAD.slice(0, 20) }))).toBe(false);
    expect(await isStarted(at, await at.start({ agent: null }))).toBe(false);
    at.keep({ asked: null });
    expect(await isStarted(at, await at.start({ agent: null }))).toBe(true);
  });

  it("is nothing while somebody holds the thread's lock", async () => {
    const at = world();
    const lock = threadLockPath(at.storage, THREAD);
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(lock, "somebody");
    expect(await isStarted(at, await at.start())).toBe(false);
    rmSync(lock);
    expect(await isStarted(at, await at.start())).toBe(true);
  });

  it("is nothing without a forecast, a storage root, or the launcher that it was", async () => {
    const at = world();
    const { UNCAGED_WORKFLOW_STORAGE_ROOT: _root, HOME: _home, ...homeless } = at.env;
    expect(await isStarted(at, await at.start({}, homeless))).toBe(false);
    writeFileSync(at.spy.command, `${readFileSync(at.spy.command, "utf8")}// another release\n`);
    expect(await isStarted(at, await at.start())).toBe(false);
    at.keep({ command: "/nowhere" });
    expect(await isStarted(at, await at.start())).toBe(false);
    rmSync(at.storage.paths.forecast);
    expect(await isStarted(at, await at.start())).toBe(false);
  });

  it("is nothing when config.yaml has changed since: it may pass less on now", async () => {
    const at = world();
    const config = at.box.write(at.storage.paths.config, "agents: {}\n");
    expect(await isStarted(at, await at.start())).toBe(false);
    at.keep({ config: stampOf(config) });
    expect(await isStarted(at, await at.start())).toBe(true);
    rmSync(config);
    expect(await isStarted(at, await at.start())).toBe(false);
  });

  it("is the same by a relative storage root, in a folder that a link leads to, and inside of another run", async () => {
    const at = world();
    const { UNCAGED_WORKFLOW_STORAGE_ROOT: root } = at.env;
    expect(
      await isStarted(at, await at.start({}, { ...at.env, UNCAGED_WORKFLOW_STORAGE_ROOT: "../storage" })),
    ).toBe(true);
    expect(
      await isStarted(at, await at.start({}, { ...at.env, UNCAGED_WORKFLOW_STORAGE_ROOT: `${root}/` })),
    ).toBe(true);
    symlinkSync(at.box.cwd, join(at.box.home, "link"));
    const linked = { ...at.env, PWD: join(at.box.home, "link") };
    const ahead = await at.start({}, linked);
    const waiting = await ahead.take({ ...at.wanted, env: { ...at.wanted.env, PWD: linked.PWD } });
    expect(waiting).not.toBeNull();
    await waiting?.dismiss();
    const nested = { ...at.env, UWF_RUN: "outer", UWF_HEAD: "outer", UWF_AGENT_ENV: "A", UWF_RESUME: "off" };
    expect(await isStarted(at, await at.start({}, nested))).toBe(true);
  });

  it("is nothing where a variable has a name that no shell can spell: it may hold a key", async () => {
    const at = world();
    expect(await isStarted(at, await at.start({}, { ...at.env, "A-B": "secret" }))).toBe(false);
    expect(existsSync(at.spy.file)).toBe(false);
  });
});

describe("the spy", () => {
  it("is loaded by a launcher that is ours", () => {
    const { spy } = world();
    expect(readFileSync(spy.command, "utf8")).toContain("waits for word and sign when told to");
  });
});
