/** Random changes of any text: untargeted edits find faults that no one thought of. */
import fc from 'fast-check'

export type Change = {
  readonly atThousandths: number
  readonly removed: number
  readonly added: string
}

/** Changes of any text. */
export const changes: fc.Arbitrary<readonly Change[]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.record({
        atThousandths: fc.nat({ max: 999 }),
        removed: fc.constantFrom(0, 0, 1, 1, 2, 10),
        added: fc.constantFrom(
          '',
          '',
          '\0',
          '\ufeff',
          '\ud83d',
          '"',
          '\\',
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '\n',
          '\r\n',
          ' ',
          '\\u0000',
          '\\ud800',
          'e',
          '-',
          '0',
          '9'.repeat(400),
          '%',
          '%00',
          '%ff',
          '&',
          '=',
          ';',
          '\u00e9',
        ),
      }),
      { maxLength: 3 },
    ),
  },
)

export function changed(text: string, made: readonly Change[]): string {
  return made.reduce((before, { added, atThousandths, removed }) => {
    const at = Math.floor((atThousandths * before.length) / 1_000)
    return before.slice(0, at) + added + before.slice(at + removed)
  }, text)
}
