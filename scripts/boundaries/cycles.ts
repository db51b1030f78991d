/** Cycles of a graph, each once, starting at its smallest node. Not all of them: one per group that hangs together. */
export function findCycles(graph: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const reported = new Set<string>();
  for (const start of [...graph.keys()].sort()) {
    if (reported.has(start)) continue;
    const cycle = shortestWayBack(graph, start);
    if (cycle === null) continue;
    found.push(cycle);
    for (const node of cycle) reported.add(node);
  }
  return found;
}

/** Breadth first from `start` until it is met again. */
function shortestWayBack(
  graph: ReadonlyMap<string, ReadonlySet<string>>,
  start: string,
): readonly string[] | null {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) return pathTo(cameFrom, start, node);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return null;
}

function pathTo(cameFrom: ReadonlyMap<string, string>, start: string, last: string): readonly string[] {
  const path = [last];
  for (let node = last; node !== start; ) {
    node = cameFrom.get(node) ?? start;
    path.unshift(node);
  }
  return path;
}

export function addEdge(graph: Map<string, Set<string>>, from: string, to: string): void {
  const known = graph.get(from);
  if (known === undefined) graph.set(from, new Set([to]));
  else known.add(to);
}
