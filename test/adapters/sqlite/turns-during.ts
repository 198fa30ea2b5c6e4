/** Counts the turns of the event loop that others get while work goes on. */
export async function turnsDuring<T>(
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly turns: number }> {
  let turns = 0
  let isGoingOn = true
  const count = () => {
    turns += 1
    if (isGoingOn) setImmediate(count)
  }
  setImmediate(count)
  const done = await work()
  isGoingOn = false
  return { done, turns }
}
