import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { printAll } from "../../src/commands/output.js";
import { listRenderer, renderDocument } from "../../src/render.js";

const PARTS = Array.from({ length: 50 }, (_, index) => index);
const DAMAGE = fault("NODE_MISSING", { hash: "0000000000000", referrer: null });

type Read = (part: number) => Result<unknown, Fault>;

const item = (part: number) => ({ part, text: "x".repeat(part) });

async function printed(held: number, read: Read, closesAfter = Number.POSITIVE_INFINITY) {
  const texts: string[] = [];
  const reads: number[] = [];
  const stdout = {
    write: (text: string): void => {
      texts.push(text);
    },
    isClosed: () => texts.length >= closesAfter,
    isTerminal: () => false,
    columns: () => null,
  };
  const counted: Read = (part) => {
    reads.push(part);
    return read(part);
  };
  const result = await printAll(stdout, listRenderer("json"), { parts: PARTS, read: counted }, held);
  return { result, text: texts.join(""), reads };
}

describe("items that are printed when all of them have been read", () => {
  it.each([0, 1, 500, 1_000_000])(
    "print the complete document, with %d characters buffered",
    async (held) => {
      const { result, text } = await printed(held, (part) => ok(item(part)));
      expect(result.ok).toBe(true);
      expect(text).toBe(await renderDocument(PARTS.map(item), "json"));
    },
  );

  it("are read once if they fit, and the rest of them twice", async () => {
    expect((await printed(1_000_000, (part) => ok(item(part)))).reads).toEqual(PARTS);
    expect((await printed(1, (part) => ok(item(part)))).reads).toEqual([...PARTS, ...PARTS.slice(1)]);
  });

  it.each([0, 500, 1_000_000])(
    "leave stdout empty when one is damaged, with %d characters held back",
    async (held) => {
      for (const damaged of [0, 25, 49]) {
        const { result, text } = await printed(held, (part) =>
          part === damaged ? err(DAMAGE) : ok(item(part)),
        );
        expect({ result, text }).toEqual({ result: err(DAMAGE), text: "" });
      }
    },
  );

  it("end with the damage that came after they had been looked at", async () => {
    let looks = 0;
    const read: Read = (part) => {
      if (part === 49) looks += 1;
      return part === 49 && looks === 2 ? err(DAMAGE) : ok(item(part));
    };
    expect((await printed(0, read)).result).toEqual(err(DAMAGE));
  });

  it("are not read on for a reader that has gone", async () => {
    const large: Read = (part) => ok("x".repeat(part === 0 ? 100_000 : 1));
    const { result, reads } = await printed(1, large, 1);
    expect(result.ok).toBe(true);
    expect(reads).toEqual(PARTS);
  });
});
