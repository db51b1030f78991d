import { expect, it } from "vitest";

it("exports the program and nothing else", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(["main"]);
});
