import { expect, it } from "vitest";

it("exports the command group and its input error", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "CasInputError",
    "mountCas",
    "mountTransfer",
  ]);
});
