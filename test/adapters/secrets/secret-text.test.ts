import { describe, expect, test } from 'vitest'
import { readSecretText } from '../../../adapters/secrets/secret-text.ts'
import { Fault } from '../../../core/errors.ts'

const ADMIN = { kind: 'admin-key', id: 'skillgate/admin' } as const
const INTERNAL = { kind: 'internal-api-secret', id: 'skillgate/internal' } as const

function faultOf(of: typeof ADMIN | typeof INTERNAL, text: string | undefined): string {
  try {
    readSecretText(of, text)
  } catch (cause) {
    if (cause instanceof Fault && cause.code === 'store_unavailable') return cause.message
    throw cause
  }
  throw new Error('was taken')
}

test('the current value comes first, the previous one after it', () => {
  expect(readSecretText(ADMIN, '{"current":"0123456789abcdef"}')).toEqual(['0123456789abcdef'])
  const rotated = '{"previous":"fedcba9876543210","current":"0123456789abcdef","note":"x"}'
  expect(readSecretText(ADMIN, rotated)).toEqual(['0123456789abcdef', 'fedcba9876543210'])
})

describe('a malformed text', () => {
  test.each([
    [
      undefined,
      'holds no text; write {"current":"…"}, and "previous" beside it while it is rotated',
    ],
    [
      'hunter2-hunter2-hunter2',
      'is not JSON at line 1, column 1: this is not a value; a text is in double quotes',
    ],
    ['', 'is empty; send one JSON value'],
    [
      '["0123456789abcdef"]',
      'is not an object; write {"current":"…"}, and "previous" beside it while it is rotated',
    ],
    [
      '{"previous":"0123456789abcdef"}',
      'current: is missing; write {"current":"…"}, and "previous" beside it while it is rotated',
    ],
    [
      '{"current":1234567890123456}',
      'current: is not a text; write {"current":"…"}, and "previous" beside it while it is rotated',
    ],
    [
      '{"current":"0123456789abcdef","previous":null}',
      'previous: is not a text; write {"current":"…"}, and "previous" beside it while it is rotated',
    ],
    ['{"current":"0123456789abcde"}', 'current: is too short; give 16 characters or more'],
    [
      '{"current":"0123456789abcdef","previous":""}',
      'previous: is too short; give 16 characters or more',
    ],
  ])('the text %j is refused by secret and field', (text, fault) => {
    expect(faultOf(ADMIN, text)).toBe(`secret skillgate/admin: ${fault}`)
  })

  test('a value that no header can carry is refused', () => {
    expect(faultOf(ADMIN, '{"current":"0123456789, abcdef"}')).toBe(
      'secret skillgate/admin: current: cannot be sent as X-Admin-Key; give visible ASCII without a comma in a header of at most 8192 bytes',
    )
    expect(faultOf(INTERNAL, '{"current":"0123456789!abcdef"}')).toBe(
      'secret skillgate/internal: current: cannot be sent as Bearer; give letters, digits and ._~+/- in a header of at most 8192 bytes',
    )
  })

  test('a refused value is in no message', () => {
    for (const text of ['{"current":"hunter2"}', 'hunter2', '{"current":"hunter2, hunter2 hun"}']) {
      expect(faultOf(ADMIN, text)).not.toContain('hunter2')
    }
  })
})

test('a text of 65,536 bytes is accepted, one byte more is refused', () => {
  const text = '{"current":"0123456789abcdef"}'
  expect(readSecretText(ADMIN, text.padEnd(65_536))).toEqual(['0123456789abcdef'])
  expect(faultOf(ADMIN, text.padEnd(65_537))).toContain('65536')
})
