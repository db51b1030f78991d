import {
  CasError,
  type CasNode,
  checkSchema,
  createMemoryStore,
  DecodeError,
  decodeNode,
  encodeNode,
  isHash,
  type JsonObject,
  type JsonValue,
  parseHash,
  refsOf,
  resolveHash,
  validatePayload,
} from "@uncaged/json-cas";
import { buildOutputFormatInstruction, validateFrontmatter } from "@uncaged/workflow-agent-kit";
import { messageOf } from "@uncaged/workflow-protocol";
import {
  ensureTypes,
  findLocalWorkflow,
  findThread,
  isWorkflowName,
  openStorage,
  putContent,
  runDirOf,
} from "@uncaged/workflow-store";
import { isThreadIdPart, parseThreadId } from "@uncaged/workflow-util";
import fc from "fast-check";
import { anyJson, corpus, hashLike, keyText, mutatedBytes, nastyText, schemaCorpus } from "../texts.js";
import { batchOf, type Subject } from "./batch.js";

// CBOR as an enemy writes it: any length behind any head, indefinite forms, tags, floats of every size, bad UTF-8.

const concat = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** The head of an item: a major type and an argument, not always in the shortest form. */
function head(major: number, argument: number, width: number): Uint8Array {
  if (width === 0) return Uint8Array.of((major << 5) | Math.min(argument, 23));
  const bytes = Buffer.alloc(1 + width);
  bytes[0] = (major << 5) | (23 + Math.log2(width) + 1);
  if (width === 8) bytes.writeBigUInt64BE(BigInt(argument), 1);
  else bytes.writeUIntBE(argument % 2 ** (8 * width), 1, width);
  return new Uint8Array(bytes);
}

const width = fc.constantFrom(0, 0, 0, 1, 2, 4, 8);
const size = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 30 }) },
  { weight: 1, arbitrary: fc.nat({ max: 2 ** 31 - 1 }) },
);

const integer = fc
  .tuple(fc.constantFrom(0, 1), size, width)
  .map(([major, value, wide]) => head(major, value, wide));

const simple = fc.oneof(
  fc.nat({ max: 31 }).map((value) => Uint8Array.of(0xe0 | value)),
  fc
    .tuple(fc.constantFrom(0xf8, 0xf9, 0xfa, 0xfb), fc.uint8Array({ minLength: 8, maxLength: 8 }))
    .map(([first, bytes]) => Uint8Array.of(first, ...bytes.subarray(0, 2 ** (first - 0xf8)))),
);

const bytesOrText = fc
  .tuple(fc.constantFrom(2, 3), fc.uint8Array({ maxLength: 30 }), width, fc.nat({ max: 3 }))
  .map(([major, bytes, wide, lie]) =>
    concat([head(major, lie === 0 ? bytes.length + 5 : bytes.length, wide), bytes]),
  );

/** One item, with more inside; lengths lie now and then. */
const cborItem: fc.Arbitrary<Uint8Array> = fc.letrec<{ item: Uint8Array }>((tie) => ({
  item: fc.oneof(
    { depthSize: "small" },
    integer,
    simple,
    bytesOrText,
    fc
      .tuple(fc.constantFrom(4, 5), fc.array(tie("item"), { maxLength: 6 }), width)
      .map(([major, items, wide]) => concat([head(major, items.length >> (major - 4), wide), ...items])),
    fc
      .tuple(fc.nat({ max: 300 }), width, tie("item"))
      .map(([tag, wide, item]) => concat([head(6, tag, wide), item])),
    fc
      .tuple(fc.constantFrom(0x5f, 0x7f, 0x9f, 0xbf), fc.array(tie("item"), { maxLength: 4 }))
      .map(([first, items]) => concat([Uint8Array.of(first), ...items, Uint8Array.of(0xff)])),
  ),
})).item;

const inputs = fc.oneof(
  nastyText,
  hashLike,
  fc.constantFrom(...corpus("paths")),
  fc.tuple(fc.constantFrom(...corpus("paths")), hashLike).map(([path, hash]) => path + hash),
);

