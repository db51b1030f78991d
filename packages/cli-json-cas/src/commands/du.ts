import { createUsage } from "@uncaged/json-cas-fs";
import { done } from "./answer.js";
import type { CasCommand } from "./types.js";

/** All lists with the largest first. */
export const du: CasCommand<Readonly<Record<never, never>>> = async ({ dir, loadHooks }) => {
  const usage = createUsage(dir);
  const figures = usage.figures();
  const owners = await (await loadHooks?.())?.owners();
  if (owners === undefined) return done(figures);
  const list = owners.list.map(({ fields, root }) => {
    const { isWhole, ...of } = usage.of([root]);
    return { ...fields, ...of, ...(isWhole ? {} : { damaged: true }) };
  });
  list.sort((a, b) => b.bytes - a.bytes || b.nodes - a.nodes);
  return done({ ...figures, [owners.name]: list, unreached: usage.rest() });
};
