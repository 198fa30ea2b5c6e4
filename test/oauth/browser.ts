/** The browser of a person, which counts the pages that a client opens. */
import type { Person } from './agent.ts'

export type Browser = {
  readonly person: Person
  pages(): number
  /** From now on the person logs in nowhere. Resolves when a page was opened. */
  refuse(): Promise<void>
}

/** A person who logs in by `logIn`, with the count of pages. */
export function watchPages(logIn: Person): Browser {
  const refused = Promise.withResolvers<void>()
  let pages = 0
  let isWilling = true
  return {
    person: async (page) => {
      pages += 1
      if (isWilling) return logIn(page)
      refused.resolve()
      throw new Error('the person did not log in')
    },
    pages: () => pages,
    refuse: () => {
      isWilling = false
      return refused.promise
    },
  }
}
