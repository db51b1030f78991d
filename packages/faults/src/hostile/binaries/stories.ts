import type { Bench } from "./bench.js";
import { escapes } from "./escapes.js";
import { imports } from "./imports.js";
import { lines } from "./lines.js";
import { links } from "./links.js";
import { models } from "./models.js";
import { outputs } from "./outputs.js";
import { paths } from "./paths.js";
import { sizes } from "./sizes.js";

export type Story = { readonly name: string; readonly tell: (bench: Bench) => Promise<void> };

/** What is done with real binaries; each story has a storage root of its own. */
export const STORIES: readonly Story[] = [
  { name: "escapes", tell: escapes },
  { name: "paths", tell: paths },
  { name: "links", tell: links },
  { name: "outputs", tell: outputs },
  { name: "models", tell: models },
  { name: "imports", tell: imports },
  { name: "lines", tell: lines },
  { name: "sizes", tell: sizes },
];
