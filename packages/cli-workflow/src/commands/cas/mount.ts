import { COMMANDS as CAS_COMMANDS, type Mount, type Tools } from "@uncaged/cli-json-cas";
import { ok } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { CommandContext, UwfCommand } from "../../line/index.js";
import { text } from "../output.js";
import { orThrow } from "./hooks.js";

// The commands of the json-cas store, on the store of this storage root: `uwf cas`. Copying threads between storage roots is
// among the commands of threads too, where people look for it.

const CAS: Mount = { group: "cas", prefix: "uwf cas", hasNames: true };

const THREAD: Mount = { group: "thread", prefix: "uwf thread", hasNames: true };

/** They only read nodes, which those of the original uwf are too. */
const READING: ReadonlySet<string> = new Set(["get", "has", "refs", "walk", "list", "verify"]);

/** What a name of ours may lead to. */
const NAME_FAULTS = ["THREAD_NOT_FOUND", "NO_LATEST_THREAD"] as const;

/** By path: `cas get`, `thread export`. */
export const MOUNTED: Readonly<Record<string, () => Promise<UwfCommand>>> = {
  ...Object.fromEntries(Object.keys(CAS_COMMANDS).map((verb) => [`cas ${verb}`, () => mount(verb, CAS)])),
  "thread export": () => mount("export", THREAD),
  "thread import": () => mount("import", THREAD),
};

/** Its failures are thrown. */
async function mount(verb: string, at: Mount): Promise<UwfCommand> {
  const load = CAS_COMMANDS[verb];
  if (load === undefined) throw new Error(`json-cas has no command ${verb}`);
  const command = (await load())(at);
  const isReading = READING.has(verb);
  return {
    ...command,
    exits: [
      ...command.exits,
      ...(isReading ? [] : (["OLDER_ROOT"] as const)),
      ...(verb === "export" ? NAME_FAULTS : []),
    ],
    run: async (context, request) => {
      const open = isReading ? context.openAnyStorage : context.openStorage;
      const { document, exitCode } = await command.run(createTools(context, orThrow(open()), at), request);
      if (document === null) return text("");
      // What a person sees in the place of a document.
      const human = context.screen === null ? null : (await import("./words.js")).humanOf(verb, document);
      return ok({ kind: "verdict", value: document, human, exitCode });
    },
  };
}

/** Only gc, export, import, du and verify --repair ask what uwf knows beyond the store. */
function createTools(context: CommandContext, storage: Storage, { prefix }: Mount): Tools {
  const { warn, host } = context;
  return {
    dir: storage.paths.cas,
    store: storage.cas,
    warn,
    readStdin: host.readStdin,
    write: host.writeBytes,
    now: host.now,
    prefix,
    loadHooks: async () => (await import("./hooks.js")).createHooks(storage, context),
  };
}
