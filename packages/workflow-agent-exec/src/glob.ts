import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, referenceField } from "@uncaged/workflow-agent-kit";
import type { Artifact } from "./words.js";

/** The segments of a pattern; `null` if it leads out of the folder. */
function segmentsOf(pattern: string): readonly string[] | null {
  const segments = pattern.split("/").filter((segment) => segment !== ".");
  const isInside = segments.every((segment) => segment !== "" && segment !== "..");
  return isInside && segments.length > 0 ? segments : null;
}

/** Whether a pattern is of the form that `filesMatching` takes: relative, without `..`. */
export function isPattern(pattern: string): boolean {
  return segmentsOf(pattern) !== null;
}

/**
 * The regular files that a pattern of `*`, `?` and `**` matches, relative to the folder and sorted. No link is followed;
 * a name with a leading dot matches only a pattern with one. Throws system errors, except for folders that are missing.
 */
export function filesMatching(folder: string, pattern: string): readonly string[] {
  return [...new Set(expand(folder, "", segmentsOf(pattern) ?? []))].sort();
}

function expand(folder: string, at: string, segments: readonly string[]): readonly string[] {
  const [first = "", ...rest] = segments;
  const entries = readEntries(join(folder, at));
  if (first === "**") {
    const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("."));
    return [
      ...expand(folder, at, rest.length === 0 ? ["*"] : rest),
      ...below.flatMap(({ name }) => expand(folder, join(at, name), segments)),
    ];
  }
  const form = formOf(first);
  const named = entries.filter(({ name }) => form.test(name));
  if (rest.length === 0) return named.filter((entry) => entry.isFile()).map(({ name }) => join(at, name));
  return named
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => expand(folder, join(at, name), rest));
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

function formOf(segment: string): RegExp {
  const source = segment
    .replaceAll(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll(/\*+/g, "[^/]*")
    .replaceAll("?", "[^/]");
  return new RegExp(`^${segment.startsWith(".") ? "" : "(?!\\.)"}${source}$`, "s");
}

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
