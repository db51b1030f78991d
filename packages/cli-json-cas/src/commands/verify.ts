import { repairStore, type StoreProblem, verifyStore } from "@uncaged/json-cas-fs";
import { shownList } from "./shown.js";
import type { CasCommand, Tools } from "./types.js";

export const verify: CasCommand<{ readonly repair: boolean }> = async (tools, { repair }) => {
  const { warn, prefix } = tools;
  // All problems go to stderr as they are found.
  const problems = shownList<StoreProblem>();
  const tell = (problem: StoreProblem): void => {
    warn(`node ${problem.hash}: ${problem.message} (${problem.file})`);
    problems.add(problem);
  };
  const { figures, repaired } = repair ? await repairAll(tools, tell) : found(tools, tell);
  // Stale lines are nobody's fault: two who put one node at once leave one, and so does a kill. The figure tells them.
  if (figures.notIndexedOnly > 0) {
    warn(
      `the index is derived from the nodes: \`${prefix} verify --repair\` or \`${prefix} reindex\` builds it anew`,
    );
  }
  if (figures.setAside > 0 && !repair) {
    warn(
      `a gc that died left ${figures.setAside} nodes set aside: \`${prefix} verify --repair\` puts them back`,
    );
  }
  const document = { ...figures, ...repaired, problems: problems.list, problemsOmitted: problems.omitted() };
  return { document, exitCode: figures.damaged === 0 ? 0 : 7 };
};

function found({ dir }: Tools, tell: (problem: StoreProblem) => void) {
  return { figures: verifyStore(dir, tell), repaired: {} };
}

async function repairAll({ dir, now, loadHooks }: Tools, tell: (problem: StoreProblem) => void) {
  const hooks = await loadHooks?.();
  const hold = hooks?.hold ?? (<T>(work: () => Promise<T>) => work());
  const { figures, repaired } = await repairStore(dir, { now: now(), hold, tell });
  const litter = hooks === undefined ? {} : { litter: hooks.sweepLitter() };
  return { figures, repaired: { repaired: { ...repaired, ...litter } } };
}
