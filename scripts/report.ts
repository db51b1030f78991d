import { formatProblems, type Problem } from "./source/index.js";

/** Prints what a check found; gives the exit code. */
export function report(name: string, problems: readonly Problem[]): 0 | 1 {
  if (problems.length === 0) {
    console.log(`${name}: ok`);
    return 0;
  }
  console.error(formatProblems(problems));
  console.error(`${name}: ${problems.length} ${problems.length === 1 ? "problem" : "problems"}`);
  return 1;
}
