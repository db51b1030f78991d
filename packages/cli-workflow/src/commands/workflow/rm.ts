import { argument } from "@uncaged/command-line";
import { readRegistry } from "@uncaged/workflow-store";
import { defineCommand, REGISTERED } from "../../line/index.js";
import { currentOf, setName, unknownName } from "./names.js";

/** Takes a name away; threads, and versions that it pointed to, stay. */
export const command = defineCommand({
  path: "workflow rm",
  summary: "remove a name; its threads and versions stay",
  arguments: { name: argument(REGISTERED) },
  examples: ["uwf workflow rm solve-issue"],
  exits: ["OLDER_ROOT", "LOCK_BUSY"],
  sample: {
    line: "workflow rm solve-issue",
    prints: "solve-issue is no longer a workflow; it was 1MV05XPK04K7N",
  },
  run: async (context, { name }) => {
    const storage = context.openStorage();
    if (!storage.ok) return storage;
    const registry = await readRegistry(storage.value);
    if (!registry.ok) return registry;
    if (currentOf(registry.value, name) === null)
      return unknownName(context.host.cwd, name, Object.keys(registry.value));
    return setName(context, storage.value, name, { hash: null, source: null });
  },
});
