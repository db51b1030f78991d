import { writeFileSync } from "node:fs";
import {
  type CasNode,
  computeHash,
  decodeNode,
  encodeNode,
  type Hash,
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
  META_SCHEMA_HASH,
} from "@uncaged/json-cas";
import { openExport } from "@uncaged/json-cas-fs";
import { TYPE } from "@uncaged/workflow-store";
import { secondPreimage } from "../../../json-cas/test/support/second-preimage.js";
import { packOutput } from "../../../json-cas-fs/src/pack/index.js";
import type { Random } from "../frame.js";
import type { Texts } from "./texts.js";

/** An export's content, each node after what it refers to. */
export type Bundle = {
  readonly nodes: readonly (CasNode & { readonly hash: Hash })[];
  readonly entries: readonly JsonObject[];
};

/** What was done to an export, for the evidence. */
export type Forgery = { readonly bundle: Bundle; readonly words: string; readonly how: How };

export type How = "one" | "everywhere" | "node" | "some" | "reference" | "thread" | "collision";

export function readBundle(file: string): Bundle {
  const open = openExport(file);
  const nodes: Bundle["nodes"][number][] = [];
  open.each((hash, bytes) => nodes.push({ hash, ...decodeNode(bytes) }));
  open.close();
  return { nodes, entries: open.entries };
}

/** A text in a node: at this path of its payload, where a member's name ends with `NAME`. */
type Site = { readonly node: number; readonly path: string; readonly text: string };

const NAME = "\n";

/** Every string of a value, and every member's name. */
function visit(value: JsonValue, path: string, put: (text: string, path: string) => string): JsonValue {
  if (typeof value === "string") return put(value, path);
  if (Array.isArray(value)) return value.map((each, at) => visit(each, `${path}/${at}`, put));
  if (!isObject(value)) return value;
  // No prototype: a member may be called `__proto__`.
  const made: Record<string, JsonValue> = Object.create(null);
  for (const [name, each] of Object.entries(value)) {
    const at = `${path}/${name}`;
    made[put(name, `${at}${NAME}`)] = visit(each, at, put);
  }
  return made;
}

/** Other texts in our types give types that are not ours; other bytes under their hashes are collisions. */
const OURS: ReadonlySet<string> = new Set([META_SCHEMA_HASH, ...Object.values(TYPE)]);

/** The texts that a stranger can write as he likes, references apart: those are hashes of his own nodes. */
function sitesOf({ nodes }: Bundle): {
  readonly texts: readonly Site[];
  readonly references: readonly Site[];
} {
  const hashes = new Set<string>(nodes.map(({ hash }) => hash));
  const [texts, references]: [Site[], Site[]] = [[], []];
  for (const [node, { hash, type, payload }] of nodes.entries()) {
    if (OURS.has(hash)) continue;
    visit(payload, "", (text, path) => {
      // The members of our own types are fixed.
      if (path.endsWith(NAME) && OURS.has(type) && type !== META_SCHEMA_HASH && path.split("/").length < 3)
        return text;
      (hashes.has(text) ? references : texts).push({ node, path, text });
      return text;
    });
  }
  return { texts, references };
}

/** The bundle with other texts, each node under its new hash and all references led there. */
function rewritten(
  { nodes, entries }: Bundle,
  put: (node: number, text: string, path: string) => string,
): Bundle {
  const moved = new Map<string, Hash>();
  const led = (text: string): string => moved.get(text) ?? text;
  const made = nodes.map((node, at) => {
    if (OURS.has(node.hash)) return node;
    const payload = visit(node.payload, "", (text, path) => led(put(at, text, path)));
    const type = (moved.get(node.type) ?? node.type) as Hash;
    const hash = computeHash(type, payload);
    moved.set(node.hash, hash);
    return { hash, type, payload, timestamp: node.timestamp };
  });
  const fitting = entries.map((entry) => visit(entry, "", led) as JsonObject);
  return { nodes: onceEach(made), entries: fitting };
}

function onceEach(nodes: Bundle["nodes"]): Bundle["nodes"] {
  return [...new Map(nodes.map((node) => [node.hash, node])).values()];
}

type Against = {
  readonly texts: Texts;
  /** Of threads. */
  readonly ids: readonly string[];
  /** Threads that start others, with their heads. */
  readonly parents: readonly { readonly thread: string; readonly head: string }[];
  /** Of the owner's nodes. */
  readonly hashes: readonly Hash[];
};

const HOWS: readonly [How, ...How[]] = [
  ...(["one", "one", "everywhere", "everywhere", "node", "some"] as const),
  ...(["reference", "thread", "thread", "thread", "collision", "collision"] as const),
];

/** One of a stranger's ideas. */
export function forge(bundle: Bundle, against: Against, random: Random): Forgery {
  const how = random.pick(HOWS);
  const made = IDEAS[how](bundle, against, random);
  return { ...made, how, words: `${how}: ${made.words}` };
}

type Made = Omit<Forgery, "how">;

