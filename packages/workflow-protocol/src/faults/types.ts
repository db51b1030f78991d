import type { CasFault } from "@uncaged/json-cas";
import type { ExitCode } from "./exits.js";
import type { PROBLEMS } from "./problems.js";
import type { FAULTS } from "./table.js";

/**
 * Who meets a fault again: the same command anywhere; the thread, at whatever machine; what this storage root has of the thread
 * (`copy`), as another root may have it whole; the machine (its storage root, programs, keys, disk, network), with whatever
 * thread. `either`: the thread or the machine, which shows when other threads are stepped.
 */
export type Whose = "command" | "thread" | "copy" | "machine" | "either";

/** One row of the fault table. */
export type FaultSpec<Fields> = {
  /** When it is met, for docs/errors.md and `uwf help exit-codes`: a bundle has it nowhere else (scripts/bins/siblings.ts). */
  readonly when: string;
  /** `of`: by what has happened, one of `among`. */
  readonly exit:
    | ExitCode
    | { readonly among: readonly ExitCode[]; readonly of: (fields: Fields) => ExitCode };
  /** Whether the same command can succeed later although nothing was changed. */
  readonly retryable: boolean | ((fields: Fields) => boolean);
  /** `of`: whose a fault with that code usually is. */
  readonly whose: Whose | ((fields: Fields, of: (code: string) => Whose) => Whose);
  readonly message: (fields: Fields) => string;
  readonly hint: (fields: Fields) => string;
};

export type FaultCode = keyof typeof FAULTS;

type FieldsOf<Code extends FaultCode> =
  (typeof FAULTS)[Code] extends FaultSpec<infer Fields> ? Fields : never;

/** Every expected failure: a code and its fields. The sentence, the hint and the exit code follow from them. */
export type Fault = { [Code in FaultCode]: { readonly code: Code } & FieldsOf<Code> }[FaultCode];

export type FaultOf<Code extends FaultCode> = { readonly code: Code } & FieldsOf<Code>;

export type CasFaultFields<Code extends CasFault["code"]> = Omit<
  Extract<CasFault, { readonly code: Code }>,
  "code"
>;

/** What kind of problem it is, for programs. */
export type ProblemCode = keyof typeof PROBLEMS;

/** One finding in a file that people write: a workflow or config.yaml. Lines and columns count from 1. */
export type Problem = {
  readonly code: ProblemCode;
  readonly severity: "error" | "warning";
  readonly line: number | null;
  readonly column: number | null;
  /** JSON Pointer into the document; "" is the document. */
  readonly path: string;
  readonly message: string;
  /** What was probably meant, if known: the nearest known name, the right operator. */
  readonly suggestion: string | null;
  /** Further places of the same mistake. */
  readonly also: readonly { readonly line: number; readonly column: number }[];
};

/** What `--error-format json` prints. */
export type FaultReport = {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
  readonly data: Readonly<Record<string, unknown>>;
};
