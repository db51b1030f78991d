import { type AnswerCode, mountCas } from "@uncaged/cli-json-cas";
import type { JsonValue } from "@uncaged/json-cas";
import { type Fault, messageOf } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Command } from "commander";
import type { CommandContext } from "../types.js";

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
      const { cas, paths } = openStorage(context());
      return { dir: paths.cas, store: cas };
    },
    print,
    warn: (sentence) => context().warn(sentence),
    readStdin: () => context().host.readStdin(),
    configure,
  });
}

/** A storage root that cannot be used, on its way through the group to the program. */
export class StorageFault extends Error {
  readonly fault: Fault;
  constructor(failure: Fault) {
    super(messageOf(failure));
    this.name = "StorageFault";
    this.fault = failure;
  }
}

function openStorage(context: CommandContext): Storage {
  const storage = context.openStorage();
  if (!storage.ok) throw new StorageFault(storage.error);
  return storage.value;
}
