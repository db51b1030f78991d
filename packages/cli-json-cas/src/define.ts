import {
  type Arguments,
  type Command,
  commandDefiner,
  type Definition,
  type Options,
} from "@uncaged/command-line";
import type { CasCommandFault } from "./fault.js";
import type { Answer, Tools } from "./types.js";

/** Where the commands stand in a program, and what it has beyond the store. */
export type Mount = {
  /** The word before the verb in the command's path: `cas`; empty: none. */
  readonly group: string;
  /** What a person types before the verb: `uwf cas`. Examples begin with it. */
  readonly prefix: string;
  /** Whether the program keeps names for nodes: they are roots for `gc`, and `import` restores them. */
  readonly hasNames: boolean;
};

/** A command on an open store. `CasError` and `CasInputError` are thrown. */
export type CasCommand = Command<Tools, Answer | Promise<Answer>, CasCommandFault["code"]>;

/** A command for any program that has it. */
export type MountedCommand = (mount: Mount) => CasCommand;

const define = commandDefiner<Tools, Answer | Promise<Answer>, CasCommandFault["code"]>();

/** Defines a command of a store; its path, its examples and its sample begin with the verb. */
export function defineCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>(
  definition: (mount: Mount) => Definition<A, O, Tools, Answer | Promise<Answer>, CasCommandFault["code"]>,
): MountedCommand {
  return (mount) => {
    const { path, examples, sample = null, ...rest } = definition(mount);
    const before = mount.group === "" ? "" : `${mount.group} `;
    return define({
      ...rest,
      path: `${before}${path}`,
      examples: examples.map((example) => `${mount.prefix} ${example}`),
      // Only the help of a program with names has samples, that of the bare store has none.
      sample: mount.hasNames && sample !== null ? { ...sample, line: `${before}${sample.line}` } : null,
    });
  };
}
