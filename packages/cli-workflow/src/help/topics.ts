import type { TopicName } from "../line/index.js";
import { ADDED } from "./added.made.js";
import { topic as agents } from "./agents.js";
import { topic as conditions } from "./conditions.js";
import { topic as configuration } from "./configuration.js";
import { topic as environment } from "./environment.js";
import { topic as exitCodes } from "./exit-codes.js";
import { topic as scenarios } from "./scenarios.js";
import { topic as storage } from "./storage.js";
import type { Topic } from "./types.js";
import { topic as workflows } from "./workflows.js";

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
