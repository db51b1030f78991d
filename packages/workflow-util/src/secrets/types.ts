/** A value that must not be shown, and the name of the variable that holds it. */
export type Secret = { readonly name: string; readonly value: string };

/** Puts `[redacted:NAME]` in place of secrets. Without secrets every function returns its input. */
export type Redactor = {
  readonly text: (text: string) => string;
  /** For the end of a longer text: it may begin with the end of a secret. */
  readonly tail: (text: string) => string;
  /** Takes only that end away: for the first piece of a stream. */
  readonly uncut: (text: string) => string;
  /** Every string in a JSON value, names of members included: for what others have written. */
  readonly value: <T>(value: T) => T;
  /** The same without the names, by which a record of ours is read. */
  readonly record: <T>(value: T) => T;
  /** `record` of a fault, whose code and exit code stay. */
  readonly fault: <T extends { readonly code: string }>(fault: T) => T;
  /**
   * The first text in a JSON value, names of members included, of at most `longest` characters, that only a stranger's
   * secret changes; `null`: there is none. Code that decides by such a text must not be given a changed one.
   */
  readonly strange: (value: unknown, longest: number) => Strange | null;
  /** Characters of the longest form of a secret: so much more than a tail has to be looked at. */
  readonly longest: () => number;
  /** For a text that arrives in pieces. */
  readonly stream: () => TextStream;
};

/** `at`: JSON pointer. `name`: the variable that the stranger has set. */
export type Strange = { readonly at: string; readonly name: string };

/** A text in pieces: `push` returns what can be passed on, `flush` the rest. */
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
  /** The unit as it is; in some forms another one represents it. */
  readonly plain: readonly string[];
  /** How many backslashes of the secret come right before it. */
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
  /** What may come between two units; sticky. */
  readonly gaps: RegExp | null;
  /** So many units at its end show nothing. */
  readonly harmlessEnd: number;
  /** The maximum number of characters for one unit, as far as a tail is concerned. */
  readonly widest: number;
};

/** `end`: where the longest form that begins here ends. `open`: one that the end of the text cuts off. */
export type Found = {
  readonly end: number;
  readonly form: Form | null;
  readonly open: Form | null;
};

export type Finder = {
  /** The next place where a form may begin, or -1; if the text may continue, also one that its end cuts off. */
  readonly next: (text: string, from: number, isWhole: boolean) => number;
  readonly at: (text: string, at: number) => Found;
};
