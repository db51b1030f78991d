import { err, ok, type Result } from "@uncaged/workflow-protocol";

export type Options = {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** The words behind the options. */
  readonly rest: readonly string[];
};

export type Known = { readonly flags: readonly string[]; readonly values: readonly string[] };

/** `--flag`, `--name value` and `--name=value` up to the first other word, or a sentence about what is wrong. */
export function readOptions(argv: readonly string[], known: Known): Result<Options, string> {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  let at = 0;
  for (let word = argv[at]; word?.startsWith("--") === true; word = argv[at]) {
    const [name = "", inline] = split(word);
    if (known.flags.includes(name) && inline === undefined) flags.add(name);
    else if (!known.values.includes(name)) return err(`unknown option ${word}`);
    else {
      const value = inline ?? argv[at + 1];
      if (value === undefined) return err(`${name} needs a value`);
      values.set(name, value);
    }
    at += known.flags.includes(name) || inline !== undefined ? 1 : 2;
  }
  return ok({ flags, values, rest: argv.slice(at) });
}

function split(word: string): readonly [string, string?] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}
