/** Choices that are usually correct. */
import fc from 'fast-check'

/** Picks one of `odd` for each `weight` of `usual`. */
export const rarely = <T>(
  usual: readonly T[],
  odd: readonly T[],
  weight: number,
): fc.Arbitrary<T> =>
  fc.oneof(
    { weight, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  )
