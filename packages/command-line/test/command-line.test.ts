import { CommanderError } from "commander";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  amount,
  any,
  argument,
  BadUsage,
  bound,
  type Command,
  choice,
  commandDefiner,
  findPath,
  flag,
  list,
  needed,
  option,
  optional,
  orNone,
  type Program,
  parseLine,
  parserForAll,
  period,
  some,
  text,
  unless,
  usually,
  wholeNumber,
} from "../src/index.js";

const defineCommand = commandDefiner<null, unknown, string>();

const PROGRAM: Program = {
  name: "tool",
  root: (root) => root.configureOutput({ writeErr: () => {} }),
  everywhere: (command) => command.option("--format <format>", "how the result is printed"),
  groups: {
    job: { summary: "jobs", examples: ["tool job start x"], notes: "More: tool help jobs", first: ["stop"] },
  },
  first: ["log"],
};

const NAME = text("name", { candidates: "names", faults: ["NAME_UNKNOWN"] });

const start = defineCommand({
  path: "job start",
  summary: "start a job",
  arguments: { name: argument(NAME), others: any(NAME) },
  options: {
    dryRun: flag("print what would happen"),
    details: unless("leave out details"),
    maxCost: option(orNone(amount("usd")), "what it may cost"),
    tag: list(text("tag"), "may be repeated"),
    by: option(text("who"), "who starts it", { short: "-b" }),
    jobs: usually(wholeNumber("count", 1, 8), 2, "so many at a time"),
    grace: usually(period("time"), 3_600_000, "keep younger ones", { shown: "1h" }),
    wait: bound(amount("seconds"), "wait for it"),
    mode: option(choice("mode", ["fast", "slow"]), "how", { conflicts: ["dryRun"] }),
  },
  examples: ["tool job start x"],
  check: ({ name, others }) => (others.includes(name) ? `${name} is named twice` : null),
  run: (_context, request) => request,
});

/** What `run` got for these words. */
function typed(command: Command<null, unknown>, ...argv: readonly string[]): unknown {
  return command.run(null, parseLine(PROGRAM, command, argv).request);
}

function refusal(...argv: readonly string[]): string {
  try {
    typed(start, ...argv);
    return "";
  } catch (error) {
    if (error instanceof CommanderError || error instanceof BadUsage) return error.message;
    throw error;
  }
}

const USUAL = {
  name: "a",
  others: [],
  dryRun: false,
  details: true,
  maxCost: null,
  tag: [],
  by: null,
  jobs: 2,
  grace: 3_600_000,
  wait: null,
  mode: null,
};

describe("a request", () => {
  it("has every name, with what it is when it is not given", () => {
    expect(typed(start, "job", "start", "a")).toEqual(USUAL);
  });

  it.each([
    [["--dry-run"], { dryRun: true }],
    [["--no-details"], { details: false }],
    [["--max-cost", "2.5"], { maxCost: 2.5 }],
    [["--max-cost", "none"], { maxCost: "none" }],
    [["--tag", "x", "--tag=y"], { tag: ["x", "y"] }],
    [["-b", "Ada"], { by: "Ada" }],
    [["--jobs", "3", "--jobs", "4"], { jobs: 4 }],
    [["--grace", "7d"], { grace: 604_800_000 }],
    [["--grace", "90"], { grace: 90_000 }],
    [["--wait"], { wait: Number.POSITIVE_INFINITY }],
    [["--wait", "2.5"], { wait: 2.5 }],
    [["--wait=0"], { wait: 0 }],
    [["--mode", "slow"], { mode: "slow" }],
    [["b", "c"], { others: ["b", "c"] }],
    [["--format", "json"], {}],
    [["--", "--tag"], { others: ["--tag"] }],
  ] as const)("of %j", (words, values) => {
    expect(typed(start, "job", "start", "a", ...words)).toEqual({ ...USUAL, ...values });
  });

  it("takes a word after a bare --wait as an argument", () => {
    expect(typed(start, "job", "start", "--wait", "a")).toEqual({ ...USUAL, wait: Number.POSITIVE_INFINITY });
  });

  it("takes a --wait after an option with a value as that value", () => {
    expect(typed(start, "job", "start", "a", "--by=--wait")).toEqual({ ...USUAL, by: "--wait" });
    expect(typed(start, "job", "start", "-b", "--wait", "a")).toEqual({ ...USUAL, by: "--wait" });
  });

  it("is typed by the parts", () => {
    defineCommand({
      path: "x",
      summary: "x",
      arguments: { a: argument(NAME), b: optional(NAME), c: some(NAME) },
      options: {
        n: needed(wholeNumber("n", 0), "n"),
        l: list(NAME, "l"),
        w: bound(amount("s"), "w"),
        f: flag("f"),
      },
      examples: [],
      run: (_context, request) => {
        expectTypeOf(request).toEqualTypeOf<
          Readonly<{ a: string; b: string | null; c: readonly string[] }> &
            Readonly<{ n: number; l: readonly string[]; w: number | null; f: boolean }>
        >();
      },
    });
  });
});

