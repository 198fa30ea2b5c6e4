/** Headers that hold a placeholder in place of a credential: what is recognised, and what is repeated. */
import { describe, expect, test } from 'vitest'
import {
  explainUnsendableSecret,
  readAdminCredential,
} from '../../../core/access/admin-credential.ts'
import { readAuthorization } from '../../../core/access/api-key.ts'
import { PLACEHOLDER_NAME_CHARS_MAX, readPlaceholder } from '../../../core/access/placeholder.ts'

const braces = (text: string) => `$`.concat(`{${text}}`)

function explain(token: string): string {
  const sent = readAuthorization(`Bearer ${token}`)
  return sent.kind === 'malformed' ? `${sent.code} ${sent.detail}` : sent.kind
}

describe('a placeholder of a variable', () => {
  test.each([
    [braces('SKILLGATE_KEY'), 'SKILLGATE_KEY'],
    [braces('env:SKILLGATE_KEY'), 'SKILLGATE_KEY'],
    ['$SKILLGATE_KEY', 'SKILLGATE_KEY'],
    ['$env:SKILLGATE_KEY', 'SKILLGATE_KEY'],
    ['%SKILLGATE_KEY%', 'SKILLGATE_KEY'],
    ['{{x}}', 'x'],
    ['{env:SKILLGATE_KEY}', 'SKILLGATE_KEY'],
  ])('such as %s is refused, and the answer names what to set', (token, variable) => {
    expect(explain(token)).toBe(
      `unauthenticated Authorization: the client sent ${token} and not its value; set ${variable} where the client starts, and start it again. A client that expands no variables needs the key itself: skillgate connect CLIENT --key-in-file`,
    )
  })

  test('is recognised with spaces inside, and without the scheme', () => {
    expect(explain('{{ SKILLGATE_KEY }}')).toContain('set SKILLGATE_KEY where the client starts')
    expect(readAuthorization(braces('SKILLGATE_KEY'))).toMatchObject({
      detail: expect.stringContaining('set SKILLGATE_KEY where'),
    })
  })

  test('has its name in the answer up to 40 characters, and not with one more', () => {
    expect(PLACEHOLDER_NAME_CHARS_MAX).toBe(40)
    expect(explain(braces('A'.repeat(40)))).toContain('A'.repeat(40))
    expect(explain(braces('A'.repeat(41)))).toContain(
      'sent a placeholder and not its value; set the variable where',
    )
  })
})

test('a key between the brackets of a placeholder is never repeated', () => {
  const key = `sgk_${'k'.repeat(43)}`
  for (const token of [braces(key), `{{${key}}}`, `<${key}>`, braces('a b&c'), `$${key}`]) {
    expect(explain(token)).toMatch(/^unauthenticated /)
    expect(explain(token)).not.toMatch(/kkkk|b&c/)
  }
})

test('a place to fill in, as documents have it, is refused with what to do', () => {
  const detail = 'holds <…> of an example; put the key in its place, without the brackets'
  expect(explain('<your key>')).toBe(`unauthenticated Authorization: ${detail}`)
})

test.each(['old:key!$(1)|"2"', 'a$b', '$', '%', '%a', '{', '{}x', 'a{{b}}', '$1', '<a><b>', '{a}'])(
  'the text %s is no placeholder, since it may be a key of the earlier service',
  (text) => {
    expect(readPlaceholder(text)).toBe(undefined)
  },
)

test('a header of brackets alone is read in time that grows with its length', () => {
  const started = performance.now()
  for (const text of ['${', '{{', '<', '%', '${ ']) readPlaceholder(text.repeat(2_000_000))
  readPlaceholder(`${braces(' '.repeat(2_000_000))}x`)
  expect(performance.now() - started).toBeLessThan(1_000)
})

describe('the admin door', () => {
  test('refuses a placeholder in X-Admin-Key, and names the variable', () => {
    const adminKey = braces('ADMIN_KEY')
    expect(readAdminCredential({ authorization: undefined, adminKey })).toEqual({
      kind: 'malformed',
      code: 'unauthenticated',
      detail: `X-Admin-Key: holds ${adminKey} and not its value; set ADMIN_KEY, or send the admin key itself`,
    })
    expect(readAdminCredential({ authorization: undefined, adminKey: '<ADMIN_KEY>' })).toEqual({
      kind: 'malformed',
      code: 'unauthenticated',
      detail:
        'X-Admin-Key: holds <…> of an example; put the admin key in its place, without the brackets',
    })
  })

  test('is not configured with a placeholder as its secret', () => {
    const detail = 'is a placeholder that was not expanded; give the secret itself'
    const value = braces('INTERNAL_API_SECRET')
    expect(explainUnsendableSecret('internal-api-secret', value)).toBe(detail)
    expect(explainUnsendableSecret('admin-key', value)).toBe(detail)
  })
})
