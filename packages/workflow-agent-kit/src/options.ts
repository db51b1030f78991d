import { err, ok, type Result } from "@uncaged/workflow-protocol";

export type Options = {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  /** The other words. */
  readonly rest: readonly string[];
};

export type Known = { readonly flags: readonly string[]; readonly values: readonly string[] };

/**
 * `--flag`, `--name value` and `--name=value` before, between and after other words, or a sentence about what is
 * wrong.
 */
export function readOptions(argv: readonly string[], known: Known): Result<Options, string> {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const [name, inline] = split(word);
    if (!word.startsWith("--")) rest.push(word);
    else if (known.flags.includes(name) && inline === undefined) flags.add(name);
    else if (!known.values.includes(name)) return err(`unknown option ${word}`);
    else {
      if (inline === undefined) at += 1;
      const value = inline ?? argv[at];
      if (value === undefined) return err(`${name} needs a value`);
      values.set(name, value);
    }
  }
  return ok({ flags, values, rest });
}

type LeadingOptions = {
  /** In their order; the value of a flag is "". */
  readonly options: readonly (readonly [name: string, value: string])[];
  readonly command: readonly string[];
};

/**
 * The options in front of a command, which begins behind `--`, or with the first other word: bun drops a `--` that comes
 * first. Or a sentence about what is wrong.
 */
export function readLeadingOptions(words: readonly string[], known: Known): Result<LeadingOptions, string> {
  const options: (readonly [string, string])[] = [];
  let at = 0;
  for (; words[at]?.startsWith("-") === true && words[at] !== "--"; at += 1) {
    const [name, inline] = split(words[at] ?? "");
    const isFlag = known.flags.includes(name) && inline === undefined;
    if (!isFlag && !known.values.includes(name)) return err(`unknown option ${name} before the command`);
    if (!isFlag && inline === undefined) at += 1;
    const value = isFlag ? "" : (inline ?? words[at] ?? "");
    if (!isFlag && (value === "" || value === "--")) return err(`${name} needs a value`);
    options.push([name, value]);
  }
  return ok({ options, command: words.slice(words[at] === "--" ? at + 1 : at) });
}

function split(word: string): readonly [string, string?] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word] : [word.slice(0, equals), word.slice(equals + 1)];
}
