/**
 * The option `-- --short`, which every bench takes: few rounds, few calls, few streams. All
 * responses are checked as usual, but no goal is checked, because figures of so few calls say
 * nothing. `npm run bench:short` runs all benches with it, to find benches that no longer work.
 */
export const SHORT_OPTION = '--short'
const given = process.argv.slice(2)

export const IS_SHORT = given.includes(SHORT_OPTION)

/** The other arguments of the bench. */
export const BENCH_WORDS: readonly string[] = given.filter((word) => word !== SHORT_OPTION)

export function chooseByLength<T>(whole: T, short: T): T {
  return IS_SHORT ? short : whole
}

/** Fails the run if a goal was missed. */
export function failIfMissed(hasMet: boolean): void {
  if (!hasMet && !IS_SHORT) process.exitCode = 1
}

/** The words by which a bench says that it cannot run on this machine. */
export const NOT_MEASURED = 'Not measured: '
