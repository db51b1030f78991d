import { type StoreProblem, verifyStore } from "@uncaged/json-cas-fs";
import type { CasCommand } from "./types.js";

/** The document holds so many problems; all of them go to stderr as they are found, so that memory stays bounded. */
const PROBLEMS_SHOWN = 1000;

export const verify: CasCommand<Readonly<Record<never, never>>> = ({ dir, warn }) => {
  const problems: StoreProblem[] = [];
  let omitted = 0;
  const figures = verifyStore(dir, (problem) => {
    warn(`node ${problem.hash}: ${problem.message} (${problem.file})`);
    if (problems.length < PROBLEMS_SHOWN) problems.push(problem);
    else omitted += 1;
  });
  const document = { ...figures, problems, problemsOmitted: omitted };
  return { document, exitCode: figures.damaged === 0 ? 0 : 7 };
};