describe("a line that does not fit", () => {
  it.each([
    [
      ["--by", "x", "--by", "y"],
      "error: option '-b, --by <who>' argument 'y' is invalid. --by is given twice.",
    ],
    [
      ["--jobs", "9"],
      "error: option '--jobs <count>' argument '9' is invalid. It must be a whole number from 1 to 8.",
    ],
    [
      ["--jobs", "1e1"],
      "error: option '--jobs <count>' argument '1e1' is invalid. It must be a whole number from 1 to 8.",
    ],
    [
      ["--max-cost", "-1"],
      "error: option '--max-cost <usd>' argument '-1' is invalid. It must be a number, 0 or more.",
    ],
    [
      ["--grace", "1w"],
      "error: option '--grace <time>' argument '1w' is invalid. It must be a time such as 90s, 30m, 2h or 1d.",
    ],
    [
      ["--mode", "up"],
      "error: option '--mode <mode>' argument 'up' is invalid. Allowed choices are fast, slow.",
    ],
    [["--mode", "fast", "--dry-run"], "error: option '--mode <mode>' cannot be used with option '--dry-run'"],
    [["--unknown"], "error: unknown option '--unknown'"],
    [["a"], "a is named twice"],
  ] as const)("%j", (words, sentence) => {
    expect(refusal("job", "start", "a", ...words)).toBe(sentence);
  });

  it("lacks an argument", () => {
    expect(refusal("job", "start")).toBe("error: missing required argument 'name'");
  });

  it("lacks an option that is needed", () => {
    const command = defineCommand({
      path: "put",
      summary: "put",
      options: { root: needed(text("hash"), "a root") },
      examples: [],
      run: (_context, request) => request,
    });
    expect(() => typed(command, "put")).toThrow("required option '--root <hash>' not specified");
    expect(typed(command, "put", "--root", "x")).toEqual({ root: "x" });
  });

  it("has an argument that is none of its kind", () => {
    const command = defineCommand({
      path: "shell",
      summary: "shell",
      arguments: { shell: argument(choice("shell", ["bash", "zsh"])) },
      examples: [],
      run: (_context, request) => request,
    });
    expect(() => typed(command, "shell", "csh")).toThrow(
      "error: command-argument value 'csh' is invalid for argument 'shell'. Allowed choices are bash, zsh.",
    );
  });
});

describe("help", () => {
  const page = (): string => {
    let printed = "";
    const root: Program["root"] = (each) =>
      PROGRAM.root(each).configureOutput({
        writeOut: (piece) => (printed += piece),
        getOutHelpWidth: () => 200,
      });
    const words = { ...start, notes: "It can be stopped." };
    expect(() => parseLine({ ...PROGRAM, root }, start, ["job", "start", "--help"], words)).toThrow(
      "(outputHelp)",
    );
    return printed;
  };

  it("has examples first and notes last", () => {
    expect(page()).toMatch(
      /^Examples:\n {2}\$ tool job start x\n\nUsage: tool job start \[options\] <name> \[others\.\.\.\]\n/,
    );
    expect(page()).toMatch(/\n\nIt can be stopped\.\n$/);
  });

  it("shows what an option is when it is not given, and nothing of one that is off", () => {
    expect(page()).toMatch(/--jobs <count> +so many at a time \(default: 2\)\n/);
    expect(page()).toMatch(/--grace <time> +keep younger ones \(default: 1h\)\n/);
    expect(page()).toMatch(/--dry-run +print what would happen\n/);
    expect(page()).toMatch(/--tag <tag> +may be repeated\n/);
  });

  it("of all commands has each in its group, those that come first before the others", () => {
    const words = JSON.parse(
      JSON.stringify([start, { ...start, path: "job stop" }, { ...start, path: "log" }]),
    );
    const root = parserForAll(PROGRAM, words);
    expect(root.commands.map((each) => [each.name(), each.commands.map((below) => below.name())])).toEqual([
      ["log", []],
      ["job", ["stop", "start"]],
    ]);
  });
});

describe("the command that a line names", () => {
  const paths = new Set(["job start", "cas file put", "log"]);
  const valued = new Set(["--format"]);

  it.each([
    [["job", "start", "x"], "job start"],
    [["--format", "json", "job", "start"], "job start"],
    [["--format=json", "job", "--format", "x", "start"], "job start"],
    [["cas", "file", "put"], "cas file put"],
    [["log"], "log"],
    [["job"], null],
    [["job", "strat"], null],
    [["--unknown", "job", "start"], null],
    [["-x", "log"], null],
    [["--", "log"], "log"],
    [["job", "--", "start"], "job start"],
    [["toString"], null],
    [["cas", "file put"], null],
    [[], null],
  ] as const)("%j: %s", (argv, path) => {
    expect(findPath(argv, paths, valued)).toBe(path);
  });
});
