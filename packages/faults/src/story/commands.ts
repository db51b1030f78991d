import { join } from "node:path";
import type { Doc, Ran, World } from "../world/index.js";
import type { Command, Scene } from "./types.js";

export const WORKFLOW = join(import.meta.dirname, "../world/turns.yaml");

/** Where a world has the file of its workflow. */
export const definition = ({ cwd }: World): string => join(cwd, "turns.yaml");

export const put: Command = { line: (world) => ["workflow", "put", definition(world)], codes: [0] };

export const start: Command = { line: () => ["thread", "start", "turns", "-p", "Do it"], codes: [0] };

export function stepOf(thread: string): Command {
  return { line: ({ agent }) => ["thread", "step", thread, ...agent], codes: [0] };
}

/** Killing what is killed already says so. */
export function killOf(thread: string): Command {
  return { line: () => ["thread", "kill", thread], codes: [0, 8] };
}

/** A scene that stands alone: nobody has to type anything after it. */
export function scene(name: string, command: Command, threads: readonly string[]): Scene {
  return { ...command, name, threads, again: [], gives: [], roles: ["uwf", "agent"], meanwhile: null };
}

export function docOf({ stdout }: Ran): Doc {
  return JSON.parse(stdout);
}
