import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { printAll } from "../../src/commands/output.js";
import { listRenderer, renderDocument } from "../../src/render.js";

const PARTS = Array.from({ length: 50 }, (_, index) => index);
const DAMAGE = fault("NODE_MISSING", { hash: "0000000000000", referrer: null });

type Read = (part: number) => Result<unknown, Fault>;

const item = (part: number) => ({ part, text: "x".repeat(part) });

async function printed(read: Read, closesAfter = Number.POSITIVE_INFINITY) {
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
  const result = await printAll(stdout, listRenderer("json"), { parts: PARTS, read: counted });
  return { result, text: texts.join(""), reads };
}

describe("items that are printed when all of them have been read", () => {
  it("print the complete document", async () => {
    const { result, text } = await printed((part) => ok(item(part)));
    expect(result.ok).toBe(true);
    expect(text).toBe(await renderDocument(PARTS.map(item), "json"));
  });

  it("are read twice, so that no more than one is in memory", async () => {
    expect((await printed((part) => ok(item(part)))).reads).toEqual([...PARTS, ...PARTS]);
  });

  it.each([0, 25, 49])("leave stdout empty when item %d is damaged", async (damaged) => {
    const { result, text } = await printed((part) => (part === damaged ? err(DAMAGE) : ok(item(part))));
    expect({ result, text }).toEqual({ result: err(DAMAGE), text: "" });
  });

  it("end with the damage that came after they had been looked at", async () => {
    let looks = 0;
    const read: Read = (part) => {
      if (part === 49) looks += 1;
      return part === 49 && looks === 2 ? err(DAMAGE) : ok(item(part));
    };
    expect((await printed(read)).result).toEqual(err(DAMAGE));
  });

  it("are not read on for a reader that has gone", async () => {
    const large: Read = (part) => ok("x".repeat(part === 0 ? 100_000 : 1));
    const { result, reads } = await printed(large, 1);
    expect(result.ok).toBe(true);
    expect(reads).toEqual([...PARTS, 0]);
  });
});
