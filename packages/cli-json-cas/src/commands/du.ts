import { createUsage } from "@uncaged/json-cas-fs";
import { defineCommand, type Mount } from "../define.js";
import { done } from "./nodes.js";

/** All lists with the largest first. */
export const command = defineCommand(({ hasNames }: Mount) => ({
  path: "du",
  summary: hasNames
    ? "print the size of the nodes by type and by owner: {nodes, bytes, types, …}"
    : "print the size of the nodes: {nodes, bytes, types}",
  examples: ["du", "du | jq '.types[0]'"],
  sample: {
    line: "du",
    prints: `56 nodes, 37 KiB

TYPE           NODES     SIZE
…`,
  },
  run: async ({ dir, loadHooks }) => {
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
  },
}));
