import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Subject } from "../types.js";

const OTHERS: ReadonlySet<string> = new Set(["index.ts", "under-adapter.ts"]);

/** The real agents, each under one of ours: every other file of this folder exports one. */
export async function loadSubjects(): Promise<readonly Subject[]> {
  const files = readdirSync(import.meta.dirname).filter((file) => !OTHERS.has(file));
  const modules = files.sort().map((file) => import(join(import.meta.dirname, file)) as Promise<object>);
  return (await Promise.all(modules)).flatMap((module) => Object.values(module).filter(isSubject));
}

function isSubject(value: unknown): value is Subject {
  return typeof value === "object" && value !== null && "configure" in value && "givesUpAfter" in value;
}
