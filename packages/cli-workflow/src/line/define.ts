import {
  type Arguments,
  type Command,
  commandDefiner,
  type Definition,
  flag,
  type Option,
  type Options,
  type Request,
} from "@uncaged/command-line";
import {
  type ExitCode,
  err,
  type Fault,
  type FaultCode,
  fault,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Host, Messages } from "../io.js";
import type { Format } from "../render.js";
import type { Colour, Human, Screen } from "../screen/index.js";
import { loadAddOn } from "./add-ons.js";
import { REMOTE_FAULTS } from "./faults.js";

/** What every command gets. */
export type CommandContext = Messages & {
  readonly host: Host;
  /** The storage root of the environment; opening it touches nothing. One that the original uwf has written is a fault. */
  readonly openStorage: () => Result<Storage, Fault>;
  /** The same, even if the original uwf has written it: for commands that only read nodes. */
  readonly openAnyStorage: () => Result<Storage, Fault>;
  /**
   * The value of `--format`; `null` if it was not given. For commands that print something other than a document,
   * or print it themselves.
   */
  readonly format: Format | null;
  /** The value of `--format` as it was typed, for commands that have formats of their own; `null`: none was. */
  readonly typedFormat: string | null;
  /** The value of `--color`, for commands whose text has colours in a pipe too, where these are asked for. */
  readonly colour: Colour;
  /** Where a person reads the result; `null` if a program does. For commands that print it themselves. */
  readonly screen: Screen | null;
  /** Where a person watches the progress, on stderr; `null` if no person does. */
  readonly watcher: () => Screen | null;
};

/**
 * What a command prints on stdout; a document is rendered in the requested format, and on a terminal by its `human`,
 * if it has one. A verdict is a document whose exit code is part of the answer; a failure is a document together with a
 * fault, which goes to stderr and sets the exit code. A refusal is a fault that a person sees in other words.
 */
export type CommandOutput =
  | { readonly kind: "document"; readonly value: unknown; readonly human: Human | null }
  | {
      readonly kind: "verdict";
      readonly value: unknown;
      readonly human: Human | null;
      readonly exitCode: ExitCode;
    }
  | {
      readonly kind: "failure";
      readonly value: unknown;
      readonly human: Human | null;
      readonly fault: Fault;
    }
  | { readonly kind: "refusal"; readonly fault: Fault; readonly text: string }
  | { readonly kind: "text"; readonly text: string; readonly exitCode: ExitCode };

export type CommandResult = Promise<Result<CommandOutput, Fault>>;

/** A command of uwf. */
export type UwfCommand = Command<CommandContext, CommandResult, FaultCode>;

const define = commandDefiner<CommandContext, CommandResult, FaultCode>();

/** What a command says of its `--remote`. What that does, the add-on of remotes knows. */
type RemoteWords = {
  /** What its `--remote` does differently, after the usual words; empty: nothing. */
  readonly about?: string;
  /** Options that a thread of the remote does not have. */
  readonly conflicts?: readonly string[];
};

type Spec<A, O> = Definition<A, O, CommandContext, CommandResult, FaultCode> & {
  readonly onRemote?: RemoteWords;
};

/** Defines a command; with `onRemote` it has `--remote`, and the faults that a remote may lead to. */
export function defineCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>({ onRemote, ...spec }: Spec<A, O>): UwfCommand {
  if (onRemote === undefined) return define(spec as Parameters<typeof define>[0]);
  const { about = "", conflicts = [] } = onRemote;
  const remote = flag(`of the remote that UWF_REMOTE_URL names${about}`, { conflicts });
  type WithRemote = Request<A, O> & { readonly remote: boolean };
  return define({
    ...spec,
    options: { ...spec.options, remote } as Readonly<Record<string, Option<unknown>>>,
    exits: [...(spec.exits ?? []), ...REMOTE_FAULTS],
    check: (request) => spec.check?.(request as unknown as Request<A, O>) ?? null,
    run: async (context, request) => {
      const typed = request as unknown as WithRemote;
      if (!typed.remote) return spec.run(context, typed);
      const addOn = await loadAddOn("remote");
      if (addOn === null) return err(fault("REMOTE_NOT_INSTALLED", {}));
      const run = addOn.onRemote[spec.path];
      if (run === undefined) throw new Error(`the remote has no ${spec.path}`);
      return run(context, request as never, spec.run as Parameters<typeof run>[2]);
    },
  });
}

type RootSpec<A, O> = Omit<Spec<A, O>, "run"> & {
  readonly run: (context: CommandContext, request: Request<A, O>, storage: Storage) => CommandResult;
};

/** Defines a command that begins by opening the storage root; one that the original uwf has written is a fault. */
export function defineRootCommand<
  const A extends Arguments = Record<never, never>,
  const O extends Options = Record<never, never>,
>({ run, ...spec }: RootSpec<A, O>): UwfCommand {
  return defineCommand<A, O>({
    ...(spec as Omit<Spec<A, O>, "run">),
    exits: ["OLDER_ROOT", ...(spec.exits ?? [])],
    run: async (context, request) => {
      const storage = context.openStorage();
      return storage.ok ? run(context, request, storage.value) : storage;
    },
  });
}
