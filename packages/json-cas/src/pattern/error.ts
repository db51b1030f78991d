/** A pattern that is no regular expression, or one that cannot be matched in linear time; `message` says which. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}
