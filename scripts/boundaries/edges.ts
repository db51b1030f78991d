import type { Problem } from "../source/index.js";
import { permits } from "./permission.js";
import type { Survey } from "./types.js";

/** The environment, the clock, randomness, exit and console: only in the files of the table. */
export function checkEdges({ tree, tables }: Survey): readonly Problem[] {
  return tree.packages.flatMap(({ files }) =>
    files
      .filter(({ area }) => area === "src")
      .flatMap(({ path, facts }) =>
        facts.ambient
          .filter(({ name }) => !permits(tables.edges, path, name))
          .map(({ name, line }) => ({
            file: path,
            line,
            rule: "edge",
            message: `${name} outside a binary's edge; take it as an argument`,
          })),
      ),
  );
}
