import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isCheck, runCheck } from "../../src/arguments.js";
import { isAlive, makeAgent, makeThread, REVIEW_META, type TestThread } from "../helpers.js";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

async function check(words: readonly string[], startMs = 30_000) {
  let [out, err] = ["", ""];
  const code = await runCheck(["--check", ...words], {
    cwd: made.root,
    env: { PATH: process.env.PATH },
    version: "0",
    startMs,
    graceMs: 300,
    print: (text, exitCode) => {
      out += text;
      return exitCode;
    },
    stderr: (line) => {
      err += line;
    },
  });
  return { code, err, report: out === "" ? null : JSON.parse(out) };
}

describe("uwf-acp --check", () => {
  it("reports what the agent says about itself, and opens no session", async () => {
    const body = `on["initialize"] = () => ({ protocolVersion: 1, agentInfo: { name: "fake", title: "Fake", version: "1.2" },
      agentCapabilities: { loadSession: true }, authMethods: [{ id: "k", name: "Use a key" }] });`;
    const fake = makeAgent(made.root, body);
    expect(await check(["--", fake.command])).toEqual({
      code: 0,
      err: "",
      report: {
        agent: "uwf-acp",
        program: fake.command,
        installed: true,
        path: fake.command,
        version: "Fake 1.2",
        loggedIn: null,
        how: "log in by: Use a key",
        continues: true,
      },
    });
    expect(fake.methods()).toEqual(["initialize"]);
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it("says so when it is not installed", async () => {
    const { code, report } = await check(["--", "no-such-agent", "acp"]);
    expect(code).toBe(6);
    expect(report).toMatchObject({
      installed: false,
      path: null,
      how: expect.stringContaining("install no-such-agent"),
    });
  });

  it("says so when it does not answer", async () => {
    const fake = makeAgent(made.root, `on["initialize"] = () => {};`);
    const { code, report } = await check(["--", fake.command], 500);
    expect(code).toBe(6);
    expect(report).toMatchObject({
      installed: true,
      version: null,
      continues: null,
      how: "it did not answer initialize within 0.5 s and was ended",
    });
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it("without a command says that there is no agent", async () => {
    const { code, report } = await check([]);
    expect(code).toBe(6);
    expect(report).toMatchObject({
      program: null,
      installed: false,
      how: expect.stringContaining("--check -- <command>"),
    });
  });

  it("refuses unknown options", async () => {
    expect(await check(["--nope"])).toMatchObject({
      code: 2,
      report: null,
      err: expect.stringContaining("error[USAGE]: unknown option --nope"),
    });
  });

  it("must be the first argument", () => {
    expect([["--check"], ["--", "--check"], []].map((words) => isCheck(words))).toEqual([true, false, false]);
  });
});
