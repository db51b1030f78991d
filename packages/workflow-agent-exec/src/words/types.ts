/** What stands on uwf-exec's command line, before the two words that uwf adds. */
export type Words = {
  /** The program and its arguments; at least one word. */
  readonly command: readonly string[];
  /** `null`: as long as it takes. */
  readonly timeoutMs: number | null;
  /** As written; `null` is uwf's own folder. */
  readonly cwd: string | null;
  /** Bytes of the command's output that the step keeps in its field `output`. */
  readonly outputLimit: number;
  /** Whether a YAML header on its stdout tells fields too. */
  readonly fieldsFromStdout: boolean;
};

export type Parsed =
  | { readonly ok: true; readonly words: Words }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };
