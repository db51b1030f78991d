import type { ThreadId } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { selectThreads, type Window } from "../../src/commands/thread/list.js";
import { threadOf } from "../support/long.js";

const ALL: Window = { since: null, limit: null, offset: 0 };

/** A hundred threads, one every ten ms. */
const IDS = Array.from({ length: 100 }, (_, index) => threadOf(1000 + index * 10, index) as ThreadId);

function numberOf(id: ThreadId): number {
  return Number(id.slice(10));
}

/** What is selected, and which threads were looked at on the way. */
function selected(window: Partial<Window>, fits: (number: number) => boolean = () => true) {
  const looked: number[] = [];
  const look = (id: ThreadId): number | null => {
    looked.push(numberOf(id));
    return fits(numberOf(id)) ? numberOf(id) : null;
  };
  const found = [...selectThreads(IDS, { ...ALL, ...window }, look)];
  return { found, looked: [...looked].sort((a, b) => a - b) };
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

describe("a window of threads", () => {
  it("is all of them, oldest first, where nothing is asked", () => {
    expect(selected({}).found).toEqual(range(0, 100));
  });

  it("is the newest so many, oldest first, and looks at no other", () => {
    expect(selected({ limit: 3 })).toEqual({ found: [97, 98, 99], looked: [97, 98, 99] });
    expect(selected({ limit: 0 })).toEqual({ found: [], looked: [] });
    expect(selected({ limit: 1000 }).found).toEqual(range(0, 100));
  });

  it("passes over so many newer ones, so that pages go back in time", () => {
    expect(selected({ limit: 3, offset: 3 })).toEqual({ found: [94, 95, 96], looked: range(94, 100) });
    expect(selected({ offset: 98 }).found).toEqual([0, 1]);
    expect(selected({ limit: 3, offset: 99 }).found).toEqual([0]);
    expect(selected({ limit: 3, offset: 100 }).found).toEqual([]);
    expect(selected({ offset: 1000 }).found).toEqual([]);
  });

  it("begins at a time, that ms included, and looks at nothing older", () => {
    expect(selected({ since: 1970 })).toEqual({ found: [97, 98, 99], looked: [97, 98, 99] });
    expect(selected({ since: 1971 })).toEqual({ found: [98, 99], looked: [98, 99] });
    expect(selected({ since: 0 }).found).toEqual(range(0, 100));
    expect(selected({ since: 5000 })).toEqual({ found: [], looked: [] });
    expect(selected({ since: 1970, limit: 2, offset: 2 })).toEqual({ found: [97], looked: [97, 98, 99] });
  });

  it("counts those that belong to the list, and stops looking when it is full", () => {
    const even = (number: number): boolean => number % 2 === 0;
    expect(selected({ limit: 2, offset: 1 }, even)).toEqual({ found: [94, 96], looked: range(94, 100) });
    expect(selected({ offset: 48 }, even).found).toEqual([0, 2]);
    expect(selected({ limit: 2 }, () => false).found).toEqual([]);
  });
});
