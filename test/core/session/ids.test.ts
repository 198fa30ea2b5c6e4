import { describe, expect, test } from 'vitest'
import { isSessionId } from '../../../core/session/session.ts'

const ID = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN_-9'

describe('session ids', () => {
  test('a session id has 43 characters of base64url', () => {
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
  ])('%s is not a session id', (_what, text) => {
    expect(isSessionId(text)).toBe(false)
  })
})
