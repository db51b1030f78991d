import { expect, it } from "vitest";

it("exports exactly its public surface", async () => {
  const names = ["errorMark", "hermesAgent", "parseSession", "sessionIdIn", "textIn"];
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(names);
});
