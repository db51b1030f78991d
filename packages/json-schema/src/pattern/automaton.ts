import { PatternError } from "./parse.js";
import type { Automaton, PatternNode, State } from "./types.js";

/** Bounded repetitions are written out, so `(a{1000}){1000}` would be a million states. */
const MAX_STATES = 10_000;

/** Thompson's construction, from the end to the front: each part is built knowing the state that follows it. */
export function buildAutomaton(pattern: PatternNode): Automaton {
  const states: State[] = [{ kind: "match" }];
  const start = build(pattern, 0, states);
  return { states, start };
}

function build(node: PatternNode, next: number, states: State[]): number {
  switch (node.kind) {
    case "char":
      return push(states, { kind: "char", test: node.test, next });
    case "assert":
      return push(states, { kind: "assert", assertion: node.assertion, next });
    case "sequence":
      return node.nodes.reduceRight((after, part) => build(part, after, states), next);
    case "choice":
      return buildChoice(node.nodes, next, states);
    case "repeat":
      return buildRepeat(node, next, states);
  }
}

function buildChoice(nodes: readonly PatternNode[], next: number, states: State[]): number {
  const starts = nodes.map((node) => build(node, next, states));
  return starts.reduce((other, start) => push(states, { kind: "split", next: other, other: start }));
}

function buildRepeat(node: PatternNode & { kind: "repeat" }, next: number, states: State[]): number {
  let entry = node.max === Infinity ? buildLoop(node.node, next, states) : next;
  const optional = node.max === Infinity ? 0 : node.max - node.min;
  for (let round = 0; round < optional; round += 1) {
    entry = push(states, { kind: "split", next: build(node.node, entry, states), other: next });
  }
  for (let round = 0; round < node.min; round += 1) {
    const earlier = build(node.node, entry, states);
    // Something empty: a billion times nothing is nothing.
    if (earlier === entry) break;
    entry = earlier;
  }
  return entry;
}

function buildLoop(body: PatternNode, next: number, states: State[]): number {
  const loop = push(states, { kind: "match" });
  states[loop] = { kind: "split", next: build(body, loop, states), other: next };
  return loop;
}

function push(states: State[], state: State): number {
  if (states.length >= MAX_STATES) throw new PatternError("repeats too much to be matched in bounded memory");
  states.push(state);
  return states.length - 1;
}
