import { flag } from "@uncaged/command-line";
import type { Hash, JsonObject } from "@uncaged/json-cas";
import { repairStore, type StoreProblem, verifyStore } from "@uncaged/json-cas-fs";
import { type BrokenReference, defineCommand, type Tools } from "../define.js";
import { readReferrers, shownList, withPlaces, wordsOf } from "./nodes.js";

export const command = defineCommand(() => ({
  path: "verify",
  summary: "check every node and pack: bytes, hash, schema, references, index; exit 7 if any is damaged",
  options: { repair: flag("repair what can be repaired: leftover files, nodes set aside, indexes") },
  examples: ["verify", "verify --repair", "verify | jq '.problems[].hash'"],
  notes: "A damaged node cannot be repaired: it is listed, and its file is left as it is.",
  exits: ["LOCK_BUSY"],
  sample: { line: "verify", prints: "56 nodes and 52 references: all sound" },
  run: async (tools, { repair }) => {
    const { warn, prefix } = tools;
    // All problems go to stderr as they are found.
    const problems = shownList<StoreProblem>();
    const tell = (problem: StoreProblem): void => {
      warn(
        `${problem.hash === null ? "pack" : `node ${problem.hash}`}: ${problem.message} (${problem.file})`,
      );
      problems.add(problem);
    };
    const { figures, repaired } = repair ? await repairAll(tools, tell) : found(tools, tell);
    if (figures.writtenBy !== null) {
      warn(
        `this store was written by ${figures.writtenBy}; its schemas are understood, and \`${prefix} import --from-root <dir>\` imports the nodes of such a store into another`,
      );
    }
    const places = figures.damaged > figures.notIndexedOnly ? await readReferrers(tools) : [];
    const problemLines = problems.list.map((problem) => {
      const own = places.filter((place) => leadsTo(place, problem));
      if (own.length > 0) warn(`node ${problem.hash}${wordsOf(own)}`);
      return withPlaces({ ...problem }, own);
    });
    // Stale lines are normal: two writers of one node leave one, and so does a kill. They are only counted.
    if (figures.notIndexedOnly > 0) {
      warn(
        `the index is derived from the nodes: \`${prefix} verify --repair\` or \`${prefix} reindex\` rebuilds it`,
      );
    }
    if (figures.damagedPacks > 0 && !repair) {
      warn(
        `\`${prefix} verify --repair\` rebuilds the index of a pack, and rewrites a pack whose damaged nodes are sound elsewhere`,
      );
    }
    if (figures.setAside > 0 && !repair) {
      warn(
        `an interrupted gc left ${figures.setAside} nodes set aside: \`${prefix} verify --repair\` restores them`,
      );
    }
    const lost = await lostRoots(tools);
    for (const { owner, hash } of lost) warn(`node ${hash} does not exist, and ${owner} begins there`);
    const roots =
      lost.length === 0 ? {} : { lostRoots: lost.map(({ fields, hash }) => ({ ...fields, hash })) };
    const document = {
      ...figures,
      ...repaired,
      problems: problemLines,
      problemsOmitted: problems.omitted(),
      ...roots,
    };
    return { document, exitCode: figures.damaged + figures.damagedPacks + lost.length === 0 ? 0 : 7 };
  },
}));

/** A dangling reference is found at its referrer, other damage at the node itself. */
function leadsTo({ hash, referrer }: BrokenReference, problem: StoreProblem): boolean {
  return problem.kind === "dangling" ? referrer === problem.hash : hash === problem.hash;
}

type LostRoot = { readonly owner: string; readonly fields: JsonObject; readonly hash: Hash };

/** No node refers to a root, so nothing in the store mentions a lost one. */
async function lostRoots({ store, loadHooks }: Tools): Promise<readonly LostRoot[]> {
  const owners = await (await loadHooks?.())?.owners();
  return (owners?.list ?? []).flatMap(({ fields, root }) => {
    if (store.has(root)) return [];
    const owner = Object.entries(fields)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(", ");
    return [{ owner, fields, hash: root }];
  });
}

function found({ dir }: Tools, tell: (problem: StoreProblem) => void) {
  return { figures: verifyStore(dir, tell), repaired: {} };
}

async function repairAll({ dir, now, loadHooks }: Tools, tell: (problem: StoreProblem) => void) {
  const hooks = await loadHooks?.();
  const hold = hooks?.hold ?? (<T>(work: () => Promise<T>) => work());
  const { figures, repaired } = await repairStore(dir, { now: now(), hold, tell });
  const litter = hooks === undefined ? {} : { litter: await hooks.sweepLitter() };
  return { figures, repaired: { repaired: { ...repaired, ...litter } } };
}
