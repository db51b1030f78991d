import { type JsonObject, type JsonValue, referenceField } from "@uncaged/workflow-agent-kit";
import { filesMatching } from "./glob.js";
import type { Artifact } from "./words.js";

/** Why the role's meta cannot take an artifact; `null` if it can take all. */
export function undeclared(schema: JsonValue, artifacts: readonly Artifact[]): string | null {
  const missing = artifacts.find(({ field }) => referenceField(schema, field) === null);
  if (missing === undefined) return null;
  return `--artifact ${missing.field}: the role has no such field with \`format: cas_ref\``;
}

type Fields =
  | { readonly ok: true; readonly fields: JsonObject }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };

/**
 * The fields of `--artifact` with the paths of the files; the kit stores these. A list takes every match, any other field
 * the only one. A command that failed may have made none: then the field is left out.
 */
export function artifactsIn(
  folder: string,
  artifacts: readonly Artifact[],
  schema: JsonValue,
  failed: boolean,
): Fields {
  const fields: Record<string, JsonValue> = {};
  for (const { field, glob } of artifacts) {
    const found = filesMatching(folder, glob).map((path) => `./${path}`);
    const [only] = found;
    if (only === undefined) {
      if (failed) continue;
      return { ok: false, reason: `no file matches ${glob}, which --artifact ${field} asks for` };
    }
    const isList = referenceField(schema, field) === "list";
    if (!isList && found.length > 1) {
      const names = `${found.slice(0, 5).join(", ")}${found.length > 5 ? ", …" : ""}`;
      return { ok: false, reason: `${found.length} files match ${glob}, and ${field} takes one: ${names}` };
    }
    fields[field] = isList ? found : only;
  }
  return { ok: true, fields };
}
