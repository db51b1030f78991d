import {
  after,
  anything,
  atMost,
  find,
  isRead,
  isWritable,
  none,
  type Operands,
  reads,
  readsFiles,
  test,
  texts,
  transfers,
  words,
  writes,
} from "./operands.js";

/** The known arguments of a program; any other argument is rejected. */
export type Program = {
  /** Letters of options without a value; `#` is a number such as `-5`. `null`: every word is an operand. */
  readonly flags: string | null;
  /** Letters of options whose value, in the same word or the next, names neither a file nor a program. */
  readonly values: string;
  /** Long options, in full; any value after a `=`. */
  readonly long: readonly string[];
  readonly operands: Operands;
  /** `makes`: a pattern on the same line may match its new files; `moves`: links may be elsewhere afterwards. */
  readonly effect: "none" | "makes" | "moves";
};

type Details = Partial<Pick<Program, "values" | "effect">> & { readonly long?: string };

function program(flags: string | null, operands: Operands, details: Details = {}): Program {
  const { values = "", effect = "none", long = "" } = details;
  return { flags, values, long: long === "" ? [] : long.split(" "), operands, effect };
}

// Some expressions read the environment or modules of other folders.
const JQ = /^(?:\.[\w.[\]"?-]*|keys|length)(?: *\| *(?:\.[\w.[\]"?-]*|keys|length))*$/;

// One substitution without the flags that run (e) or write (w), or the printing of lines.
const SED =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?p|s([/|#,@])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gIip\d]*)$/;

const GREP = {
  values: "ABCm",
  long: "include= exclude= exclude-dir= color= colour= color count line-number ignore-case recursive files-with-matches only-matching no-filename with-filename invert-match word-regexp fixed-strings extended-regexp context= max-count=",
};

const ANY = /^/;

const GREP_FLAGS = "rniclLvwxEFGPohHqsaIzZ";

const sums = program("bz", reads);

/** Programs that touch only the files named by their arguments. */
export const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  [
    "ls",
    program("aAlhrRtS1dFpiskngoGcuXUmxBCNQ", reads, {
      long: "all almost-all color= color human-readable recursive reverse",
    }),
  ],
  ["cat", program("AbeEnstTuv", reads, { long: "number show-all" })],
  ["head", program("#qvz", reads, { values: "nc", long: "lines= bytes= quiet" })],
  ["tail", program("#qvz", reads, { values: "nc", long: "lines= bytes= quiet" })],
  ["wc", program("lwcmL", reads, { long: "lines words bytes chars" })],
  ["nl", program("", reads, { values: "bw" })],
  ["tac", program("", reads)],
  ["rev", program("", reads)],
  ["sort", program("bdfghimnrRsuVz", reads, { values: "kt", long: "unique numeric-sort reverse" })],
  ["uniq", program("cdDiuz", atMost(1, reads), { long: "count" })],
  ["cut", program("nsz", reads, { values: "bcdf" })],
  ["paste", program("sz", reads, { values: "d" })],
  ["comm", program("123z", reads)],
  ["column", program("t", reads, { values: "s" })],
  ["tr", program("cCdst", texts)],
  ["grep", program(GREP_FLAGS, after(ANY, reads), GREP)],
  ["egrep", program(GREP_FLAGS, after(ANY, reads), GREP)],
  ["fgrep", program(GREP_FLAGS, after(ANY, reads), GREP)],
  [
    "rg",
    program("niclvwxFosSUuNHIPp", after(ANY, reads), {
      values: "ABCmgtT",
      long: "hidden no-ignore glob= type= count ignore-case files-with-matches line-number fixed-strings no-heading word-regexp color= context= max-count=",
    }),
  ],
  ["find", program(null, find)],
  ["diff", program("uqwbBiyNs#", atMost(2, readsFiles), { values: "U", long: "unified= brief color=" })],
  ["cmp", program("sl", atMost(2, reads))],
  ["stat", program("t", reads, { values: "c", long: "format=" })],
  ["file", program("bih", reads, { long: "mime-type brief" })],
  ["du", program("abchkms", reads, { values: "d", long: "max-depth= summarize human-readable" })],
  ["tree", program("adfhisC", reads, { values: "LIP" })],
  ["realpath", program("emqs", reads)],
  ["readlink", program("efmn", reads)],
  ["md5sum", sums],
  ["sha1sum", sums],
  ["sha256sum", sums],
  ["cksum", program("", reads)],
  ["od", program("cbxdo", reads, { values: "ANjt" })],
  ["strings", program("a", reads, { values: "n" })],
  ["jq", program("rceSMj", after(JQ, reads), { long: "raw-output compact-output" })],
  ["sed", program("nEr", after(SED, reads), { long: "quiet" })],
  ["basename", program(null, texts)],
  ["dirname", program(null, texts)],
  ["echo", program(null, anything)],
  ["printf", program("", texts)],
  ["pwd", program("LP", none)],
  ["true", program("", none)],
  ["false", program("", none)],
  [":", program("", none)],
  ["test", program(null, test)],
  ["seq", program(null, words(/^-?\d+$/))],
  ["sleep", program(null, words(/^[\d.]+[smh]?$/))],
  ["date", program("uI", after(/^\+/, none), { long: "utc iso-8601=" })],
  ["which", program("a", words(/^[\w.+-]+$/))],
  ["uname", program("amnprsv", none)],
  ["nproc", program("", none)],
  ["whoami", program("", none)],
  ["node", program(null, words(/^(?:--version|-v)$/))],
  ["python3", program(null, words(/^(?:--version|-V)$/))],
  ["mkdir", program("pv", writes, { long: "parents", effect: "makes" })],
  ["touch", program("acm", writes, { effect: "makes" })],
  ["tee", program("a", writes, { long: "append", effect: "makes" })],
  ["rm", program("dfirRvI", writes, { long: "force recursive" })],
  ["rmdir", program("v", writes)],
  ["chmod", program("Rv", after(/^(?:[0-7]{3}|[ugoa]*\+[rwx]+)$/, writes))],
  ["cp", program("afnpPrRuv", transfers(isRead), { effect: "moves" })],
  ["mv", program("fnuv", transfers(isWritable), { effect: "moves" })],
]);

