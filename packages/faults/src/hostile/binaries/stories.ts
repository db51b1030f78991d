import fc from "fast-check";
import { commandLine } from "../pure/index.js";
import type { Bench } from "./bench.js";
import { escapes } from "./escapes.js";
import { imports, links, paths } from "./files.js";
import { models, outputs } from "./models.js";
import { sizes } from "./sizes.js";
import { waits } from "./waits.js";

/** A share of the command lines for the real binaries: argv as the system hands it over, exit codes as it gets them. */
async function lines(bench: Bench): Promise<void> {
  const { session } = bench;
  const rounds = session.level === "sample" ? 4 : 60;
  const seed = session.seed + session.random.below(1_000_000);
  for (const args of fc.sample(commandLine, { seed, numRuns: rounds })) {
    const outcome = await bench.run(args, { env: { UWF_DEBUG: "1" }, stdin: "{}" });
    session.count(
      outcome.code === 0 ? "command lines that were understood" : "command lines that were refused",
    );
  }
}

type Story = { readonly name: string; readonly tell: (bench: Bench) => Promise<void> };

/** What is done with real binaries; each story has a storage root of its own. */
export const STORIES: readonly Story[] = [
  { name: "escapes", tell: escapes },
  { name: "paths", tell: paths },
  { name: "links", tell: links },
  { name: "outputs", tell: outputs },
  { name: "waits", tell: waits },
  { name: "models", tell: models },
  { name: "imports", tell: imports },
  { name: "lines", tell: lines },
  { name: "sizes", tell: sizes },
];
