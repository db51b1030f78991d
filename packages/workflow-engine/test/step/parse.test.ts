import { describe, expect, it } from "vitest";
import { parse } from "../../src/step/parse.js";
import type { RawStepRequest } from "../../src/step/types.js";

const RAW: RawStepRequest = {
  thread: "T",
  agents: [],
  cwd: null,
  expect: null,
  waitMs: 0,
  retries: null,
  until: null,
};

const parsed = (change: Partial<RawStepRequest>, env = {}) => parse({ ...RAW, ...change }, { cwd: "/", env });

describe("the request of a step", () => {
  it("has an agent for every role, and others for some", () => {
    const agents = ["uwf-mock --fast", "maker=uwf-pi", "2nd=uwf-pi"];
    expect(parsed({ agents: agents.slice(0, 2) })).toMatchObject({
      value: {
        agents: [
          { role: null, text: "uwf-mock --fast", words: ["uwf-mock", "--fast"] },
          { role: "maker", text: "uwf-pi", words: ["uwf-pi"] },
        ],
      },
    });
    // No role has such a name: it is a word of the command.
    expect(parsed({ agents: agents.slice(2) })).toMatchObject({ value: { agents: [{ role: null }] } });
  });

  it.each([
    [["a", "b"], "--agent is given twice"],
    [["maker=a", "b", "maker=c"], "--agent maker=… is given twice"],
  ])("is refused with two agents for one: %j", (agents, reason) => {
    expect(parsed({ agents })).toMatchObject({ ok: false, error: { code: "USAGE", reason } });
  });

  it.each([
    ["0A1B2C3D4E5F6", true],
    ["0A1B", false],
    ["latest", false],
  ])("expects a head by its whole hash: %s", (text, isHead) => {
    expect(parsed({ expect: text }).ok).toBe(isHead);
    expect(parsed({ expect: text })).toMatchObject(
      isHead ? { value: { expect: text } } : { error: { code: "MALFORMED_HASH", value: text } },
    );
  });
});
