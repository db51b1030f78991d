import { expect, it } from "vitest";
import * as adapters from "../src/adapters/index.js";

it("exports exactly its public surface", async () => {
  const names = [
    ...Object.keys(adapters),
    "GRACE_MS",
    "callProgram",
    "check",
    "checkMain",
    "cliAgentMain",
    "createCliAgent",
    "findProgram",
    "isReady",
    "listen",
    "processPlace",
    "processPort",
    "recordIn",
  ];
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual(names.sort());
});
