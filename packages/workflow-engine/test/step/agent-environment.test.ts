import { createRedactor } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import { agentEnvironment, backoffMs, checkTimes, graceMs } from "../../src/step/agent-program.js";

const redactor = createRedactor([{ name: "K", value: "0123456789" }]);
const RUN = {
  passed: null,
  resume: true,
  root: "/root",
  workFolder: "/checkout",
  head: "HEAD",
  token: "TOKEN",
  notes: null,
  stepKey: "KEY",
  agent: "uwf-x --model m",
  keyNames: ["K", "L"],
  isSecret: (text: string) => redactor.text(text) !== text,
};
const OWN = { PATH: "/bin", HOME: "/home/me", SECRET: "s", UWF_DEBUG: "1", UNSET: undefined };

describe("an agent's environment", () => {
  it("is uwf's plus the storage root, the head, the run and the names of keys", () => {
    expect(agentEnvironment(OWN, RUN)).toEqual({
      PATH: "/bin",
      HOME: "/home/me",
      PWD: "/checkout",
      SECRET: "s",
      UWF_DEBUG: "1",
      UNCAGED_WORKFLOW_STORAGE_ROOT: "/root",
      UWF_HEAD: "HEAD",
      UWF_RUN: "TOKEN",
      UWF_STEP_KEY: "KEY",
      UWF_AGENT: "uwf-x --model m",
      UWF_KEY_NAMES: "K,L",
    });
  });

  it("keeps PATH, HOME and uwf's variables however short the list is, and passes the list to the kit", () => {
    const limited = agentEnvironment(OWN, { ...RUN, passed: [] });
    expect(Object.keys(limited).sort()).toEqual(
      [
        "HOME",
        "PATH",
        "PWD",
        "UNCAGED_WORKFLOW_STORAGE_ROOT",
        "UWF_AGENT",
        "UWF_AGENT_ENV",
        "UWF_DEBUG",
        "UWF_HEAD",
        "UWF_KEY_NAMES",
        "UWF_RUN",
        "UWF_STEP_KEY",
      ].sort(),
    );
    expect(agentEnvironment(OWN, { ...RUN, passed: ["A", "SECRET"] })).toMatchObject({
      SECRET: "s",
      UWF_AGENT_ENV: "A,SECRET",
    });
  });

  it("tells the kit to continue no session if the alias says so, however short the list is", () => {
    expect(agentEnvironment(OWN, { ...RUN, resume: false, passed: [] }).UWF_RESUME).toBe("off");
  });

  it("has variables of any name, as uwf's has", () => {
    const own = { ...OWN, ...JSON.parse('{ "__proto__": "a", "constructor": "b" }') };
    expect(Object.entries(agentEnvironment(own, RUN))).toEqual(
      expect.arrayContaining([
        ["__proto__", "a"],
        ["constructor", "b"],
      ]),
    );
  });

  it("has no limit left over from a run around this one", () => {
    const outer = { ...OWN, UWF_AGENT_ENV: "A", UWF_RUN: "outer", UWF_RESUME: "off" };
    const inner = agentEnvironment(outer, RUN);
    expect(inner.UWF_AGENT_ENV).toBeUndefined();
    expect(inner.UWF_RESUME).toBeUndefined();
    expect(inner.UWF_RUN).toBe("TOKEN");
  });

  it("has no key under a name that a shell would have to pass as an argument", () => {
    const odd = { ...OWN, "my.key": "x 0123456789", "my.flag": "on", K: "0123456789" };
    const passed = agentEnvironment(odd, RUN);
    expect(passed).toMatchObject({ "my.flag": "on", K: "0123456789" });
    expect(passed["my.key"]).toBeUndefined();
  });
});

describe("times of the environment", () => {
  it.each([undefined, "", "  "])("have defaults, also when set to %j", (text) => {
    const env = { UWF_GRACE_SECONDS: text, UWF_BACKOFF_SECONDS: text };
    expect(checkTimes(env)).toEqual({ ok: true, value: undefined });
    expect([graceMs(env), backoffMs(env, 1)]).toEqual([5000, 1000]);
  });

  it("are seconds, whole or not", () => {
    const env = { UWF_GRACE_SECONDS: "0", UWF_BACKOFF_SECONDS: " 0.5 " };
    expect(checkTimes(env).ok).toBe(true);
    expect([graceMs(env), backoffMs(env, 1)]).toEqual([0, 500]);
  });

  it("let each retry wait twice as long, to sixty times the first", () => {
    expect([1, 2, 3, 6, 7, 8, 100].map((attempt) => backoffMs({}, attempt))).toEqual([
      1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000,
    ]);
  });

  it.each(["-1", "soon", "Infinity", "NaN", "1s"])("are not %j", (text) => {
    for (const name of ["UWF_GRACE_SECONDS", "UWF_BACKOFF_SECONDS"])
      expect(checkTimes({ [name]: text })).toEqual({
        ok: false,
        error: {
          code: "USAGE",
          reason: `${name} is ${JSON.stringify(text)}, not a number of seconds`,
          usage: `set it to seconds, 0 or more, or \`unset ${name}\``,
        },
      });
  });
});
