import { join } from "node:path";
import type { AtRoot } from "./types.js";

export function configFile({ root }: AtRoot): string {
  return join(root, "config.yaml");
}

export function envFile({ root }: AtRoot): string {
  return join(root, ".env");
}
