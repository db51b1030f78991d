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
import { err, type FaultCode, fault } from "@uncaged/workflow-protocol";
import { loadAddOn } from "./add-ons.js";
import { REMOTE_FAULTS } from "./faults.js";
import type { CommandContext, CommandResult } from "./types.js";

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
