import type { Group } from "@uncaged/command-line";
import type { JsonValue } from "@uncaged/json-cas";
import type { DocumentDifference } from "@uncaged/workflow-report";
import type { CommandContext, CommandResult, UwfCommand } from "./define.js";
import type { Topic } from "./topics.js";

/** What a package that is installed beside uwf adds to it. */
export type AddOn = {
  readonly commands: readonly UwfCommand[];
  /** The groups that its commands are in and uwf has not, by path. */
  readonly groups: Readonly<Record<string, Group>>;
  readonly topics: readonly Topic[];
  /** Those that come with it, each for one job of a workflow: never the default. `plays`: what. */
  readonly agents: readonly { readonly name: string; readonly plays: string }[];
  /** What `--remote` does, by the path of the command that has it. */
  readonly onRemote: Readonly<Record<string, OnRemote>>;
  /** `null`: it compares nothing. */
  readonly differences: Differences | null;
};

/** What differs between two files of a step's output, for its report. */
export type Differences = {
  /** The hashes of the files that are compared; `null`: the output has no such two. */
  readonly pairOf: (output: JsonValue) => { readonly source: string; readonly modified: string } | null;
  readonly differenceOf: (source: Uint8Array, modified: Uint8Array) => DocumentDifference;
};

/**
 * A command on a thread of the remote. `run`: the same command on a storage root, for what can be brought into one. It gets the
 * command's request; the definition knows the type of that, and who writes this.
 */
type OnRemote = (
  context: CommandContext,
  request: never,
  run: (context: CommandContext, request: object) => CommandResult,
) => CommandResult;

/** The add-ons that uwf knows: the package of each, and the commands that come with it, or groups of them. */
export const ADD_ONS = {
  remote: {
    package: "@uncaged/workflow-remote",
    commands: ["remote", "worker", "thread fetch", "thread push", "thread submit"],
  },
  documents: { package: "@uncaged/workflow-docx", commands: [] },
} as const;

export type AddOnName = keyof typeof ADD_ONS;

/** Everything that an add-on may use of uwf. Its built file has none of that in it: two copies would have two states. */
type Core = () => Promise<object>;

let core: Core | null = null;

/** `main` says where the core is, so that nothing that the core imports has to import it. */
export function provideCore(load: Core): void {
  core = load;
}

/** As Node.js and bun say it of the package itself, and of nothing that it imports. */
const MISSING = /^Cannot find (?:module|package) ['"](@uncaged\/[a-z-]+)\/add-on['"]/;

/** The add-on, from beside uwf; `null`: it is not installed. Throws what a broken one throws. */
export async function loadAddOn(name: AddOnName): Promise<AddOn | null> {
  const specifier = `${ADD_ONS[name].package}/add-on`;
  const makeWith = found(specifier);
  return makeWith === null ? null : makeWith((await core?.()) ?? {}).addOn;
}

type Made = (core: object) => { readonly addOn: AddOn };

function found(specifier: string): Made | null {
  try {
    // Not imported: bun takes 1 ms for it, in every command.
    const { createRequire } = process.getBuiltinModule("node:module");
    return createRequire(import.meta.filename)(specifier) as Made;
  } catch (error) {
    // Anything else is a bug, or a broken installation, and its own sentence says more.
    if (error instanceof Error && MISSING.test(error.message)) return null;
    throw error;
  }
}

/** A command of an add-on; `null`: it is not installed. */
export async function addedCommand(name: AddOnName, path: string): Promise<UwfCommand | null> {
  const addOn = await loadAddOn(name);
  return addOn?.commands.find((command) => command.path === path) ?? null;
}
