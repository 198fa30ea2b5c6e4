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
  const left = [{ name: start, next: [...(edges.get(start) ?? [])] }]
  for (let at = left.at(-1); at !== undefined; at = left.at(-1)) {
    const to = at.next.pop()
    if (to === undefined) {
      open.delete(at.name)
      done.add(at.name)
      left.pop()
    } else if (open.has(to)) return true
    else if (!done.has(to)) {
      open.add(to)
      left.push({ name: to, next: [...(edges.get(to) ?? [])] })
    }
  }
  return false
}
