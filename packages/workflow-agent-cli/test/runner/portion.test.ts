import { describe, expect, it } from "vitest";
import { listen } from "../../src/events/index.js";
import { portion } from "../../src/runner/portion.js";

type Detail = { readonly sessionId: string; readonly usage: object | null };

function used(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, costUsd: null };
}

/** What a resumed process is charged with, after steps with these details, when its session counts 405 and 28. */
function charged(details: readonly Detail[], resume: string | null = "s") {
  const listener = listen("");
  listener.hear({ kind: "session", id: "s" });
  const steps = details.map((_, index) => ({ detail: String(index) }));
  const store = { get: (hash: string) => ({ payload: details[Number(hash)] }) };
  const context = { steps, store } as never;
  return portion({ trace: listener.trace(), resume, context, totals: new Map(), counted: used(405, 28) });
}

describe("the part of a process in what its session counts", () => {
  it("is the whole for a new session", () => {
    expect(charged([], null)).toEqual(used(405, 28));
  });

  it("is what is left when the steps of the session before it have theirs, whoever else took a step", () => {
    const before = [
      { sessionId: "s", usage: used(203, 14) },
      { sessionId: "other", usage: used(1000, 1000) },
      { sessionId: "s", usage: used(101, 7) },
    ];
    expect(charged(before)).toEqual(used(101, 7));
  });

  it("is unknown when a step before it does not know its own, or when the counts contradict each other", () => {
    expect(charged([{ sessionId: "s", usage: null }])).toBeNull();
    expect(charged([{ sessionId: "s", usage: used(500, 1) }])).toBeNull();
  });
});
