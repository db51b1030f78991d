import { isAbsolute, relative, sep } from "node:path";
import { type Problem, problemHelp } from "@uncaged/workflow-protocol";
import type { ValidatedText } from "./validate.js";

/**
 * What GitHub Actions shows beside the lines of a change: one line per problem,
 * `::error file=…,line=…,col=…,title=…::…`.
 */
export function annotationsOf(files: readonly ValidatedText[], cwd: string): string {
  return files
    .flatMap((file) => file.problems.map((problem) => annotation(nameFrom(cwd, file), problem)))
    .join("");
}

/** Relative to the current folder where the file is below it: that is the repository, in CI. */
export function nameFrom(cwd: string, { path, file }: ValidatedText): string {
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
