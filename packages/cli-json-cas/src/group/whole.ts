import type { Command } from "commander";
import { invoke } from "./invoke.js";
import { leaf } from "./leaf.js";
import { load } from "./load.js";
import type { CasContext } from "./types.js";

/** Commands about the whole store. */
export function mountWhole(group: Command, context: CasContext): void {
  leaf(group, context, "list", "print the hashes of all nodes: {hashes}", [
    "list",
    "list --type 120VN86QG7052",
  ])
    .option("--type <hash>", "only nodes of this type")
    .action(({ type }: { readonly type?: string }) => invoke(context, load.list, { type: type ?? null }));

  leaf(group, context, "du", DU[context.loadHooks === null ? "bare" : "owned"], [
    "du",
    "du | jq '.types[0]'",
  ]).action(() => invoke(context, load.du, {}));
}

const DU = {
  bare: "print what the nodes take: {nodes, bytes, types}",
  owned: "print what the nodes take, by type and by owner: {nodes, bytes, types, …}",
};
