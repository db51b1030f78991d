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
  pack: packWords,
  du: duTable,
  export: exportWords,
  import: importWords,
};

function packWords(screen: Screen, { packed, bytes: size, packs }: JsonObject): string {
  const [nodes, files] = [number(packed), number(packs)];
  if (nodes === 0) return lines(screen, ["nothing to pack"]);
  return lines(screen, [
    `packed ${counted(nodes, "node")}, ${bytes(number(size))}; ${counted(files, "pack")}`,
  ]);
}

/** stderr says why nothing is removed, and how to remove it. */
function gcWords(screen: Screen, document: JsonObject): string {
  const { good, bad } = paintOn(screen);
  const [nodes, garbage, removed] = [
    number(document.nodes),
    number(document.garbage),
    number(document.removed),
  ];
  const packed = number(document.packed);
  const kept = `${keptWords(document)}${packed === 0 ? "" : `; packed ${counted(packed, "node")}`}`;
  if (document.refused === true) {
    const text = `refused: ${counted(number(document.problemsOmitted) + listOf(document.problems).length, "node")} cannot be followed`;
    return lines(screen, [{ text, paint: bad }]);
  }
  if (removed > 0)
    return lines(screen, [
      {
        text: `removed ${removed} of ${counted(nodes, "node")}, ${bytes(number(document.removedBytes))}${kept}`,
        paint: good,
      },
    ]);
  if (garbage === 0)
    return lines(screen, [{ text: `nothing to remove: ${counted(nodes, "node")}${kept}`, paint: good }]);
  return lines(screen, [
    `${garbage} of ${counted(nodes, "node")}, ${bytes(number(document.garbageBytes))}, can be removed${kept}`,
  ]);
}

function keptWords({ young }: JsonObject): string {
  const kept = number(young);
  return kept === 0
    ? ""
    : `; ${counted(kept, "node")} that nothing needs yet ${kept === 1 ? "is" : "are"} too young`;
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
  const state =
    wrong.length === 0
      ? {
          text: `${counted(number(nodes), "node")} and ${counted(number(references), "reference")}: all sound`,
          paint: good,
        }
      : { text: wrong.join(", "), paint: bad };
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
  const total = lines(screen, [`${counted(number(nodes), "node")}, ${bytes(number(size))}`]);
  return [
    total,
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
  return (
    renderTable(
      screen,
      [title === "TYPE" ? shrinking(title) : left(title), right("NODES"), right("SIZE")],
      rows,
    ) + more
  );
}

function exportWords(screen: Screen, { file, nodes, bytes: size }: JsonObject): string {
  const much = size === undefined ? "" : `, ${bytes(number(size))}`;
  return lines(screen, [`wrote ${counted(number(nodes), "node")} to ${text(file) ?? "?"}${much}`]);
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
