import { readFileSync } from "node:fs";
import { expect } from "vitest";

// Properties are tried with the same cases in each run, so that none fails by chance; UWF_TEST_SEED=<n> tries others.
// Only where they are used: loading fast-check takes longer than most files of tests.
if (/from "fast-check"/.test(readFileSync(expect.getState().testPath ?? "", "utf8"))) {
  const { configureGlobal, readConfigureGlobal } = await import("fast-check");
  configureGlobal({ ...readConfigureGlobal(), seed: Number(process.env.UWF_TEST_SEED ?? 1) });
}
