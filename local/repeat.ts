/** Work of the twin that is done again and again: never twice at once, and never after its end. */

export type Repeated = {
  /** Starts no further run; resolves when the current one has ended. */
  stop(): Promise<void>
}

/** `run` never rejects; it answers the pause before the next run, in milliseconds. */
export function repeat(run: () => Promise<number>, firstPauseMs: number): Repeated {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let stopped = false
  const again = async () => {
    const pauseMs = await run()
    if (!stopped) timer = setTimeout(start, pauseMs)
  }
  const start = () => {
    running = again()
  }
  timer = setTimeout(start, firstPauseMs)
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
