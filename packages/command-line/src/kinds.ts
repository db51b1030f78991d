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
