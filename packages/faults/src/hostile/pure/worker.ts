import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SUBJECTS } from "./subjects.js";

// `bun worker.ts <folder> <subject> <seed> <deadline, epoch ms> <slow ms>`: batches of one subject until the time is over, in a
// process of its own, because nothing else can tell a case that never ends. One line before each batch, one behind.

const [folder = "", name = "", seed = "0", deadline = "0", slowMs = "0"] = process.argv.slice(2);
const subject = SUBJECTS.find((each) => each.name === name);
if (subject === undefined) throw new Error(`there is no subject ${name}`);
const own = join(folder, name.replaceAll(" ", "-"));
mkdirSync(own, { recursive: true });
const batch = await subject.open({ folder: own, slowMs: Number(slowMs) });
for (let round = 0; round === 0 || Date.now() < Number(deadline); round += 1) {
  const batchSeed = Number(seed) + round;
  console.log(JSON.stringify({ seed: batchSeed }));
  const report = await batch(batchSeed, subject.batch);
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ seed: batchSeed, peakMb, ...report }));
  if (report.failure !== null) break;
}
process.exit(0);
