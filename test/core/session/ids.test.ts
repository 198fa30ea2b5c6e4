import { describe, expect, test } from 'vitest'
import { callIdOf } from '../../../core/session/call-id.ts'
import { isSessionId } from '../../../core/session/session-id.ts'

const ID = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN_-9'

describe('session ids', () => {
  test('43 characters of base64url are one', () => {
    expect(ID).toHaveLength(43)
    expect(isSessionId(ID)).toBe(true)
  })

  test.each([
    ['42 characters', ID.slice(1)],
    ['44 characters', `${ID}a`],
    ['nothing', ''],
    ['padding', `${ID.slice(1)}=`],
    ['a line feed at the end', `${ID}\n`],
    ['a slash', `${ID.slice(1)}/`],
    ['a letter that is not ASCII', `${ID.slice(1)}é`],
  ])('%s is none', (_what, text) => {
    expect(isSessionId(text)).toBe(false)
  })
})

describe('call ids', () => {
  const digests = { sha256: (text: string) => `<${text}>` }

  test('are made of the session and the number of the request', () => {
    expect(callIdOf(digests, 'h', 7)).toBe('<call:h#7>')
  })

  test('differ by session and by number', () => {
    const ids = [callIdOf(digests, 'h', 1), callIdOf(digests, 'h', 2), callIdOf(digests, 'i', 1)]
    expect(new Set(ids).size).toBe(3)
  })
})
