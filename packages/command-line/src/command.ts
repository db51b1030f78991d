/** Thrown by a kind for a text that is none of its values. The sentence goes into the usage error. */
export class BadValue extends Error {}

/** Where completion finds candidates: the name of a source that the program knows, the candidates themselves, or nowhere. */
export type Candidates = string | readonly string[] | null;

/** A kind of value on the command line: what help calls it, how it is read, and what may come of it. */
export type Kind<T> = {
  /** The text between `<` and `>` in the usage. */
  readonly name: string;
  /** What can be given, for the help; `null`: the name says it. */
  readonly about: string | null;
  readonly candidates: Candidates;
  /** Codes of the faults that a value of this kind may lead to, beyond bad usage. */
  readonly faults: readonly string[];
  /** Whether an option of this kind may be repeated, the last value counting. */
  readonly mayRepeat: boolean;
  /** Throws `BadValue`. */
  readonly read: (text: string) => T;
};

/** Any text. */
export function text(name: string, rest: Partial<Omit<Kind<string>, "name" | "read">> = {}): Kind<string> {
  return { name, about: null, candidates: null, faults: [], mayRepeat: false, ...rest, read: String };
}

/** One of these words. */
export function choice<const T extends string>(name: string, words: readonly T[]): Kind<T> {
  const read = (given: string): T => {
    const word = words.find((each) => each === given);
    if (word === undefined) throw new BadValue(`Allowed choices are ${words.join(", ")}.`);
    return word;
  };
  return { ...text(name), candidates: words, mayRepeat: true, read };
}

/** A whole number with these bounds, both included. */
export function wholeNumber(name: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): Kind<number> {
  return number(name, (given) => {
    const value = Number(given);
    if (/^\d+$/.test(given) && value >= minimum && value <= maximum) return value;
    const bounds =
      maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    throw new BadValue(`It must be a whole number ${bounds}.`);
  });
}

