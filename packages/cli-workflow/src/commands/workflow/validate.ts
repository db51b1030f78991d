import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { flag, some } from "@uncaged/command-line";
import { assembleWorkflow, misspeltNames } from "@uncaged/workflow-engine";
import {
  type AuthoredWorkflow,
  type CasRef,
  exitCodeOf,
  type Fault,
  hintOf,
  messageOf,
  ok,
  PROBLEMS,
  type Problem,
  problemHelp,
  type Result,
} from "@uncaged/workflow-protocol";
import { loadConfig, loadProjectConfig } from "@uncaged/workflow-store";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { type CommandContext, defineCommand, ownVersion, PATH } from "../../line/index.js";
import { counted, type Human, paintOn, renderProblems, type Screen, wordAt } from "../../screen/index.js";
import {
  inspectGiven,
  type KnownWorkflows,
  knownWorkflows,
  LEFT_OUT,
  shownName,
  workflowsAmong,
} from "../given-workflow.js";

/** One file of `workflow validate`. */
type ValidatedFile = {
  /** As it was given; `(stdin)`. */
  readonly file: string;
  readonly valid: boolean;
  /** `null` if it is not valid. */
  readonly name: string | null;
  /** What `workflow put` would give; `null` if it is not valid. */
  readonly hash: CasRef | null;
  /** In the order of the text. */
  readonly problems: readonly Problem[];
};

/** Of `workflow validate`. */
export type WorkflowValidateOutput = { readonly valid: boolean; readonly files: readonly ValidatedFile[] };

/** A file with its text, which a person sees beside each problem; `path`: absolute, `null` for stdin. */
type ValidatedText = ValidatedFile & { readonly text: string; readonly path: string | null };

/** Formats of code scanners, which only this command has. */
const REPORTS = ["sarif", "github"] as const;

/** Everything that `put` checks about each file. Needs no storage root and stores nothing. */
export const command = defineCommand({
  path: "workflow validate",
  summary: "check workflow files as put does, and store nothing",
  arguments: { file: some(PATH) },
  options: { strict: flag("treat warnings as errors") },
  moreFormats: REPORTS,
  examples: [
    "uwf workflow validate solve-issue.yaml",
    "uwf workflow validate .workflows/*.yaml --strict",
    "uwf workflow validate - < solve-issue.yaml",
    "uwf workflow validate .workflows/*.yaml --format github",
    "uwf workflow validate .workflows/*.yaml --format sarif > uwf.sarif",
  ],
  notes: `${LEFT_OUT}
Exits with 4 if a file is not valid. Needs no storage root.`,
  sample: {
    line: "workflow validate typo.yaml",
    prints: `typo.yaml:9:20: error[unknown-role]: writer leads to reviwer, which is not a role
   8 |   $START: [{ role: writer, condition: null }]
   9 |   writer: [{ role: reviwer, condition: null }]
     |                    ^^^^^^^ did you mean "reviewer"?
…`,
  },
  run: async (context, { file: words, strict }) => {
    const { host } = context;
    const files: ValidatedText[] = [];
    const given = workflowsAmong(host.cwd, words);
    const known = await knownWorkflows(context, given);
    for (const file of given) {
      const validated = await validate(context, known, file);
      if (!validated.ok) return validated;
      files.push(strict ? strictly(validated.value) : validated.value);
    }
    const valid = files.every((file) => file.valid);
    const exitCode = valid ? 0 : 4;
    const report = REPORTS.find((each) => each === context.typedFormat) ?? null;
    if (report === "github") return ok({ kind: "text", text: annotationsOf(files, host.cwd), exitCode });
    if (report === "sarif")
      return ok({ kind: "verdict", value: sarifOf(files, host.cwd), human: null, exitCode });
    const value: WorkflowValidateOutput = {
      valid,
      files: files.map(({ file, valid, name, hash, problems }) => ({ file, valid, name, hash, problems })),
    };
    const human: Human = (screen) => files.map((file) => renderFile(screen, file)).join("");
    return ok({ kind: "verdict", value, human, exitCode });
  },
});

async function validate(
  context: CommandContext,
  known: KnownWorkflows | null,
  given: string,
): Promise<Result<ValidatedText, Fault>> {
  const { host } = context;
  const file = shownName(given);
  const path = given === "-" ? null : resolve(host.cwd, given);
  const inspected = await inspectGiven(host, given, known);
  if (!inspected.ok) {
    const { error } = inspected;
    // A file that is no text is as wrong as one with a mistake; one that is not there, or too large, is not read.
    if (exitCodeOf(error) !== 4 || error.code === "TOO_LARGE") return inspected;
    // Without the file's name, which is printed before it already.
    const message = error.code === "INVALID_INPUT" ? `${error.reason}: ${hintOf(error)}` : messageOf(error);
    const nowhere = { line: null, column: null, path: "", suggestion: null, also: [] };
    const problem: Problem = { code: "syntax", severity: "error", ...nowhere, message };
    return ok({ ...refused, file, path, text: "", problems: [problem] });
  }
  const { text, authored } = inspected.value;
  const misspelt = authored === null ? [] : await misspeltIn(context, authored, path);
  const problems = [...inspected.value.problems, ...misspelt];
  if (authored === null) return ok({ ...refused, file, path, text, problems });
  const { hash } = assembleWorkflow(authored);
  return ok({ file, path, text, valid: true, name: authored.name, hash, problems });
}

