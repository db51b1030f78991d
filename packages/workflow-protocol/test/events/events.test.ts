import { describe, expect, it } from "vitest";
import { EVENTS, type EventKind, eventKindIn, eventText, readEvent, toEventLine } from "../../src/index.js";

const kinds = Object.keys(EVENTS) as EventKind[];

describe("the table of events", () => {
  it.each(kinds)("has a line for %s from which it is read again, and found without parsing", (kind) => {
    const { fields, sometimes } = EVENTS[kind];
    const nothing = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const line = toEventLine(kind, nothing as never);
    expect(readEvent(line)).toEqual({
      kind,
      ...nothing,
      ...Object.fromEntries(Object.keys(sometimes).map((name) => [name, null])),
    });
    const found = kinds.filter((each) => JSON.stringify(line).includes(eventText(each)));
    expect(found).toEqual([kind]);
  });

  it("gives each event that is the end of a run the members of a run", () => {
    const ends = kinds.filter((kind) => EVENTS[kind].as === "outcome");
    expect(ends).toEqual(["step", "adopted", "failed", "abandoned", "waiting"]);
    for (const kind of ends) {
      const line = toEventLine(kind, { run: "a", head: "0123456789ABC" } as never);
      expect(readEvent(line)).toMatchObject({
        kind,
        run: "a",
        head: "0123456789ABC",
        role: null,
        durationMs: null,
      });
    }
  });
});

describe("a line of the log", () => {
  it("begins with what happened, or with whose run it was", () => {
    const run = { role: "a", agent: "b", run: "c", head: null, attempt: 1 };
    const end = { ...run, durationMs: 7, exitCode: 0, signal: null };
    const step = { ...end, step: null, usage: null };
    expect(Object.keys(toEventLine("step", step))).toEqual([...Object.keys(end), "outcome", "step", "usage"]);
    expect(Object.keys(toEventLine("agent", run))).toEqual(["event", ...Object.keys(run)]);
  });
});

describe("a line that a person has edited", () => {
  it("has null for each member that is not what it should be", () => {
    const line = {
      outcome: "failed",
      role: 7,
      exitCode: "3",
      usage: { inputTokens: 1 },
      code: "AGENT_FAILED",
    };
    const read = { role: null, exitCode: null, usage: null, code: "AGENT_FAILED", stderr: null };
    expect(readEvent(line)).toMatchObject(read);
  });

  it.each([
    {},
    { event: "unknown" },
    { event: 3 },
    { outcome: "ended" },
    // A remote's own word, which is no end of a run.
    { event: "step" },
    { event: "toString" },
    { outcome: null, event: "ended" },
  ])("is about no event: %j", (line) => {
    expect([eventKindIn(line), readEvent(line)]).toEqual([null, null]);
  });
});
