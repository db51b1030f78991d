import { isHash, type JsonValue } from "@uncaged/json-cas";
import type { DocumentDifference, StepFile } from "@uncaged/workflow-report";
import { readStoredFile, type Storage, TYPE } from "@uncaged/workflow-store";
import { once } from "@uncaged/workflow-util";
import { type Differences, loadAddOn } from "../line/index.js";

/** Files and documents of steps, each read once. */
export type Documents = {
  readonly filesOf: (output: JsonValue) => readonly StepFile[];
  /**
   * Between two files of a step's output; `null`: it has no such two, a later step shows what differs between them, or what
   * compares them is not installed.
   */
  readonly differenceAt: (outputs: readonly JsonValue[], at: number) => Promise<DocumentDifference | null>;
};

export function openDocuments({ cas }: Pick<Storage, "cas">): Documents {
  const files = new Map<string, Omit<StepFile, "path"> | null>();
  const differences = new Map<string, DocumentDifference | null>();
  const comparing = once(async () => (await loadAddOn("documents"))?.differences ?? null);
  const fileAt = (ref: string): Omit<StepFile, "path"> | null => {
    const known = files.get(ref);
    if (known !== undefined) return known;
    const found = readFile(cas, ref);
    files.set(ref, found);
    return found;
  };
  const filesOf = (output: JsonValue): readonly StepFile[] =>
    namesIn(output, "", 0).flatMap(([path, ref]) => {
      const file = fileAt(ref);
      return file === null ? [] : [{ path, ...file }];
    });
  return {
    filesOf,
    differenceAt: async (outputs, at) => {
      const output = outputs[at] ?? null;
      // Nothing is loaded for an output without two files.
      const own = filesOf(output).length < 2 ? null : await comparing();
      const pair = own?.pairOf(output) ?? null;
      if (own === null || pair === null || isShownLater(own, outputs, at)) return null;
      const [old, now] = [fileAt(pair.source), fileAt(pair.modified)];
      if (old === null || now === null || Math.max(old.size, now.size) > LARGEST) return null;
      const key = `${old.hash} ${now.hash}`;
      const known = differences.get(key);
      if (known !== undefined) return known;
      const [source, modified] = [old.read(), now.read()];
      const found = source === null || modified === null ? null : own.differenceOf(source, modified);
      differences.set(key, found);
      return found;
    },
  };
}

/** Bytes of a document that is compared: a report is to be there in a moment. */
const LARGEST = 2 * 1024 * 1024;

/** A writer's two documents may be those of a differ after it, whose step shows what differs. */
function isShownLater({ pairOf }: Differences, outputs: readonly JsonValue[], at: number): boolean {
  const own = pairOf(outputs[at] ?? null);
  return outputs.slice(at + 1).some((output) => {
    const other = pairOf(output);
    return own !== null && other?.source === own.source && other.modified === own.modified;
  });
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
