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
  /** Characters of the longest spelling of a secret: so much more than a tail has to be looked at. */
  readonly longest: () => number;
  /** For a text that arrives in pieces. */
  readonly stream: () => TextStream;
};

/** A text in pieces: `push` gives what can be passed on by now, `flush` the rest. */
export type TextStream = {
  readonly push: (piece: string) => string;
  readonly flush: () => string;
};

/** What finds the spellings of secrets, the longest first. */
export type Matcher = {
  readonly spellings: readonly string[];
  readonly pattern: RegExp;
  readonly beginnings: Beginnings;
  /** What stands in the place of a spelling. */
  readonly mark: (spelling: string) => string;
  readonly replace: (text: string) => string;
};

/** Finds where a text ends within a spelling. */
export type Beginnings = {
  /** The longest part at the end of the text that is the beginning, and not the whole, of a spelling. */
  readonly atEndOf: (text: string) => { readonly at: number; readonly spelling: string } | null;
};
