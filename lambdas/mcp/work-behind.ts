/** Work that goes on behind an answer: settling a call, or refunding one that was cut. */

export type WorkBehind = {
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when none is left, also none that began meanwhile; never rejects. */
  done(): Promise<void>
}

export function workBehind(): WorkBehind {
  const running = new Set<Promise<void>>()
  return {
    track: (work) => {
      const ended: Promise<void> = work.then(ignore, ignore)
      running.add(ended)
      void ended.then(() => running.delete(ended))
      return work
    },
    done: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

function ignore(): void {}
