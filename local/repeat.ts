/** Repeats work of the twin: never twice at once, and never after its stop. */

export type RepeatedWork = {
  /** Starts no further run; resolves when the current run has ended. */
  stop(): Promise<void>
}

/**
 * Runs `run` again and again. `run` must not reject; it returns the pause before the next run, in
 * milliseconds.
 */
export function repeat(run: () => Promise<number>, firstPauseMs: number): RepeatedWork {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isStopped = false
  const runAndSchedule = async () => {
    const pauseMs = await run()
    if (!isStopped) timer = setTimeout(start, pauseMs)
  }
  const start = () => {
    running = runAndSchedule()
  }
  timer = setTimeout(start, firstPauseMs)
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
