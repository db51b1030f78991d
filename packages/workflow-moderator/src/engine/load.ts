import type { Jsonata } from "./types.js";

// The one place of lazy imports: a workflow whose conditions are all `null` loads no jsonata, and re2js is loaded only
// in the evaluator process, when the expression has a regex. `uwf workflow put` checks expressions: check/ imports
// both the usual way.

export async function loadJsonata(): Promise<Jsonata> {
  const { default: jsonata } = await import("jsonata");
  return jsonata as unknown as Jsonata;
}

/** The URL of the module that the evaluator process runs: a source, a file of dist/, a chunk of a bundle. */
export async function loadEvaluatorUrl(): Promise<string> {
  const { evaluator } = await import("./serve.js");
  return evaluator.url;
}
