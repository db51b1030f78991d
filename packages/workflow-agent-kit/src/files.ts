import { type Hash, isHash, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import { isObject, joined, propertiesOf, typesOf } from "@uncaged/json-schema";
import { err, LIMITS, messageOf, ok, type Result } from "@uncaged/workflow-protocol";
import { type NewFile, newFile, readWorkingFile } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { branchesOf } from "./example/index.js";
import { isList, isReference, memberOf } from "./schema.js";

/** A value whose paths were replaced by the hashes of their files. */
export type WithFiles = {
  /** The value with hashes in place of paths; a path that could not be read stays. */
  readonly value: JsonObject;
  /** Not stored yet. */
  readonly files: ReadonlyMap<Hash, NewFile>;
  readonly refused: readonly Refused[];
};

type Refused = {
  /** A JSON Pointer. */
  readonly at: string;
  /** `/patch: …` */
  readonly line: string;
};

/** Where paths lead. */
export type WorkingFolder = Parameters<typeof readWorkingFile>[0];

type Reader = WorkingFolder & { readonly redactor: Redactor };

/** Replaces every path in a field with `format: cas_ref` by the hash of that file's node. */
export function readFiles(schema: JsonValue, given: JsonObject, reader: Reader): WithFiles {
  const files = new Map<Hash, NewFile>();
  const refused: Refused[] = [];
  let size = 0;
  const convert = (path: string, at: string): string => {
    const read = readOne(reader, path);
    if (!read.ok) {
      refused.push({ at, line: `${at}: ${read.error}` });
      return path;
    }
    const { hash } = read.value;
    if (files.has(hash)) return hash;
    size += read.value.size;
    if (size > LIMITS.filesOfStep) {
      refused.push({ at, line: `${at}: the files of a step may have ${LIMITS.filesOfStep} bytes together` });
      return path;
    }
    files.set(hash, read.value);
    return hash;
  };
  const value = mapReferences({ root: schema, convert }, [schema], given, "");
  return { value: isObject(value) ? value : given, files, refused };
}

/** The file, or the end of a sentence that says how to repair the reply. */
function readOne(reader: Reader, path: string): Result<NewFile, string> {
  const named = `expected the hash of a stored node or the path of a file, got ${JSON.stringify(path)}`;
  const bytes = readWorkingFile(reader, path);
  if (!bytes.ok) return err(`${named}: ${reasonOf(bytes.error)}`);
  const file = newFile(path, bytes.value, null);
  // A redacted file would not be the file any more; Latin-1 has a character for every byte.
  const text = file.text ?? bytes.value.toString("latin1");
  if (reader.redactor.text(text) !== text) return err(`${named}: it contains a key of this storage root`);
  return ok(file);
}

function reasonOf(cause: Parameters<typeof messageOf>[0]): string {
  return "reason" in cause ? String(cause.reason) : messageOf(cause);
}

type Walk = {
  readonly root: JsonValue;
  /** Called with each string where a reference should be and none is. */
  readonly convert: (text: string, at: string) => string;
};

/** Schemas of which each may apply to the same value. */
type Schemas = readonly JsonValue[];

function mapReferences(walk: Walk, schemas: Schemas, value: JsonValue, at: string): JsonValue {
  if (typeof value === "string") {
    return isHash(value) || !wantsReference(walk.root, schemas) ? value : walk.convert(value, at);
  }
  if (isList(value)) {
    const inner = schemas.flatMap((schema) => partsOf(walk.root, schema, itemsOf));
    return inner.length === 0
      ? value
      : value.map((item, index) => mapReferences(walk, inner, item, `${at}/${index}`));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    const inner = schemas.flatMap((schema) => partsOf(walk.root, schema, (one) => memberSchemas(one, key)));
    return [key, inner.length === 0 ? member : mapReferences(walk, inner, member, `${at}/${escaped(key)}`)];
  });
  return Object.fromEntries(members);
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Whether every schema that allows a string there asks for a reference: a union with other texts is left alone. */
function wantsReference(root: JsonValue, schemas: Schemas): boolean {
  const ofStrings = schemas
    .flatMap((schema) => branchesOf(root, schema))
    .filter((conjuncts) => typesOf(conjuncts)?.includes("string") !== false);
  return ofStrings.length > 0 && ofStrings.every((conjuncts) => conjuncts.some(isReference));
}

type Conjuncts = readonly JsonObject[];

function partsOf(
  root: JsonValue,
  schema: JsonValue,
  inner: (conjuncts: Conjuncts) => readonly JsonValue[],
): Schemas {
  return branchesOf(root, schema).flatMap(inner);
}

function itemsOf(conjuncts: Conjuncts): Schemas {
  const found = conjuncts.map((schema) => memberOf(schema, "items")).filter(isObject);
  return found.length === 0 ? [] : [joined(found)];
}

function memberSchemas(conjuncts: Conjuncts, key: string): Schemas {
  const named = propertiesOf(conjuncts).get(key);
  if (named !== undefined) return [named];
  return conjuncts.map((schema) => memberOf(schema, "additionalProperties")).filter(isObject);
}
