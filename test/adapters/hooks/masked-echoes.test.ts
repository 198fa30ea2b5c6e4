/** A token of the call that an upstream echoes in any spelling is in no result, whatever hook converts it. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeCsvToJsonHook } from '../../../adapters/hooks/csv-to-json.ts'
import type { Hook } from '../../../adapters/hooks/hook.ts'
import { makeHtmlToMarkdownHook } from '../../../adapters/hooks/html-to-markdown.ts'
import { LATE_CONVERTERS } from '../../../adapters/hooks/registry.ts'
import { makeXmlToJsonHook } from '../../../adapters/hooks/xml-to-json.ts'
import { makeExcerpt } from '../../../core/response/excerpt.ts'
import { writeBadStatus } from '../../../core/response/failure-text.ts'
import { makeMask } from '../../../core/response/mask.ts'
import { contextOf, responseOf } from '../../contracts/hook-rounds.ts'
import { resultOf } from '../../core/response/responses.ts'

const NO_CASE = {
  options: {},
  secrets: {},
  badOptions: [],
  make: () => makeCsvToJsonHook(LATE_CONVERTERS),
}
/** What a token or a password may have that some format escapes. */
const tokens = fc.string({
  minLength: 8,
  maxLength: 24,
  unit: fc.constantFrom(...'aZ19_-*+/=.~&<>"\'#%:;|[]()!`$'),
})
const refs = (text: string) => [...text].map((char) => `&#${char.codePointAt(0)};`).join('')
const escaped = (text: string) =>
  text.replace(/[&<>"'/`=+]/g, (char) => `&#x${char.charCodeAt(0).toString(16)};`)

const PAGES: readonly (readonly [string, string, Hook, (echo: string) => string])[] = [
  [
    'a page for Markdown',
    'text/html',
    makeHtmlToMarkdownHook({ convertHtml: LATE_CONVERTERS.html }),
    (echo) => `<p>you sent ${echo}</p><pre>${echo}</pre><a href="/x?t=${echo}">back</a>`,
  ],
  [
    'XML for JSON',
    'application/xml',
    makeXmlToJsonHook(LATE_CONVERTERS),
    (echo) => `<r a="${echo}"><t>${echo}</t></r>`,
  ],
  [
    'CSV for JSON',
    'text/csv',
    makeCsvToJsonHook(LATE_CONVERTERS),
    (echo) => `name,value\r\nx,"${echo.replaceAll('"', '""')}"\r\n`,
  ],
]

/** Whether any text in it is the token, as it is or behind the escapes of Markdown. */
function shows(value: unknown, token: string): boolean {
  const text = JSON.stringify(value)
  const parsed: string[] = []
  JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'string') parsed.push(member, member.replace(/\\([^0-9A-Za-z])/g, '$1'))
    return member
  })
  return [text, ...parsed].some((one) => one.includes(token))
}

describe.each(PAGES)('a token that is echoed in %s', (_name, mediaType, hook, write) => {
  test.each([
    ['as it is escaped there', escaped],
    ['as references alone', refs],
  ])('a token that is echoed %s is masked before the conversion', async (_how, encode) => {
    const property = fc.asyncProperty(tokens, async (token) => {
      const context = contextOf(NO_CASE)
      // A hook got it in exchange for a secret, as an access token of OAuth.
      context.conceal('TOKEN', token)
      const body = write(encode(token))
      const answered = await hook.after?.(responseOf(body, { mediaType }), context)
      const mask = makeMask([['TOKEN', token]])
      if (answered === undefined || !answered.ok || answered.value === 'again') {
        expect(answered).toMatchObject({ ok: false })
        expect(shows(answered, token)).toBe(false)
        return
      }
      expect(shows(resultOf(answered.value, {}, mask), token)).toBe(false)
      expect(shows(makeExcerpt(answered.value, { args: {}, mask }), token)).toBe(false)
      const failed = { ...responseOf(body, { mediaType }), status: 500 }
      expect(shows(writeBadStatus(failed, mask), token)).toBe(false)
    })
    await fc.assert(property, { seed: 94, numRuns: 60 })
  })
})
