import { asScenario, type Problems } from "./gate.js";
import type { Scenario } from "./types.js";

export type Parsed =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: Problems };

/** A scenario out of JSON or YAML, or every problem as a sentence. */
export async function parseScenario(text: string, file: string): Promise<Parsed> {
  const json = asJson(text);
  const problems: string[] = [];
  const value = json === undefined ? (await import("./yaml.js")).asYaml(text, problems) : json;
  if (problems.length > 0) return { ok: false, problems };
  const scenario = asScenario(value, file, problems);
  return problems.length === 0 ? { ok: true, scenario } : { ok: false, problems };
}

/** `undefined` for what is no JSON: YAML then reads it, or says where it is wrong. */
function asJson(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