const refused = { valid: false, name: null, hash: null } as const;

function strictly(validated: ValidatedText): ValidatedText {
  const problems = validated.problems.map((each) => ({ ...each, severity: "error" as const }));
  return problems.length === 0 ? validated : { ...validated, ...refused, problems };
}

/** The settings that misspell the workflow or one of its roles; with the place in their own file. */
async function misspeltIn(
  { host, openStorage }: CommandContext,
  { name, roles }: AuthoredWorkflow,
  path: string | null,
): Promise<readonly Problem[]> {
  const opened = openStorage();
  if (!opened.ok) return [];
  const storage = opened.value;
  const cwd = path === null ? host.cwd : dirname(path);
  const [user, project] = [await loadConfig(storage), await loadProjectConfig(cwd)];
  const mine = user.ok && user.value.config !== null ? { ...user.value, ...user.value.config } : null;
  const problems: Problem[] = [];
  // doctor reports what else is wrong with them.
  for (const config of [mine, project.ok ? project.value : null]) {
    if (config === null) continue;
    const found = await misspeltNames(config, { name, roles: Object.keys(roles) }, { storage, cwd });
    for (const { line, column, ...problem } of found) {
      const message = `${config.file}:${line}:${column}: ${problem.message}`;
      problems.push({ ...problem, message, severity: "warning", line: null, column: null, path: "" });
    }
  }
  return problems;
}

function renderFile(screen: Screen, { file, text, valid, name, problems }: ValidatedText): string {
  const paint = paintOn(screen);
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const counts = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ].join(", ");
  const state = valid ? paint.good(`valid, workflow ${name}`) : paint.bad("not valid");
  const summary = `${sanitizeTerminal(file)}: ${state}${counts === "" ? "" : `: ${counts}`}\n`;
  return renderProblems(screen, { name: file, text }, problems) + summary;
}

/**
 * What GitHub Actions shows beside the lines of a change: one line per problem,
 * `::error file=…,line=…,col=…,title=…::…`.
 */
function annotationsOf(files: readonly ValidatedText[], cwd: string): string {
  return files
    .flatMap((file) => file.problems.map((problem) => annotation(nameFrom(cwd, file), problem)))
    .join("");
}

/** Relative to the current folder where the file is below it: that is the repository, in CI. */
function nameFrom(cwd: string, { path, file }: ValidatedText): string {
  if (path === null) return file;
  const way = relative(cwd, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? path : way.split(sep).join("/");
}

function annotation(file: string, problem: Problem): string {
  const { severity, code, line, column, message } = problem;
  const place = line === null ? [] : [`line=${line}`, `col=${column ?? 1}`];
  const properties = [`file=${property(file)}`, ...place, `title=${property(code)}`].join(",");
  const help = problemHelp(problem);
  return `::${severity} ${properties}::${data(help === "" ? message : `${message}, ${help}`)}\n`;
}

// The runner decodes these, and nothing else.

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** The problems as a SARIF 2.1.0 log, for code scanning. */
function sarifOf(files: readonly ValidatedText[], cwd: string) {
  const rules = Object.entries(PROBLEMS).map(([id, text]) => ({
    id,
    shortDescription: { text: text.replaceAll("`", "") },
  }));
  const results = files.flatMap((file) => {
    const uri = uriOf(nameFrom(cwd, file));
    const lines = file.text.replace(/^\ufeff/, "").split("\n");
    return file.problems.map((problem) => resultOf(problem, uri, lines));
  });
  const driver = { name: "uwf", version: ownVersion(), rules };
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }],
  };
}

/** Relative names stay relative: the reader of the log knows where the repository is. */
function uriOf(name: string): string {
  return isAbsolute(name) ? pathToFileURL(name).href : name.split("/").map(encodeURIComponent).join("/");
}

function resultOf(problem: Problem, uri: string, lines: readonly string[]) {
  const { code, severity, line, column, message, also } = problem;
  const help = problemHelp({ ...problem, also: [] });
  const at = (line: number, column: number) => ({
    physicalLocation: { artifactLocation: { uri }, region: regionOf(lines, line, column) },
  });
  return {
    ruleId: code,
    ruleIndex: Object.keys(PROBLEMS).indexOf(code),
    level: severity,
    message: { text: help === "" ? message : `${message}, ${help}` },
    locations: [line === null ? { physicalLocation: { artifactLocation: { uri } } } : at(line, column ?? 1)],
    ...(also.length === 0 ? {} : { relatedLocations: also.map((place) => at(place.line, place.column)) }),
  };
}

/** The word at the place. */
function regionOf(lines: readonly string[], startLine: number, startColumn: number) {
  const word = wordAt((lines[startLine - 1] ?? "").replace(/\r$/, ""), startColumn - 1);
  return { startLine, startColumn, endColumn: startColumn + Math.max(word.length, 1) };
}