const IDEAS: Readonly<Record<How, (bundle: Bundle, against: Against, random: Random) => Made>> = {
  one: (bundle, { texts }, random) => {
    const site = pickFrom(sitesOf(bundle).texts, random);
    return withTexts(bundle, new Map([[keyOf(site), textFrom(texts, random)]]));
  },
  some: (bundle, { texts }, random) => {
    const sites = sitesOf(bundle).texts;
    const some = Array.from({ length: 2 + random.below(6) }, () => pickFrom(sites, random));
    return withTexts(bundle, new Map(some.map((site) => [keyOf(site), textFrom(texts, random)])));
  },
  node: (bundle, { texts }, random) => {
    const sites = sitesOf(bundle).texts.filter(({ path }) => !path.endsWith(NAME));
    const { node } = pickFrom(sites, random);
    const own = sites.filter((site) => site.node === node);
    return withTexts(bundle, new Map(own.map((site) => [keyOf(site), textFrom(texts, random)])));
  },
  everywhere: (bundle, { texts }, random) => {
    const { text } = pickFrom(sitesOf(bundle).texts, random);
    const other = textFrom(texts, random);
    const words = `${JSON.stringify(text)} is ${JSON.stringify(other)}`;
    return { bundle: rewritten(bundle, (_node, each) => (each === text ? other : each)), words };
  },
  reference: (bundle, _against, random) => {
    const site = pickFrom(sitesOf(bundle).references, random);
    // Only what comes before it can be referred to.
    const { hash } = pickFrom(bundle.nodes.slice(0, Math.max(1, site.node)), random);
    return withTexts(bundle, new Map([[keyOf(site), hash]]));
  },
  thread: (bundle, against, random) => {
    const at = random.below(bundle.entries.length);
    const id = pickFrom(against.ids, random);
    const parent = random.pick([null, null, ...against.parents]);
    const line = { child: id, role: "lead", item: null, at: random.pick([1, Date.UTC(2100, 0)]) };
    const entries = bundle.entries.map((entry, index): JsonObject => {
      if (index !== at) return entry;
      const { parent: _own, ...rest } = entry;
      const claim = parent === null ? {} : { parent: { ...line, parent: parent.thread, head: parent.head } };
      return { ...rest, thread: id, ...claim };
    });
    return { bundle: { ...bundle, entries }, words: JSON.stringify(entries[at]) };
  },
  collision: (bundle, { hashes }, random) => {
    const hash = pickFrom([...hashes, ...bundle.nodes.map((node) => node.hash)], random);
    const asSchema = random.below(3) === 0;
    const type = asSchema ? META_SCHEMA_HASH : TYPE.content;
    const own = hash === META_SCHEMA_HASH ? null : type;
    const payload = secondPreimage(
      hash,
      own,
      (text): JsonObject =>
        asSchema ? { type: "object", unevaluatedProperties: { title: text } } : { text },
    );
    const forged = { hash, type, payload, timestamp: 1 };
    const isThere = bundle.nodes.some((node) => node.hash === hash);
    const rest = bundle.nodes.map((node) => (node.hash === hash ? forged : node));
    const nodes = isThere ? rest : [...rest, forged];
    return { bundle: { ...bundle, nodes }, words: `${hash} is ${JSON.stringify(payload)}` };
  },
};

const keyOf = ({ node, path }: Site): string => `${node}${path}`;

function withTexts(bundle: Bundle, texts: ReadonlyMap<string, string>): Made {
  const put = (node: number, text: string, path: string): string => texts.get(`${node}${path}`) ?? text;
  const words = [...texts].map(([site, text]) => {
    const node = bundle.nodes[Number(/^\d+/.exec(site)?.[0])];
    return `${node?.hash} (${typeName(node?.type)}) ${JSON.stringify(site)} is ${JSON.stringify(text)}`;
  });
  return { bundle: rewritten(bundle, put), words: words.join("; ") };
}

function typeName(type: Hash | undefined): string {
  return Object.entries(TYPE).find(([, hash]) => hash === type)?.[0] ?? "other";
}

function pickFrom<T>(items: readonly T[], random: Random): T {
  return items[random.below(items.length)] as T;
}

function textFrom(texts: Texts, random: Random): string {
  return pickFrom(texts[random.pick<keyof Texts>(["option", "path", "key"])], random);
}

/** The file as anybody can write it: its checksum is right. */
export function writeBundle(file: string, { nodes, entries }: Bundle): void {
  const heads = entries.flatMap(({ head }) => (isHash(head) ? [head] : []));
  const roots = [...new Set([...heads, ...nodes.slice(-1).map(({ hash }) => hash)])].sort();
  const pieces: Buffer[] = [];
  const output = packOutput((piece) => pieces.push(Buffer.from(piece)));
  for (const { hash, ...node } of nodes) output.add(hash, encodeNode(node));
  output.end(entries, roots);
  writeFileSync(file, Buffer.concat(pieces));
}
