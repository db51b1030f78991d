import { describe, expect, it } from "vitest";
import { inBatches } from "../../src/command.js";

describe("lines that arrive together", () => {
  it("are passed on together, in order, and the rest at the end", async () => {
    const told: string[] = [];
    const batches = inBatches((lines) => told.push(lines));
    for (const line of ["a", "", "b"]) batches.push(line);
    await Promise.resolve();
    expect(told).toEqual(["a\n\nb"]);
    batches.push("c");
    batches.finish();
    expect(told).toEqual(["a\n\nb", "c"]);
  });

  it("rethrow what the receiver threw", async () => {
    const batches = inBatches(() => {
      throw new Error("EPIPE");
    });
    batches.push("a");
    await Promise.resolve();
    expect(() => batches.push("b")).toThrow("EPIPE");
    expect(() => batches.finish()).toThrow("EPIPE");
  });
});
