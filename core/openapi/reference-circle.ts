/** Whether definitions refer to themselves, directly or by others. */

/** Walks depth first without recursion: a chain of references may be long. */
export function hasCircle(edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const done = new Set<string>()
  return [...edges.keys()].some((name) => !done.has(name) && circleFrom(name, edges, done))
}

function circleFrom(
  start: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  done: Set<string>,
): boolean {
  const open = new Set<string>([start])
  const stack = [{ name: start, next: [...(edges.get(start) ?? [])] }]
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const to = at.next.pop()
    if (to === undefined) {
      open.delete(at.name)
      done.add(at.name)
      stack.pop()
    } else if (open.has(to)) return true
    else if (!done.has(to)) {
      open.add(to)
      stack.push({ name: to, next: [...(edges.get(to) ?? [])] })
    }
  }
  return false
}
