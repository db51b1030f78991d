import type { Call, Role, Target } from "../inject/index.js";
import type { Ran, World } from "../world/index.js";

/** A command line; it may name files of the world that it runs in. */
export type Line = (world: World) => readonly string[];

/** What a person types, and the exit codes that are right. */
export type Command = { readonly line: Line; readonly codes: readonly number[] };

/** One command of the story. */
export type Scene = Command & {
  readonly name: string;
  /** Threads that exist before it. */
  readonly threads: readonly string[];
  /** What a person types after a crash, before going on with the threads. */
  readonly again: readonly Command[];
  /** Threads that exist once it has been given again. */
  readonly gives: readonly string[];
  /** Whose deaths show something new here: an agent of a first step does what the agent of any other does. */
  readonly roles: readonly Role[];
  /**
   * Starts what goes on at the same time, and resolves when it does; `null` for a command that is alone. What such a
   * command meets depends on the moment, so how many calls it makes does too.
   */
  readonly meanwhile: ((world: World) => Promise<void>) | null;
};

/** A scene with all that is known of its undisturbed run. */
export type Stage = Scene & {
  readonly before: World;
  /** All calls of uwf and of its agent, and the root in which they were made. */
  readonly calls: readonly Call[];
  readonly root: string;
  /** What the store says before and after it. */
  readonly shapes: { readonly before: string; readonly after: string };
};

export type Teller = {
  /** Keeps the world as it is, then runs the scene in it. */
  readonly tell: (world: World, scene: Scene) => Promise<Ran>;
  /** Lets a command die on the way. */
  readonly strike: (world: World, command: Command, target: Target) => Promise<void>;
  /** A copy of the world before a stage. */
  readonly copyOf: (stage: string) => World;
  /** The first call that fits of a stage. */
  readonly callOf: (stage: string, fits: (call: Call) => boolean) => Call;
  readonly stages: readonly Stage[];
};
