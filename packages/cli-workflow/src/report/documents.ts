import { isHash, isObject, type JsonValue } from "@uncaged/json-cas";
import type { DocumentDifference, StepFile } from "@uncaged/workflow-report";
import { readStoredFile, type Storage, TYPE } from "@uncaged/workflow-store";

/** Files and documents of steps, each read once. */
export type Documents = {
  readonly filesOf: (output: JsonValue) => readonly StepFile[];
  /** Between the two documents of an output; `null`: it has no two. */
  readonly differenceOf: (output: JsonValue) => Promise<DocumentDifference | null>;
};

export function openDocuments({ cas }: Pick<Storage, "cas">): Documents {
  const files = new Map<string, Omit<StepFile, "path"> | null>();
  const differences = new Map<string, Promise<DocumentDifference | null>>();
  const fileAt = (ref: string): Omit<StepFile, "path"> | null => {
    const known = files.get(ref);
    if (known !== undefined) return known;
    const found = readFile(cas, ref);
    files.set(ref, found);
    return found;
  };
  return {
    filesOf: (output) =>
      namesIn(output, "", 0).flatMap(([path, ref]) => {
        const file = fileAt(ref);
        return file === null ? [] : [{ path, ...file }];
      }),
    differenceOf: async (output) => {
      const pair = pairOf(output);
      const [old, now] = [
        pair === null ? null : fileAt(pair.source),
        pair === null ? null : fileAt(pair.modified),
      ];
      if (old === null || now === null || Math.max(old.size, now.size) > LARGEST) return null;
      const key = `${old.hash} ${now.hash}`;
      const known = differences.get(key) ?? compared(old, now);
      differences.set(key, known);
      return known;
    },
  };
}

/** Bytes of a document that is compared: a report is to be there in a moment. */
const LARGEST = 2 * 1024 * 1024;

async function compared(
  old: Omit<StepFile, "path">,
  now: Omit<StepFile, "path">,
): Promise<DocumentDifference | null> {
  const [source, modified] = [old.read(), now.read()];
  if (source === null || modified === null) return null;
  const { differenceOf } = await import("./difference.js");
  return differenceOf(source, modified);
}

function readFile(cas: Storage["cas"], ref: string): Omit<StepFile, "path"> | null {
  if (!isHash(ref)) return null;
  const type = cas.get(ref)?.type;
  if (type !== TYPE.file && type !== TYPE.chunkedFile) return null;
  const file = readStoredFile(cas, ref);
  if (!file.ok) return null;
  const { name, mediaType, bytes } = file.value;
  const read = (): Uint8Array | null => {
    const again = readStoredFile(cas, ref);
    return again.ok ? again.value.bytes : null;
  };
  return { hash: ref, name, mediaType, size: bytes.length, read };
}

/** Outputs are looked into so deep. */
const DEEPEST = 4;

/** Every hash in an output, with its path. */
function namesIn(value: JsonValue, path: string, depth: number): readonly (readonly [string, string])[] {
  if (typeof value === "string") return isHash(value) ? [[path, value]] : [];
  if (typeof value !== "object" || value === null || depth === DEEPEST) return [];
  return Object.entries<JsonValue>(value).flatMap(([name, member]) =>
    namesIn(member, path === "" ? name : `${path}.${name}`, depth + 1),
  );
}

type Pair = { readonly source: string; readonly modified: string };

/** The two documents of a differ, else of an editor. */
export function pairOf(output: JsonValue): Pair | null {
  if (!isObject(output)) return null;
  const { sourceDocx: source, modifiedDocx, outputDocx } = output;
  const modified = modifiedDocx ?? outputDocx;
  return typeof source === "string" && typeof modified === "string" ? { source, modified } : null;
}
