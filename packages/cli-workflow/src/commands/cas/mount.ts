import { type AnswerCode, type CasContext, mountCas, mountTransfer } from "@uncaged/cli-json-cas";
import type { JsonValue } from "@uncaged/json-cas";
import type { Storage } from "@uncaged/workflow-store";
import type { Command } from "commander";
import type { Human } from "../../human/index.js";
import type { CommandContext } from "../../line/index.js";
import { orThrow } from "./hooks.js";

/** A lazy import of the group: only gc, export, import, du and verify --repair ask what uwf knows beyond the store. */
async function loadHooks(): Promise<typeof import("./hooks.js").hooksOf> {
  return (await import("./hooks.js")).hooksOf;
}

/** What a person sees in the place of a document. */
async function loadWords(): Promise<typeof import("./words.js").humanOf> {
  return (await import("./words.js")).humanOf;
}

type CasParts = {
  readonly context: () => CommandContext;
  readonly print: (document: JsonValue, exitCode: AnswerCode, human: Human | null) => Promise<void>;
  readonly configure: (command: Command) => Command;
};

/** They only read nodes, which those of the original uwf are too. */
const READING: ReadonlySet<string> = new Set(["get", "has", "refs", "walk", "list", "verify"]);

/** The group of the json-cas command on the store of this storage root. Its failures are thrown. */
export function mountCasGroup(group: Command, parts: CasParts): void {
  mountCas(group, casContext(group, "uwf cas", parts));
}

/** Copying threads between storage roots: people look for it among the commands of threads. */
export function mountThreadTransfer(group: Command, parts: CasParts): void {
  mountTransfer(group, casContext(group, "uwf thread", parts));
}

function casContext(group: Command, prefix: string, { context, print, configure }: CasParts): CasContext {
  let verb = "";
  group.hook("preAction", (_group, command) => {
    verb = command.name();
  });
  const open = (): Storage => {
    const { openStorage, openAnyStorage } = context();
    return orThrow(READING.has(verb) ? openAnyStorage() : openStorage());
  };
  return {
    prefix,
    openStore: () => {
      const { cas, paths } = open();
      return { dir: paths.cas, store: cas };
    },
    print: async (document, exitCode) => {
      const human = context().screen === null ? null : (await loadWords())(verb, document);
      return print(document, exitCode, human);
    },
    warn: (sentence) => context().warn(sentence),
    readStdin: (limit) => context().host.readStdin(limit),
    write: (bytes) => context().host.writeBytes(bytes),
    now: () => context().host.now(),
    loadHooks: async () => (await loadHooks())(open(), context()),
    configure,
  };
}