/** Ids, tokens and names from the command line and from files: what becomes part of a path is of a closed alphabet. */
export const ids: Subject = {
  name: "ids and names",
  sample: 3_000,
  batch: 10_000,
  weight: 1,
  open: async ({ folder, slowMs }) => {
    const store = createMemoryStore();
    await ensureTypes(store);
    const storage = openStorage(folder, { now: Date.now });
    return batchOf(inputs, slowMs, async (text) => {
      checkAlphabet(text);
      checkRunFolder(runDirOf(storage, "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as never, text)?.dir ?? null, folder);
      checkResolved(() => resolveHash(store, text));
      const found = await findThread(storage, text);
      if (found.ok || !["MALFORMED_THREAD_ID", "THREAD_NOT_FOUND"].includes(found.error.code)) {
        throw new Error(`a thread ${found.ok ? "is found" : messageOf(found.error)}`);
      }
      const local = findLocalWorkflow(folder, text);
      if (!local.ok || local.value !== null) throw new Error("a workflow is found in an empty folder");
    });
  },
};

function checkAlphabet(text: string): void {
  const hash = parseHash(text);
  if (hash !== null && !(isHash(hash) && /^[0-9A-F][0-9A-Z]{12}$/.test(hash)))
    throw new Error(`the hash ${hash}`);
  const thread = parseThreadId(text);
  if (thread.ok && !/^[0-7][0-9A-Z]{25}$/.test(thread.value)) throw new Error(`the thread ${thread.value}`);
  if (isThreadIdPart(text) && !/^[0-9A-Za-z]{1,26}$/.test(text)) throw new Error("a part of a thread id");
  if (isWorkflowName(text) && !/^[a-z0-9-]+$/.test(text)) throw new Error("a workflow name");
}

function checkRunFolder(dir: string | null, folder: string): void {
  if (dir !== null && !dir.startsWith(`${folder}/runs/`)) throw new Error(`the run ${dir}`);
}

function checkResolved(resolve: () => string): void {
  try {
    const hash = resolve();
    if (!isHash(hash)) throw new Error(`the hash ${hash}`);
  } catch (error) {
    if (!(error instanceof CasError)) throw error;
  }
}

/** Bytes in the place of a node: they are one, in its only form, or they are refused. */
export const nodes: Subject = {
  name: "node bytes",
  sample: 2_000,
  batch: 10_000,
  weight: 2,
  open: async ({ slowMs }) => batchOf(inputsFrom(await realNodes()), slowMs, readNode),
};

async function realNodes(): Promise<readonly Uint8Array[]> {
  const store = createMemoryStore();
  await ensureTypes(store);
  await putContent(store, "a text");
  return store.list().map((hash) => encodeNode(store.get(hash) as CasNode));
}

function inputsFrom(real: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const payload = fc.oneof(
    cborItem,
    anyJson.map((value) => encodedPayload(value)),
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...real).chain((node) => mutatedBytes(node, cborItem)) },
    { weight: 3, arbitrary: fc.tuple(payload, cborItem).map(([value, time]) => shapedLikeNode(value, time)) },
    { weight: 1, arbitrary: cborItem },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 1, arbitrary: fc.constantFrom(...DEEP) },
  );
}

/** Nested far beyond any limit, and lengths that nobody has the memory for. */
const DEEP: readonly [Uint8Array, ...Uint8Array[]] = [
  new Uint8Array(1_000_000).fill(0x81),
  new Uint8Array(1_000_000).fill(0xa1),
  new Uint8Array(1_000_000).fill(0xc1),
  new Uint8Array(1_000_000).fill(0x9f),
  Uint8Array.of(0x9b, 0x7f, ...new Uint8Array(7).fill(0xff)),
  Uint8Array.of(0xbb, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff),
  Uint8Array.of(0x5b, 0, 0, 0, 1, 0, 0, 0, 0),
  Uint8Array.of(0x7b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff),
  Uint8Array.of(0x9a, 0xff, 0xff, 0xff, 0xff),
];

const text = (word: string): Uint8Array => Uint8Array.of(0x60 + word.length, ...Buffer.from(word));

function shapedLikeNode(payload: Uint8Array, timestamp: Uint8Array): Uint8Array {
  const parts = [
    Uint8Array.of(0xa3),
    text("type"),
    text("0123456789ABC"),
    text("payload"),
    payload,
    text("timestamp"),
  ];
  return new Uint8Array(Buffer.concat([...parts, timestamp]));
}

function encodedPayload(payload: CasNode["payload"]): Uint8Array {
  const type = parseHash("0123456789ABC");
  if (type === null) throw new Error("no hash");
  try {
    return encodeNode({ type, payload, timestamp: 1 });
  } catch {
    return new Uint8Array();
  }
}

