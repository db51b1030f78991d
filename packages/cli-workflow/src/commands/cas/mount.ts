import { type AnswerCode, mountCas } from "@uncaged/cli-json-cas";
import type { JsonValue } from "@uncaged/json-cas";
import type { Command } from "commander";
import type { CommandContext } from "../types.js";
import { orThrow } from "./fault.js";
import { loadHooks } from "./load.js";

type CasParts = {
  readonly context: () => CommandContext;
  readonly print: (document: JsonValue, exitCode: AnswerCode) => Promise<void>;
  readonly configure: (command: Command) => Command;
};

/** The group of the json-cas command on the store of this storage root. Its failures are thrown. */
export function mountCasGroup(group: Command, { context, print, configure }: CasParts): void {
  mountCas(group, {
    prefix: "uwf cas",
    openStore: () => {
      const { cas, paths } = orThrow(context().openStorage());
      return { dir: paths.cas, store: cas };
    },
    print,
    warn: (sentence) => context().warn(sentence),
    readStdin: (limit) => context().host.readStdin(limit),
    write: (text) => context().host.stdout.write(text),
    now: () => context().host.now(),
    loadHooks: async () => (await loadHooks())(orThrow(context().openStorage()), context().warn),
    configure,
  });
}
