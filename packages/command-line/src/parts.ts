import type { Candidates, Kind } from "./kinds.js";

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
