import { type AnswerCode, mountCas } from "@uncaged/cli-json-cas";
import type { JsonValue } from "@uncaged/json-cas";
import type { Command } from "commander";
import type { CommandContext } from "../types.js";
import { orThrow } from "./hooks.js";

/** The lazy import of the group: only gc, export, import, du and verify --repair ask what uwf knows beyond the store. */
async function loadHooks(): Promise<typeof import("./hooks.js").hooksOf> {
  return (await import("./hooks.js")).hooksOf;
}

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
    loadHooks: async () => (await loadHooks())(orThrow(context().openStorage()), context()),
    configure,
  });
}
