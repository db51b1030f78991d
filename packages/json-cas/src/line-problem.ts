import { suggest } from "@uncaged/json-schema";

/**
 * What `parseArgs` of node:util says of a wrong command line, as a clause without its advice, with the option that may have
 * been meant: `unknown option '--jsn', did you mean "--json"?` `options`: the names that there are, without dashes.
 */
export function lineProblem(error: unknown, options: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  // The name of an option stays as it was written.
  const reason = message
    .replace(/\.\s(?:To specify|Did you|This command).*$/s, "")
    .replace(/^[UO](?=[a-z])/, (first) => first.toLowerCase());
  const [, unknown] = /^unknown option '--([^'=]+)/.exec(reason) ?? [];
  const meant = unknown === undefined ? null : suggest(unknown, options);
  return meant === null ? reason : `${reason}, did you mean "--${meant}"?`;
}
