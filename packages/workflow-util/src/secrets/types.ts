/** A value that must not be shown, and the name of the variable that holds it. */
export type Secret = { readonly name: string; readonly value: string };

/** Puts `[redacted:NAME]` in the place of secrets. Without secrets every function gives back what it got. */
export type Redactor = {
  readonly text: (text: string) => string;
  /** For the end of a longer text: what it begins with may be the end of a secret. */
  readonly tail: (text: string) => string;
  /** Takes only that end away: for the first piece of a stream. */
  readonly uncut: (text: string) => string;
  /** Every string in a JSON value, names of members included. */
  readonly value: <T>(value: T) => T;
  /** Characters of the longest form of a secret: so much more than a tail has to be looked at. */
  readonly longest: () => number;
  /** For a text that arrives in pieces. */
  readonly stream: () => TextStream;
};

/** A text in pieces: `push` gives what can be passed on by now, `flush` the rest. */
export type TextStream = {
  readonly push: (piece: string) => string;
  readonly flush: () => string;
};

/** What finds secrets in texts. */
export type Matcher = {
  readonly forms: readonly Form[];
  readonly finder: Finder;
  /** Characters of the longest that a text may make of a form. */
  readonly longest: number;
};

/** One character of a form and every way in which texts write it. */
export type Unit = {
  /** As it is; in some forms another one stands for the same. */
  readonly plain: readonly string[];
  /** How many backslashes of the secret stand right before it. */
  readonly backslashes: number;
  /** Sticky, for all other ways. */
  readonly written: () => RegExp;
};

/** A secret in one encoding. */
export type Form = {
  readonly name: string;
  readonly text: string;
  /** The first three units. */
  readonly head: readonly Unit[];
  /** All of them, made when a text asks for them. */
  readonly units: () => readonly Unit[];
  /** What may stand between two units; sticky. */
  readonly gaps: RegExp | null;
  /** So many units at its end show nothing. */
  readonly harmlessEnd: number;
  /** Characters that texts need for one unit, at most, as far as a tail is concerned. */
  readonly widest: number;
};

/** `end`: where the longest form ends that begins there. `open`: one that the end of the text cuts. */
export type Found = {
  readonly end: number;
  readonly form: Form | null;
  readonly open: Form | null;
};

export type Finder = {
  /** The next place where a form may begin, or -1; where the text may go on, also one that its end cuts. */
  readonly next: (text: string, from: number, isWhole: boolean) => number;
  readonly at: (text: string, at: number) => Found;
};
