import { putSchema } from "@uncaged/json-cas";
import { readJsonArgument } from "../input/index.js";
import { done } from "./answer.js";
import type { CasCommand } from "./types.js";

export const schemaPut: CasCommand<{ readonly json: string }> = async ({ store, readStdin }, { json }) =>
  done({ hash: await putSchema(store, readJsonArgument(json, readStdin)) });
