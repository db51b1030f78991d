import { parseDocument } from "yaml";

/** The value of a YAML text; if it is invalid, `null` with sentences in `problems`. */
export function asYaml(text: string, problems: string[]): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  problems.push(...document.errors.map((error) => error.message.split("\n")[0] ?? error.message));
  if (problems.length > 0) return null;
  try {
    return document.toJS();
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return null;
  }
}
