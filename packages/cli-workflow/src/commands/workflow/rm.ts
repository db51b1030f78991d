import { argument } from "@uncaged/command-line";
import { readRegistry } from "@uncaged/workflow-store";
import { defineRootCommand, REGISTERED } from "../../line/index.js";
import { currentOf, setName, unknownName } from "./names.js";

/** Takes a name away; threads, and versions that it pointed to, stay. */
export const command = defineRootCommand({
  path: "workflow rm",
  summary: "remove a name; its threads and versions stay",
  arguments: { name: argument(REGISTERED) },
  examples: ["uwf workflow rm solve-issue"],
  exits: ["LOCK_BUSY"],
  sample: {
    line: "workflow rm solve-issue",
    prints: "solve-issue is no longer a workflow; it was 1MV05XPK04K7N",
  },
  run: async (context, { name }, storage) => {
    const registry = await readRegistry(storage);
    if (!registry.ok) return registry;
    if (currentOf(registry.value, name) === null)
      return unknownName(context.host.cwd, name, Object.keys(registry.value));
    return setName(context, storage, name, { hash: null, source: null });
  },
});
