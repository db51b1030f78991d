import { type Document, parseDocument } from "yaml";
import { asScenario, type Problems } from "./gate.js";
import type { Scenario } from "./types.js";

export type Parsed =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: Problems };

/** A scenario out of YAML (or JSON), or every problem as a sentence. */
export function parseScenario(text: string, file: string): Parsed {
  const document = parseDocument(text, { prettyErrors: true });
  const broken = document.errors.map((error) => error.message.split("\n")[0] ?? error.message);
  if (broken.length > 0) return { ok: false, problems: broken };
  const problems: string[] = [];
  const scenario = asScenario(plainValue(document, problems), file, problems);
  return problems.length === 0 ? { ok: true, scenario } : { ok: false, problems };
}

function plainValue(document: Document.Parsed, problems: string[]): unknown {
  try {
    return document.toJS();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return null;
  }
}