function readNode(bytes: Uint8Array): void {
  let node: CasNode;
  try {
    node = decodeNode(bytes);
  } catch (error) {
    if (error instanceof DecodeError && error.message !== "") return;
    throw error;
  }
  if (Buffer.compare(encodeNode(node), bytes) !== 0)
    throw new Error("bytes were taken that are not the node's one form");
}

/** Values that walk deep into a recursive schema. */
const payload: fc.Arbitrary<JsonValue> = fc.oneof(
  anyJson,
  fc.constantFrom<JsonValue>(
    {},
    { a: {} },
    { a: nested("a", 60) },
    { a: "a".repeat(50_000) },
    { a: `${"a".repeat(5_000)}!` },
    { text: "x", value: 7, kind: "y" },
    Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`field${index}`, "x"])),
    { a: Array.from({ length: 20_000 }, (_, index) => index) },
  ),
);

function nested(key: string, levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 0; level < levels; level += 1) value = { [key]: value, b: {} };
  return value;
}

const generated: fc.Arbitrary<JsonObject> = fc
  .letrec<{ schema: JsonObject }>((tie) => {
    const inner = tie("schema");
    return {
      schema: fc.oneof(
        { depthSize: "small" },
        fc.record({ type: fc.constantFrom("object", "string", "array", "number", "nonsense") }),
        fc.record({
          $ref: fc.constantFrom(
            "#",
            "#/$defs/a",
            "#/properties/a",
            "https://example.invalid/x",
            "#/__proto__",
          ),
        }),
        fc.record({ pattern: nastyText }),
        fc.record({ const: anyJson }),
        fc.record({ enum: fc.array(anyJson, { maxLength: 3 }) }),
        fc
          .tuple(keyText, inner)
          .map(([key, schema]) => ({ type: "object", properties: { [key]: schema }, required: [key] })),
        fc
          .tuple(fc.constantFrom("allOf", "anyOf", "oneOf", "prefixItems"), fc.array(inner, { maxLength: 3 }))
          .map(([keyword, list]) => ({ [keyword]: list })),
        fc
          .tuple(
            fc.constantFrom(
              "not",
              "if",
              "then",
              "else",
              "items",
              "contains",
              "propertyNames",
              "additionalProperties",
              "unevaluatedProperties",
            ),
            inner,
          )
          .map(([keyword, schema]) => ({ [keyword]: schema })),
        fc.tuple(keyText, anyJson).map(([keyword, value]) => ({ [keyword]: value })),
      ),
    };
  })
  .schema.map((schema) => ({ type: "object", $defs: { a: schema }, ...schema }));

/** One use each, because each has the time of one input. */
const USES = {
  check: (schema: JsonObject) => checkSchema(schema),
  validate: validatePayload,
  refer: refsOf,
  instruct: (schema: JsonObject) => buildOutputFormatInstruction(schema),
  read: (schema: JsonObject, value: JsonValue) =>
    validateFrontmatter(schema, `---\n${JSON.stringify(value)}\n---\n`),
} as const;

const purpose = fc.constantFrom(...(Object.keys(USES) as (keyof typeof USES)[]));

const accepted = new WeakMap<JsonObject, boolean>();

function use([schema, value, name]: readonly [JsonObject, JsonValue, keyof typeof USES]): void {
  if (name === "check" || isAccepted(schema)) USES[name](schema, value);
}

/** What put refuses nobody uses; the schemas of the corpus are judged once. */
function isAccepted(schema: JsonObject): boolean {
  const known = accepted.get(schema) ?? checkSchema(schema).length === 0;
  accepted.set(schema, known);
  return known;
}

/** `meta` of roles: what `workflow put` takes, agents are shown, and replies are held against. */
export const schemas: Subject = {
  name: "role schemas",
  sample: 150,
  batch: 1_000,
  weight: 3,
  open: async ({ slowMs }) => batchOf(fc.tuple(generated, payload, purpose), slowMs, use),
};

/** Schemas whose cost grows faster than their text. */
export const schemaBombs: Subject = {
  name: "role schemas that explode",
  sample: 8,
  batch: 80,
  weight: 2,
  open: async ({ slowMs }) =>
    batchOf(fc.tuple(fc.constantFrom(...schemaCorpus()), payload, purpose), slowMs, use),
};
