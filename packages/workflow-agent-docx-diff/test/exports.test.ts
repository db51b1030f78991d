import { expect, it } from "vitest";

it("exports exactly its public surface", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(["docxDiff"]);
});