/** An amount of money or time, 0 included, as a decimal number. */
export function amount(name: string, sentence = "It must be a number, 0 or more."): Kind<number> {
  return number(name, (given) => {
    if (/^\d+(\.\d+)?$/.test(given) && Number.isFinite(Number(given))) return Number(given);
    throw new BadValue(sentence);
  });
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time in ms: `90s`, `30m`, `1h`, `7d`; a bare number counts seconds. */
export function period(
  name: string,
  sentence = "It must be a time such as 90s, 30m, 2h or 1d.",
): Kind<number> {
  return number(name, (given) => {
    const [, count, unit] = /^(\d{1,9})([smhd]?)$/.exec(given) ?? [];
    if (count === undefined) throw new BadValue(sentence);
    return Number(count) * (UNITS[unit || "s"] ?? 0);
  });
}

/** `none` in the place of a number takes a limit away. */
export function orNone(kind: Kind<number>): Kind<number | "none"> {
  return { ...kind, read: (given) => (given === "none" ? given : kind.read(given)) };
}

function number(name: string, read: (text: string) => number): Kind<number> {
  return { ...text(name), mayRepeat: true, read };
}

/** An argument of a command. */
export type Argument<T> = {
  /** What help calls it; `null`: its key in the definition. */
  readonly name: string | null;
  readonly takes: "one" | "at most one" | "some" | "any";
  readonly about: string | null;
  readonly candidates: Candidates;
  readonly faults: readonly string[];
  /** What the parser found, as the command gets it. Throws `BadValue`. */
  readonly value: (found: unknown) => T;
};

type About = { readonly about?: string | null; readonly name?: string };

/** One that must be given. */
export function argument<T>(kind: Kind<T>, about: About = {}): Argument<T> {
  return argumentPart(kind, "one", (found) => kind.read(found as string), about);
}

/** One that may be left out: `null`. */
export function optional<T>(kind: Kind<T>, about: About = {}): Argument<T | null> {
  return argumentPart(
    kind,
    "at most one",
    (found) => (found === undefined ? null : kind.read(found as string)),
    about,
  );
}

/** One or more. */
export function some<T>(kind: Kind<T>, about: About = {}): Argument<readonly T[]> {
  return argumentPart(kind, "some", (found) => (found as readonly string[]).map(kind.read), about);
}

/** None, one or more. */
export function any<T>(kind: Kind<T>, about: About = {}): Argument<readonly T[]> {
  return argumentPart(kind, "any", (found) => ((found ?? []) as readonly string[]).map(kind.read), about);
}

function argumentPart<T>(
  kind: Kind<unknown>,
  takes: Argument<T>["takes"],
  value: (found: unknown) => T,
  { about = kind.about, name }: About,
): Argument<T> {
  return { name: name ?? null, takes, about, candidates: kind.candidates, faults: kind.faults, value };
}

/** An option of a command; its key in the definition gives its name: `promptFile` is `--prompt-file`. */
export type Option<T> = {
  readonly about: string;
  /** `<path>`, `[seconds]`; `null`: a flag. */
  readonly placeholder: string | null;
  /** `-f`; `null`: it has a long name only. */
  readonly short: string | null;
  /** `--no-details`: what it turns off is on by default. */
  readonly negated: boolean;
  readonly required: boolean;
  /** What a second one does: it is a mistake, it counts, or both do. */
  readonly again: "mistake" | "last" | "all";
  /** Keys of options that cannot go with it. */
  readonly conflicts: readonly string[];
  readonly candidates: Candidates;
  readonly faults: readonly string[];
  /** What it is when it is not given, as the help shows it; `null`: the help says nothing. */
  readonly usual: string | number | null;
  /** What it is when it is not given. */
  readonly absent: T;
  /** Throws `BadValue`; `null` of a flag. */
  readonly read: ((given: string) => unknown) | null;
};

type More = Partial<Pick<Option<unknown>, "short" | "required" | "conflicts" | "candidates">>;

const FLAG = {
  placeholder: null,
  short: null,
  negated: false,
  required: false,
  again: "last",
  conflicts: [],
  candidates: null,
  faults: [],
  usual: null,
  read: null,
} as const;

/** `--<key>`: `true` where it is given. */
export function flag(about: string, more: More = {}): Option<boolean> {
  return { ...FLAG, about, absent: false, ...more };
}

/** `--no-<key>`: `false` where it is given. */
export function unless(about: string): Option<boolean> {
  return { ...FLAG, about, negated: true, absent: true };
}

/** One with a value; `null` where it is not given. */
export function option<T>(kind: Kind<T>, about: string, more: More = {}): Option<T | null> {
  return valued<T | null>(kind, about, null, more);
}

/** One that must be given. */
export function needed<T>(kind: Kind<T>, about: string, more: More = {}): Option<T> {
  return valued(kind, about, undefined as T, { required: true, ...more });
}

/** One with a value where it is not given; `shown`: how the help writes that value. */
export function usually<T extends string | number>(
  kind: Kind<T>,
  usual: T,
  about: string,
  more: More & { readonly shown?: string | number } = {},
): Option<T> {
  const { shown = usual, ...rest } = more;
  return { ...valued(kind, about, usual, rest), again: "last", usual: shown };
}

/** One that may be repeated; all of them count. */
export function list<T>(kind: Kind<T>, about: string, more: More = {}): Option<readonly T[]> {
  return { ...valued<readonly T[]>(kind, about, [], more), again: "all" };
}

/** `--wait`, `--wait 30`, `--wait=30`: a number that may be left out, which gives infinity. */
export function bound(kind: Kind<number>, about: string): Option<number | null> {
  const read = (given: string): number => (given === "" ? Number.POSITIVE_INFINITY : kind.read(given));
  return { ...valued<number | null>(kind, about, null, {}), placeholder: `[${kind.name}]`, read };
}

function valued<T>(kind: Kind<unknown>, about: string, absent: T, more: More): Option<T> {
  const { name, candidates, faults, read, mayRepeat } = kind;
  const again = mayRepeat ? "last" : "mistake";
  return { ...FLAG, about, absent, placeholder: `<${name}>`, again, candidates, faults, read, ...more };
}

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
