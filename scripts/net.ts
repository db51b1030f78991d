import { readFileSync, writeFileSync } from "node:fs";
import { compareNets, comparisonText } from "./net/compare.js";
import { type Net, record } from "./net/record.js";

// `bun scripts/net.ts record <repository> <file.json>`: what the built commands of a repository answer to some ten thousand
// lines: help, completion, wrong words, and the threads of a storage root that has one of every state.
// `bun scripts/net.ts compare <a.json> <b.json> [--all]`: what two builds answer differently, equal differences together;
// exit 1 if there are any. `--all` names every line.

const [verb, from = "", to = "", more] = process.argv.slice(2);

if (verb === "record" && to !== "") {
  const began = performance.now();
  const net = await record(from);
  writeFileSync(to, `${JSON.stringify(net, null, 1)}\n`);
  const counts: Record<string, number> = {};
  for (const { kind } of Object.values(net.lines)) counts[kind] = (counts[kind] ?? 0) + 1;
  for (const [kind, count] of Object.entries(counts)) console.log(`${String(count).padStart(6)}  ${kind}`);
  console.log(`of ${net.commit} in ${Math.round((performance.now() - began) / 1000)} s`);
} else if (verb === "compare" && to !== "") {
  const comparison = compareNets(read(from), read(to));
  process.stdout.write(comparisonText(comparison, more === "--all"));
  process.exitCode = comparison.groups.length > 0 ? 1 : 0;
} else {
  console.error(
    "usage: bun scripts/net.ts record <repository> <file.json> | compare <a.json> <b.json> [--all]",
  );
  process.exitCode = 2;
}

function read(file: string): Net {
  return JSON.parse(readFileSync(file, "utf8"));
}
