import type { Argument, Option } from "./parts.js";

/** Arguments by name, in the order in which they are typed. */
export type Arguments = Readonly<Record<string, Argument<unknown>>>;

/** Options by name, in the order in which help shows them. */
export type Options = Readonly<Record<string, Option<unknown>>>;

type Values<Parts> = {
  readonly [K in keyof Parts]: Parts[K] extends Argument<infer T> | Option<infer T> ? T : never;
};

/** What was typed, by the names of arguments and options. */
export type Request<A, O> = Values<A> & Values<O>;

/** A line without the program's name, and what it prints. */
export type Sample = { readonly line: string; readonly prints: string };

/** Everything that is said of a command. */
export type Words<Code extends string = string> = {
  /** What is typed: `thread note`. */
  readonly path: string;
  /** What it does, as a verb and its object, without a full stop. */
  readonly summary: string;
  readonly arguments: Arguments;
  readonly options: Options;
  /** Lines as a person types them. */
  readonly examples: readonly string[];
  /** Below everything else on its page. */
  readonly notes: string;
  /** Values of `--format`, the first being the default; `null`: those of every command. */
  readonly formats: readonly string[] | null;
  /** Values of `--format` in addition to those of every command. */
  readonly moreFormats: readonly string[];
  /** Codes of the faults that it may end with, beyond those of its kinds of values and of every command. */
  readonly exits: readonly Code[];
  readonly sample: Sample | null;
};

/** A command; only itself knows the type of its request. */
export type Command<Context, Result, Code extends string = string> = Words<Code> & {
  /** What does not fit together in a request, as a sentence; `null`: all fits. */
  readonly check: (request: never) => string | null;
  readonly run: (context: Context, request: never) => Result;
};

type Optional = "arguments" | "options" | "notes" | "formats" | "moreFormats" | "exits" | "sample";

/** What a definition says; what it leaves out is empty. */
export type Definition<A, O, Context, Result, Code extends string> = Omit<Words<Code>, Optional> &
  Partial<Omit<Pick<Words<Code>, Optional>, "arguments" | "options">> & {
    readonly arguments?: A;
    readonly options?: O;
    readonly check?: (request: Request<A, O>) => string | null;
    readonly run: (context: Context, request: Request<A, O>) => Result;
  };

const UNSAID = {
  arguments: {},
  options: {},
  notes: "",
  formats: null,
  moreFormats: [],
  exits: [],
  sample: null,
  check: () => null,
} as const;

/** The `defineCommand` of a program, whose commands have one type of context and of result. */
export function commandDefiner<Context, Result, Code extends string>() {
  return <const A extends Arguments = Record<never, never>, const O extends Options = Record<never, never>>(
    definition: Definition<A, O, Context, Result, Code>,
  ): Command<Context, Result, Code> =>
    ({ ...UNSAID, ...definition }) as unknown as Command<Context, Result, Code>;
}
