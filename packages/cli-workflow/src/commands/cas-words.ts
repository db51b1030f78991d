import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import {
  bytes,
  counted,
  type Human,
  left,
  lines,
  paintOn,
  type Row,
  renderTable,
  right,
  type Screen,
  shrinking,
} from "../screen/index.js";

/** What a person sees of a command of the group; `null`: its document, which is for looking into nodes. */
export function humanOf(verb: string, document: JsonValue): Human | null {
  const words = Object.hasOwn(WORDS, verb) ? WORDS[verb] : undefined;
  return words !== undefined && isObject(document) ? (screen) => words(screen, document) : null;
}

const WORDS: Readonly<Record<string, (screen: Screen, document: JsonObject) => string>> = {
  gc: gcWords,
  verify: verifyWords,
  reindex: (screen) => lines(screen, ["rebuilt the index"]),
  pack: (screen, { packed, bytes: size, packs }) => {
    const [nodes, files] = [number(packed), number(packs)];
    const done = `packed ${counted(nodes, "node")}, ${bytes(number(size))}; ${counted(files, "pack")}`;
    return lines(screen, [nodes === 0 ? "nothing to pack" : done]);
  },
  du: duTable,
  export: (screen, { file, nodes, bytes: size }) => {
    const much = size === undefined ? "" : `, ${bytes(number(size))}`;
    return lines(screen, [`wrote ${counted(number(nodes), "node")} to ${text(file) ?? "?"}${much}`]);
  },
  import: importWords,
};

/** stderr says why nothing is removed, and how to remove it. */
function gcWords(screen: Screen, document: JsonObject): string {
  const { good, bad } = paintOn(screen);
  const { problems, refused } = document;
  const count = (name: string): number => number(document[name]);
  const nodes = counted(count("nodes"), "node");
  const [garbage, removed, young, packed] = [
    count("garbage"),
    count("removed"),
    count("young"),
    count("packed"),
  ];
  const are = young === 1 ? "is" : "are";
  const kept = [
    young === 0 ? "" : `; ${counted(young, "node")} that nothing needs yet ${are} too young`,
    packed === 0 ? "" : `; packed ${counted(packed, "node")}`,
  ].join("");
  const unread = counted(count("problemsOmitted") + listOf(problems).length, "node");
  const state =
    refused === true
      ? { text: `refused: ${unread} cannot be followed`, paint: bad }
      : removed > 0
        ? { text: `removed ${removed} of ${nodes}, ${bytes(count("removedBytes"))}${kept}`, paint: good }
        : garbage === 0
          ? { text: `nothing to remove: ${nodes}${kept}`, paint: good }
          : `${garbage} of ${nodes}, ${bytes(count("garbageBytes"))}, can be removed${kept}`;
  return lines(screen, [state]);
}

/** Each problem is printed on stderr. */
function verifyWords(screen: Screen, document: JsonObject): string {
  const { good, bad } = paintOn(screen);
  const { nodes, damaged, damagedPacks, references, repaired, lostRoots } = document;
  const lost = listOf(lostRoots).length;
  const wrong = [
    ...(number(damaged) === 0 ? [] : [`${number(damaged)} of ${counted(number(nodes), "node")} damaged`]),
    ...(number(damagedPacks) === 0 ? [] : [`${counted(number(damagedPacks), "pack")} damaged`]),
    ...(lost === 0 ? [] : [`${counted(lost, "thread")} whose head is gone`]),
  ];
  const sound = `${counted(number(nodes), "node")} and ${counted(number(references), "reference")}: all sound`;
  const state = wrong.length === 0 ? { text: sound, paint: good } : { text: wrong.join(", "), paint: bad };
  return lines(screen, [state, isObject(repaired) ? `repaired: ${repairedWords(repaired)}` : null]);
}

const REPAIRED: Readonly<Record<string, string>> = {
  restored: "nodes put back",
  temporaryFiles: "temporary files",
  indexLinesAdded: "index lines added",
  indexLinesRemoved: "index lines removed",
  packIndexes: "indexes of packs made again",
  packsRewritten: "packs written again",
  litter: "leftover files",
};

function repairedWords(repaired: JsonObject): string {
  const done = Object.entries(repaired).filter(([, value]) => number(value) > 0);
  return done.length === 0
    ? "nothing"
    : done.map(([name, value]) => `${number(value)} ${REPAIRED[name] ?? name}`).join(", ");
}

/** Rows of one list; the rest is in the document. */
const MOST_ROWS = 20;

function duTable(screen: Screen, { nodes, bytes: size, types, threads }: JsonObject): string {
  return [
    lines(screen, [`${counted(number(nodes), "node")}, ${bytes(number(size))}`]),
    usageTable(screen, "TYPE", listOf(types), ({ title, type }) => text(title) ?? text(type) ?? "?"),
    usageTable(screen, "THREAD", listOf(threads), ({ thread }) => text(thread) ?? "?"),
  ]
    .filter((part) => part !== "")
    .join("\n");
}

function usageTable(
  screen: Screen,
  title: string,
  list: readonly JsonObject[],
  nameOf: (item: JsonObject) => string,
): string {
  const rows = list
    .slice(0, MOST_ROWS)
    .map((item): Row => [nameOf(item), String(number(item.nodes)), bytes(number(item.bytes))]);
  const more = list.length > MOST_ROWS ? `and ${list.length - MOST_ROWS} more\n` : "";
  const name = title === "TYPE" ? shrinking(title) : left(title);
  return renderTable(screen, [name, right("NODES"), right("SIZE")], rows) + more;
}

function importWords(screen: Screen, document: JsonObject): string {
  const { file, from, nodes, added, taken, entries } = document;
  const came = number(added ?? taken);
  const source = text(file) ?? text(from) ?? "?";
  return lines(screen, [
    `${counted(came, "node")} of ${number(nodes)} in ${source} are new`,
    ...listOf(entries).map(({ thread, outcome }) => `thread ${text(thread) ?? "?"}: ${text(outcome) ?? "?"}`),
  ]);
}

function number(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
