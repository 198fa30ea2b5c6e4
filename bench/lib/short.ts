/**
 * `-- --short`, which every bench takes: few rounds, few calls, small crowds. All answers are checked as ever, but no goal is
 * judged, since figures of so few calls say nothing. `npm run bench:short` runs all benches so, to find those that no longer work.
 */
export const OPTION = '--short'
const given = process.argv.slice(2)

export const IS_SHORT = given.includes(OPTION)

/** What else was given to the bench. */
export const WORDS: readonly string[] = given.filter((word) => word !== OPTION)

export function inShort<T>(whole: T, short: T): T {
  return IS_SHORT ? short : whole
}

/** Fails the run when a goal was missed. */
export function judge(hasMet: boolean): void {
  if (!hasMet && !IS_SHORT) process.exitCode = 1
}

/** How a bench that cannot run on this machine says so. */
export const NOT_MEASURED = 'Not measured: '
