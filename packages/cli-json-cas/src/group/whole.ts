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

  leaf(group, context, "reindex", "build the index by type anew from the nodes", ["reindex"]).action(() =>
    invoke(context, load.reindex, {}),
  );

  leaf(
    group,
    context,
    "verify",
    "check every node: bytes, hash, schema, references, index; exit 7 when one is damaged",
    ["verify", "verify | jq '.problems[].hash'"],
  ).action(() => invoke(context, load.verify, {}));
}
