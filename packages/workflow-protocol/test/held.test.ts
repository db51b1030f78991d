import { describe, expect, it } from "vitest";
import {
  fault,
  type Held,
  type HoldRecord,
  holdFault,
  type ReachedLimit,
  raiseCommand,
  reachedText,
  type ThreadId,
  waitWords,
  wayOn,
} from "../src/index.js";

const OWN = "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as ThreadId;
const PARENT = "01KAJ5E8ZJ4N7XK3M9T2V6W8YC" as ThreadId;

const held: Held = {
  for: "answer",
  role: "reviewer",
  question: null,
  threads: [],
  since: 0,
  until: null,
  limit: null,
  waitingSince: 0,
};

const limit: ReachedLimit = { of: OWN, limit: "maxSteps", max: 5, spent: 5 };

const short = (thread: string): string => thread.slice(-4);

describe("a thread that waits", () => {
  it.each<[string, Partial<Held>, string | null]>([
    ["waits for an answer as reviewer", {}, `uwf thread answer ${OWN} --show`],
    ["waits for an answer", { role: null }, `uwf thread answer ${OWN} --show`],
    ["waits for W8YC as reviewer", { for: "threads", threads: [PARENT] }, null],
    ["waits for 2 threads as reviewer", { for: "threads", threads: [PARENT, OWN] }, null],
    ["waits for 0 threads as reviewer", { for: "threads" }, null],
    ["waits for a change as reviewer", { for: "change" }, `uwf thread step ${OWN}`],
    ["is paused", { for: "resume", role: null }, `uwf thread resume ${OWN}`],
    ["goes on at the remote", { for: "remote", role: null }, `uwf thread show ${OWN} --remote`],
    ["is at its limit", { for: "limit" }, `uwf thread limit ${OWN}`],
    ["is at its limit", { for: "limit", limit }, `uwf thread limit ${OWN} --max-steps 10`],
    [
      "is at the limit of W8YC",
      { for: "limit", limit: { ...limit, of: PARENT } },
      `uwf thread limit ${PARENT} --max-steps 10`,
    ],
  ])("%s: %j", (words, change, way) => {
    expect(waitWords({ ...held, ...change }, OWN, short)).toBe(words);
    expect(wayOn({ thread: OWN, held: { ...held, ...change } }, (id) => id)).toBe(way);
  });

  it.each<[Omit<ReachedLimit, "of">, string, string]>([
    [{ limit: "maxSteps", max: 1, spent: 1 }, "1 step taken; the limit is 1", "--max-steps 2"],
    [{ limit: "maxSteps", max: 5, spent: 7 }, "7 steps taken; the limit is 5", "--max-steps 12"],
    [{ limit: "maxSteps", max: 0, spent: 0 }, "0 steps taken; the limit is 0", "--max-steps 1"],
    [{ limit: "maxCostUsd", max: 0.5, spent: 0.6 }, "$0.6 spent; the limit is $0.5", "--max-cost 2"],
    [
      { limit: "maxMinutes", max: 30, spent: 31.5 },
      "31.5 minutes of agent time used; the limit is 30",
      "--max-minutes 62",
    ],
  ])("for its limit gets as much again: %j", (reached, words, option) => {
    expect(reachedText(reached)).toBe(words);
    expect(raiseCommand({ of: OWN, ...reached })).toBe(`uwf thread limit ${OWN} ${option}`);
  });

  it("has the fault of what its record says", () => {
    const hold: Omit<HoldRecord, "for" | "limit"> = {
      question: "which?",
      threads: [{ thread: PARENT, head: "7YQ5C0QZ2T1VA", held: false }] as unknown as HoldRecord["threads"],
      until: null,
      head: "7YQ5C0QZ2T1VA" as HoldRecord["head"],
      role: "reviewer",
      agent: null,
      since: 0,
      config: "",
      told: true,
      at: 7,
    };
    const { question, role } = hold;
    const faultFor = (why: Pick<HoldRecord, "for">, blocker: null = null) =>
      holdFault(OWN, { ...hold, ...why } as HoldRecord, blocker);
    const stamped = { ...limit, stamp: "s" };
    expect(faultFor({ for: "answer" })).toEqual(fault("WAITING_FOR_ANSWER", { thread: OWN, role, question }));
    expect(faultFor({ for: "change" })).toEqual(fault("WAITING", { thread: OWN, role, question }));
    expect(faultFor({ for: "threads" })).toEqual(
      fault("WAITING_FOR_THREADS", { thread: OWN, role, threads: [PARENT], blocker: null }),
    );
    expect(holdFault(OWN, { ...hold, for: "limit", limit: stamped } as HoldRecord, null)).toEqual(
      fault("LIMIT_REACHED", { thread: OWN, ...limit }),
    );
  });
});
