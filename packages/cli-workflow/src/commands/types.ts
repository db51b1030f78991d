import type { Fault, Result } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Host, Messages } from "../io/index.js";
import type { Format } from "../render/index.js";

/** What every command gets. */
export type CommandContext = Messages & {
  readonly host: Host;
  /** The storage root of the environment; opening it touches nothing. */
  readonly openStorage: () => Result<Storage, Fault>;
};

/** What a command prints on stdout; a document is rendered in the format that was asked for. */
export type CommandOutput =
  | { readonly kind: "document"; readonly value: unknown; readonly defaultFormat: Format }
  | { readonly kind: "text"; readonly text: string };

export type CommandResult = Promise<Result<CommandOutput, Fault>>;

export type CommandHandler<Request> = (context: CommandContext, request: Request) => CommandResult;
