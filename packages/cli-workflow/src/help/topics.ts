import type { Topic, TopicName } from "../line/index.js";
import { ADDED } from "./added.made.js";
import { agents } from "./agents.js";
import { conditions } from "./conditions.js";
import { configuration, scenarios, storage, workflows } from "./files.js";
import { environment, exitCodes } from "./tables.js";

const BY_NAME: Readonly<Record<TopicName, Topic>> = {
  agents,
  conditions,
  configuration,
  environment,
  "exit-codes": exitCodes,
  scenarios,
  storage,
  workflows,
};

/** The topics of `uwf help`, by name. */
export const TOPICS: readonly Topic[] = [...Object.values(BY_NAME), ...ADDED].sort((a, b) =>
  a.name < b.name ? -1 : 1,
);
