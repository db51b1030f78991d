import type { ExitCode, Fault, Result } from "@uncaged/workflow-protocol";
import type { Storage } from "@uncaged/workflow-store";
import type { Host, Messages } from "../io.js";
import type { Format } from "../render.js";
import type { Colour, Human, Screen } from "../screen/index.js";

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