const DIFF_LONG =
  "cached staged stat shortstat numstat name-only name-status oneline patch no-color color= unified= stat= word-diff word-diff= summary ignore-all-space diff-filter= exit-code no-ext-diff no-textconv";

const LOG = {
  values: "nUSG",
  long: `${DIFF_LONG} all graph decorate decorate= no-decorate no-merges merges first-parent follow format= pretty pretty= abbrev-commit since= until= after= before= author= grep= max-count= reverse date= left-right cherry-pick`,
};

/** Subcommands of git that use no hooks, no editor and no network. */
export const GIT: ReadonlyMap<string, Program> = new Map([
  [
    "status",
    program("sbuvz", reads, { long: "short branch porcelain porcelain= long ignored untracked-files=" }),
  ],
  ["diff", program("pswbRMCz", reads, { values: "USG", long: DIFF_LONG })],
  ["log", program("#pisMCzw", reads, LOG)],
  ["show", program("pswMCz", reads, LOG)],
  ["shortlog", program("sne", reads, { long: "all no-merges since= until=" })],
  ["blame", program("wlsCM", reads, { values: "L", long: "date= porcelain" })],
  ["branch", program("avr", none, { long: "list all remotes show-current no-color" })],
  ["tag", program("l", none, { long: "list" })],
  ["remote", program("v", none)],
  ["stash", program(null, words(/^list$/))],
  ["ls-files", program("cdmosz", reads, { long: "cached deleted modified others exclude-standard stage" })],
  [
    "rev-parse",
    program("", reads, {
      long: "short short= abbrev-ref show-toplevel is-inside-work-tree verify show-prefix",
    }),
  ],
  ["rev-list", program("#", reads, { values: "n", long: "count all max-count= no-merges" })],
  ["merge-base", program("a", reads, { long: "is-ancestor" })],
  ["describe", program("", reads, { long: "tags always dirty abbrev=" })],
  [
    "grep",
    program("niclLvwEFPhH", after(ANY, reads), { values: "ABC", long: "count line-number ignore-case" }),
  ],
  ["add", program("AuvnN", reads, { long: "all update verbose dry-run" })],
]);
