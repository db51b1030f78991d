import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Kind } from "../frame/index.js";
import { openWorld, RUNTIMES } from "../world/index.js";
import { newKey } from "./keys.js";
import { watchListings } from "./listings.js";
import { leaksIn, leaksInText } from "./search.js";
import { tellStory } from "./story.js";

const PROMISE = "keys reach no output, no file but .env, and no process listing";

/** Keys in `.env` and in the environment; agents and a model that repeat them wherever they can; then everything is searched. */
export const secrets: Kind = {
  name: "secrets",
  title:
    "keys planted, agents and a model that repeat them; outputs, the storage root and process listings searched",
  sampleRounds: 1,
  weight: 1,
  goals: { "outputs searched": 100, "files searched": 100 },
  run: async (session) => {
    for (let round = 0; session.more(round); round += 1) {
      const runtime = RUNTIMES[round % RUNTIMES.length] ?? RUNTIMES[0];
      const folder = join(session.folder, `round-${round}`);
      mkdirSync(folder);
      const keys = ["LOCAL_API_KEY", "EXTRA_TOKEN", "OTHER_API_KEY"].map((name) =>
        newKey(name, session.random),
      );
      const listings = watchListings();
      const world = openWorld(folder, runtime);
      const outputs = await tellStory(session, world, keys).finally(() => {
        const { lines, looks } = listings.stop();
        session.count("looks at process listings", looks);
        for (const line of lines) {
          for (const leak of leaksInText("a process listing", line, keys)) session.broken(PROMISE, leak);
        }
      });
      for (const { title, text } of outputs) {
        session.count("outputs searched");
        session.count("marks in the place of keys", text.split("[redacted:").length - 1);
        for (const leak of leaksInText(title, text, keys))
          session.broken(PROMISE, `seed ${session.seed}: ${leak}`);
      }
      for (const leak of leaksIn(world.root, keys)) session.broken(PROMISE, `seed ${session.seed}: ${leak}`);
      session.count("files searched", readdirSync(world.root, { recursive: true }).length);
    }
  },
};
