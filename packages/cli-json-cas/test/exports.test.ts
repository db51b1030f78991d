import { expect, it } from "vitest";

it("exports the commands and their input error", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(["COMMANDS", "CasInputError"]);
});
