import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SCRIPT_RUNNER } from "../../../cli-workflow/test/support/uwf.js";
import { runCheck } from "../../src/check/index.js";
import type { Report } from "../../src/check/types.js";

const ZOO = join(import.meta.dirname, "zoo.mjs");

let temporary: string;
/** bun keeps a folder of its own in it. */
let home: string;

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "uwf-check-test-"));
  home = mkdtempSync(join(tmpdir(), "uwf-check-home-"));
});

afterEach(() => {
  for (const folder of [temporary, home]) rmSync(folder, { recursive: true, force: true });
});

let count = 0;

async function check(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  abort = new AbortController().signal,
) {
  const written = { out: "", err: "" };
  const code = await runCheck(argv, {
    env: { PATH: process.env.PATH, HOME: home, UWF_GRACE_SECONDS: "2", ...env },
    cwd: temporary,
    temporary,
    now: Date.now,
    abort,
    newToken: () => `token-${process.pid}-${count++}`,
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { code, ...written };
}

/** Whether an agent has been started. */
function hasRun(folder: string): boolean {
  return readdirSync(folder, { recursive: true }).some((path) => String(path).endsWith("/pid"));
}

function zoo(how: string): readonly string[] {
  return ["--", SCRIPT_RUNNER, ZOO, how];
}

/** One case of one agent of the zoo. */
async function verdict(how: string, name: string, env: Readonly<Record<string, string>> = {}) {
  const { code, out } = await check(["--json", "--only", name, ...zoo(how)], env);
  const report: Report = JSON.parse(out);
  const [found] = report.cases;
  expect(code).toBe(found?.status === "failed" ? 1 : 0);
  return found;
}

describe("uwf-agent-check", () => {
  it("finds nothing wrong with an agent that keeps the protocol, and leaves nothing behind", async () => {
    const only = "exit-codes,good-reply,missing-field,long-prompt,keys,resume,lost-session";
    const { code, out, err } = await check(["--only", only, ...zoo("good")]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.replace(/[0-9A-Z]{13}/, "HASH").split("\n")).toEqual([
      expect.stringMatching(/^ok {7}exit-codes {5}3 for a thread that does not exist, 4 for a role/),
      "ok       good-reply     step HASH by uwf-zoo; session session-41, turns: 0, tool calls: 0, usage unknown",
      expect.stringMatching(
        /^ok {7}missing-field {2}it exited with 6: error\[EXTRACT_FAILED\]:.*\/unmeetable/,
      ),
      "ok       long-prompt    a task of 300000 bytes",
      "ok       keys           the keys of the environment and of .env are in no node",
      expect.stringMatching(/^ok {7}resume /),
      "ok       lost-session   session session-52, which never existed, did not keep it from making a step",
      "7 ok, 0 failed",
      "",
    ]);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("asks the program for its version as doctor does", async () => {
    const { code, out } = await check(["--json", "--only", "version", "--", process.execPath, ZOO, "good"]);
    const report: Report = JSON.parse(out);
    expect(code).toBe(0);
    expect(report.cases).toMatchObject([{ status: "ok", says: process.version }]);
  });

  it("sees that a session goes on, and that a lost one is survived", async () => {
    const { code, out } = await check(["--only", "resume,lost-session", ...zoo("resuming")]);
    expect(code).toBe(0);
    expect(out).toBe(
      "ok       resume         the second visit continued session session-41\n" +
        "ok       lost-session   session session-52, which never existed, did not keep it from making a step\n" +
        "2 ok, 0 failed\n",
    );
    expect(await verdict("stubborn", "lost-session")).toMatchObject({
      status: "failed",
      says: expect.stringContaining("there is no session-52"),
    });
  });

  it("finds an agent that says it went on in a session that never was", async () => {
    expect(await verdict("pretending", "resume")).toMatchObject({ status: "ok" });
    expect(await verdict("pretending", "lost-session")).toMatchObject({
      status: "failed",
      says: "it claims to have continued session session-52, which never existed",
    });
  });

  it("finds usage that is counted over the session's life, and takes no other for it", async () => {
    expect(await verdict("lifelong", "resume")).toMatchObject({
      status: "failed",
      says: "its usage grows with every visit, as if it were the session's: 100, 200, 300, 400 input tokens",
    });
    expect(await verdict("sober", "resume")).toMatchObject({
      status: "ok",
      says: "the second visit continued session session-41",
    });
  });

  it("finds a key in whatever node it comes back", async () => {
    const says = (name: string, kind: string) =>
      expect.stringMatching(`^the value of ${name}, a key, is in its ${kind} [0-9A-Z]{13}$`);
    expect(await verdict("babbling", "good-reply")).toMatchObject({
      status: "failed",
      says: says("UWF_CHECK_KEY", "output"),
    });
    expect(await verdict("dumping", "good-reply")).toMatchObject({
      status: "failed",
      says: says("UWF_CHECK_FILE_KEY", "content node"),
    });
    expect(await verdict("verbatim", "good-reply")).toMatchObject({ status: "ok" });
    expect(await verdict("verbatim", "keys")).toMatchObject({
      status: "failed",
      says: says("UWF_CHECK_KEY", "content node"),
    });
  });

  it("sees an agent end on SIGTERM in the middle of its work", async () => {
    expect(await verdict("slow", "kill")).toMatchObject({
      status: "ok",
      says: "it ended within 2 s of SIGTERM",
    });
  });

  it("allows noise before the hash", async () => {
    expect(await verdict("chatty", "noise")).toMatchObject({
      status: "ok",
      says: "with DEBUG=* and FORCE_COLOR=1: 2 lines of noise, then the hash",
    });
  });

  it("finds an agent that does not end on SIGTERM", async () => {
    expect(await verdict("deaf", "kill", { UWF_GRACE_SECONDS: "0.5" })).toMatchObject({
      status: "failed",
      says: "it, or a child of it, was still there 0.5 s after SIGTERM",
    });
  });

  it.each([
    ["late", "good-reply", /last line of its stdout, "bye", is not the step/],
    ["sorry", "good-reply", /^it exited with 3/],
    ["lax", "good-reply", /is not the step: its output .* is a content .*expected the meta/],
    ["parent", "good-reply", /^1 of its processes were still there/],
    ["meddler", "good-reply", /^it changed .*threads\.yaml$/],
    ["careless", "exit-codes", /^for a thread that does not exist it exited with 0/],
  ])("finds what is wrong: %s, %s", async (how, name, says) => {
    expect(await verdict(how, name)).toMatchObject({
      status: "failed",
      says: expect.stringMatching(says),
      fix: expect.any(String),
    });
  });

  it("finds a prompt that goes through the command line", async () => {
    expect(await verdict("argument", "long-prompt")).toMatchObject({
      status: "failed",
      fix: expect.stringContaining("128 KiB"),
    });
  });

  it("says nothing more of an agent that makes no plain step", async () => {
    expect(await verdict("careless", "missing-field")).toMatchObject({
      status: "skipped",
      says: "it makes no plain step, see good-reply",
    });
  });

  it("ends with the run under way when it is asked to end, and leaves nothing behind", async () => {
    const ended = new AbortController();
    const checking = check(
      ["--only", "good-reply", ...zoo("deaf")],
      { UWF_GRACE_SECONDS: "0.2" },
      ended.signal,
    );
    await expect.poll(() => hasRun(temporary), { timeout: 20_000 }).toBe(true);
    ended.abort("SIGINT");
    expect(await checking).toMatchObject({
      code: 130,
      out: "",
      err: expect.stringContaining("error[INTERRUPTED]"),
    });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("keeps its storage root on request", async () => {
    const { err } = await check(["--keep", "--only", "good-reply", ...zoo("good")]);
    const [, root = ""] = /^the storage root of the check is (.*)\n$/.exec(err) ?? [];
    expect(existsSync(join(root, "threads.yaml"))).toBe(true);
  });

  it("checks with a role of the author's own, and with the configuration of another root", async () => {
    const meta = join(temporary, "meta.json");
    writeFileSync(
      meta,
      JSON.stringify({ type: "object", required: ["done"], properties: { done: { type: "boolean" } } }),
    );
    writeFileSync(join(temporary, "config.yaml"), "agents: [\n");
    const argv = ["--only", "good-reply", "--role", "critic", "--meta", meta];
    expect((await check([...argv, ...zoo("good")])).code).toBe(0);
    const spoilt = await check([...argv, "--config-from", temporary, ...zoo("good")]);
    expect(spoilt).toMatchObject({ code: 4, out: "", err: expect.stringContaining("error[INVALID_CONFIG]") });
  });

  it.each([
    [[], 2, "error[USAGE]: no command is named"],
    [["--fast", "x"], 2, "error[USAGE]: unknown option --fast"],
    [["--only", "speed", "x"], 2, 'error[USAGE]: there is no case "speed"; the cases are version,'],
    [["--timeout", "soon", "x"], 2, "error[USAGE]: --timeout soon is not a number of seconds"],
    [["no-such-agent"], 4, "error[AGENT_NOT_FOUND]"],
    [["--meta", "nowhere.json", "sh"], 4, "error[INVALID_INPUT]"],
  ])("refuses what it cannot do: %j", async (argv, code, error) => {
    const refused = await check(argv);
    expect(refused).toMatchObject({ code, out: "", err: expect.stringContaining(error) });
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each(["[]", "null", '"object"', "7", "{"])("refuses a meta that is no object: %s", async (text) => {
    const meta = join(temporary, "meta.json");
    writeFileSync(meta, text);
    const refused = await check(["--meta", meta, ...zoo("good")]);
    expect(refused).toMatchObject({ code: 4, out: "", err: expect.stringContaining("error[INVALID_INPUT]") });
  });

  it("has a help with examples first", async () => {
    const { code, out } = await check(["--help"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^uwf-agent-check \.\/uwf-mine\n/);
  });
});
