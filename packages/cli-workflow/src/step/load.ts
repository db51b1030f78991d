/** The one lazy import of a step: stage 7 brings the schema validator, which is loaded while the agent runs. */
export function loadVerify(): Promise<typeof import("./verify.js")> {
  return import("./verify.js");
}
