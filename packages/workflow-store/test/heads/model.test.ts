import { existsSync, readFileSync } from "node:fs";
import { type CasRef, THREAD_ID, type ThreadId } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCanonical } from "../../src/hash-map-file.js";
import { addThread, advanceHead, archiveThread, listThreads, type Storage } from "../../src/index.js";
import { HASH_A, HASH_B, tempStorage, threadAt } from "../support/index.js";

const HASHES: readonly CasRef[] = [HASH_A, HASH_B, "1111111111111" as CasRef];

type Model = Map<ThreadId, { head: CasRef; ended: boolean }>;

type Step = { kind: "add" | "advance" | "archive"; n: number; expected: number; next: number };

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom("add", "advance", "archive"),
    n: fc.nat({ max: 4 }),
    expected: fc.nat({ max: 2 }),
    next: fc.nat({ max: 2 }),
  }) as fc.Arbitrary<Step>,
  { maxLength: 25 },
);

/** What the command gives: `ok`, or the fault's code. */
async function perform(storage: Storage, { kind, n, expected, next }: Step): Promise<string> {
  const thread = threadAt(n);
  const head = HASHES[expected]!;
  const result =
    kind === "add"
      ? await addThread(storage, thread, head)
      : kind === "advance"
        ? await advanceHead(storage, { thread, expected: head, next: HASHES[next]! })
        : await archiveThread(storage, { thread, head, workflow: HASH_A, reason: "end", completedAt: 1 });
  return result.ok ? "ok" : result.error.code;
}

function predict(model: Model, { kind, n, expected, next }: Step): string {
  const thread = threadAt(n);
  const head = HASHES[expected]!;
  const known = model.get(thread);
  if (kind === "add") {
    if (known !== undefined) return "INVALID_INPUT";
    model.set(thread, { head, ended: false });
    return "ok";
  }
  if (known?.ended) return kind === "archive" ? "ok" : "THREAD_ENDED";
  if (known === undefined) return "THREAD_NOT_FOUND";
  if (known.head !== head) return "HEAD_MOVED";
  if (kind === "archive") known.ended = true;
  else known.head = HASHES[next]!;
  return "ok";
}

describe("any sequence of adding, advancing and archiving", () => {
  it("gives what a simple map gives, and keeps threads.yaml canonical", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const storage = tempStorage();
        const model: Model = new Map();
        for (const step of sequence) expect(await perform(storage, step)).toBe(predict(model, step));
        const listed = await listThreads(storage, { all: true });
        const states = listed.ok ? listed.value : [];
        expect(states.map(({ thread, head, kind }) => [thread, head, kind === "ended"])).toEqual(
          [...model].map(([thread, { head, ended }]) => [thread, head, ended]).sort(),
        );
        if (!existsSync(storage.paths.threads)) return;
        const text = readFileSync(storage.paths.threads, "utf8");
        expect(parseCanonical(text, { key: THREAD_ID, keyName: "" })).not.toBeNull();
      }),
      { numRuns: 40 },
    );
  });
});
