import type { Command } from "commander";
import { invoke } from "./invoke.js";
import { leaf } from "./leaf.js";
import { load } from "./load.js";
import type { CasContext } from "./types.js";

/** Commands about one node. */
export function mountNodes(group: Command, context: CasContext): void {
  leaf(group, context, "get <hash>", "print a node: {type, payload}", [
    "get 64KB4T4A9CKTS",
    "get 64KB --timestamp",
  ])
    .option("--timestamp", "print the time of the first put too (epoch ms)", false)
    .action((hash: string, { timestamp }: { readonly timestamp: boolean }) =>
      invoke(context, load.get, { hash, timestamp }),
    );

  leaf(group, context, "put <type-hash> <json>", "store a payload under its schema, print {hash}", [
    `put 120VN86QG7052 '{"name": "Ada"}'`,
    "put 120VN86QG7052 payload.json",
    "put 120VN86QG7052 - < payload.json",
  ])
    .addHelpText("after", JSON_HELP)
    .action((type: string, json: string) => invoke(context, load.put, { type, json }));

  leaf(group, context, "has <hash>", "print {exists}; exit 0 or 3", ["has 64KB4T4A9CKTS"]).action(
    (hash: string) => invoke(context, load.has, { hash }),
  );

  leaf(group, context, "refs <hash>", "print the references of a node: {refs}", [
    "refs 64KB4T4A9CKTS",
  ]).action((hash: string) => invoke(context, load.refs, { hash }));
  mountWalk(group, context);
}

function mountWalk(group: Command, context: CasContext): void {
  leaf(group, context, "walk <hash>", "print everything a node reaches, nearest first: {hashes, missing}", [
    "walk 64KB4T4A9CKTS",
    "walk 64KB4T4A9CKTS --tree",
    "walk 64KB4T4A9CKTS --types",
  ])
    .option("--tree", "print the tree too: one line {depth, hash, type, repeated} per place", false)
    .option("--types", "follow types as well as references", false)
    .addHelpText("after", "\nExit code 7 when a node is missing.")
    .action((hash: string, { tree, types }: { readonly tree: boolean; readonly types: boolean }) =>
      invoke(context, load.walk, { hash, tree, types }),
    );
}

export const JSON_HELP = `
<json> is - for stdin, JSON itself when it starts with { [ " a digit - t f n, else the path of a file
(./true.json for one whose name starts like JSON).`;
