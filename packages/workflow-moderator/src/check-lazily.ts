import type { checkExpression, checkWorkflow } from "./check/index.js";

/** The checks of `workflow put`. */
export type Checks = {
  readonly checkWorkflow: typeof checkWorkflow;
  readonly checkExpression: typeof checkExpression;
};

/** Loaded on demand: the checks need jsonata's parser and re2js, which take 20 ms to load. */
export async function loadChecks(): Promise<Checks> {
  const { checkExpression, checkWorkflow } = await import("./check/index.js");
  return { checkExpression, checkWorkflow };
}
