import type { Hash } from "@uncaged/json-cas";
import { type PackFigures, packStore } from "@uncaged/json-cas-fs";
import { done } from "./nodes.js";
import type { CasCommand, Tools } from "./types.js";

/** Packs every node that has a file of its own. */
export const pack: CasCommand<Readonly<Record<never, never>>> = async (tools) => {
  const figures: PackFigures = await packStore(tools.dir, {
    roots: await firstInPack(tools),
    isWanted: () => true,
    now: tools.now,
  });
  return done(figures);
};

/** The program's own roots, in its order: what is read together stands together. */
export async function firstInPack({ loadHooks }: Pick<Tools, "loadHooks">): Promise<readonly Hash[]> {
  const owners = await (await loadHooks?.())?.owners();
  return (owners?.list ?? []).map(({ root }) => root);
}
