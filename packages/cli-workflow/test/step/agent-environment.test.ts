import { createRedactor } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import { agentEnvironment } from "../../src/step/agent-environment.js";

const redactor = createRedactor([{ name: "K", value: "0123456789" }]);
const RUN = {
  passed: null,
  resume: true,
  root: "/root",
  folder: "/checkout",
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
