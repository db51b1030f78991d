import { decodeNode, META_SCHEMA_HASH } from "@uncaged/json-cas";
import type { Lookalike } from "./lookalike.js";
import type { Damage, Lab, Subject } from "./types.js";

/** What a damage can change, and so what must not be changed by it. */
export type Affected = {
  readonly threads: ReadonlySet<string>;
  /** Names of workflows. */
  readonly names: ReadonlySet<string>;
  /** Nothing of the store can be trusted to be read. */
  readonly all: boolean;
  /** A schema is damaged, which every write of a node of that type needs. */
  readonly types: boolean;
};

export function affectedBy(lab: Lab, damage: Damage, lookalike: Lookalike | null): Affected {
  const threads = new Set(lab.subjects.filter((subject) => touches(damage, subject)).map(threadOf));
  const none = new Set<string>();
  const types = damage.files.some((file) => isSchema(lab, file));
  if (lookalike !== null && damage.area !== "node") return { ...lookalike, all: false, types };
  switch (damage.area) {
    case "threads":
    case "history":
    case "format":
      return {
        threads: new Set(lab.subjects.map(threadOf)),
        names: new Set(["turns", "other"]),
        all: true,
        types,
      };
    case "registry":
      return { threads: none, names: new Set(["turns", "other"]), all: false, types };
    case "node":
      return { threads, names: namesOf(lab, damage), all: false, types };
    case "ending":
    case "run":
    case "lock":
      return { threads, names: none, all: false, types };
    default:
      return { threads: none, names: none, all: false, types };
  }
}

function threadOf({ thread }: Subject): string {
  return thread;
}

function isSchema({ whole }: Lab, file: string): boolean {
  const bytes = hashOf(file) === "" ? undefined : whole.get(file);
  return bytes !== undefined && decodeNode(bytes).type === META_SCHEMA_HASH;
}

/** Whether a damaged node is part of the thread's history, or a damaged file has its name. */
function touches({ files }: Damage, { thread, reach }: Subject): boolean {
  return files.some((file) => file.includes(thread) || reach.has(hashOf(file)));
}

/** Nobody says which nodes only a workflow reaches: those that no thread does, and those that all of its threads do. */
function namesOf({ subjects }: Lab, { files }: Damage): ReadonlySet<string> {
  const hashes = files.map(hashOf);
  const everywhere = hashes.some((hash) => subjects.every(({ reach }) => reach.has(hash)));
  const nowhere = hashes.some((hash) => !subjects.some(({ reach }) => reach.has(hash)));
  return new Set(everywhere || nowhere ? ["turns", "other"] : []);
}

/** The hash in a node's file name; "" for another file. */
export function hashOf(file: string): string {
  return /^cas\/([0-9A-Z]{13})\.bin$/.exec(file)?.[1] ?? "";
}
