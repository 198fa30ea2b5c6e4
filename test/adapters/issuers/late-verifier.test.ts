/** Which tokens are verified at all. */
import { expect, test } from 'vitest'
import { mayBeOfIssuer } from '../../../adapters/issuers/token-form.ts'
import { toIssuer } from '../../../core/issuers/issuer-setting.ts'

const JWTS = toIssuer({ issuer: 'https://login.example', audiences: ['a'] })
const OPAQUE = toIssuer({
  issuer: 'https://login.example',
  audiences: ['a'],
  introspection: { url: 'https://login.example/i', clientId: 'c', clientSecret: 's' },
})

test.each([
  ['eyJ.eyJ.c2ln', [true, true]],
  ['eyJ.eyJ.', [true, true]],
  ['opaque', [false, true]],
  [`sgk_${'a'.repeat(43)}`, [false, false]],
  ['sgs_a.b.c', [false, false]],
  ['sgt_a.b.c', [false, false]],
  ['sga_x', [false, false]],
])('the token %s may be of an issuer with JWTs, with opaque tokens: %j', (token, expected) => {
  expect([mayBeOfIssuer([JWTS], token), mayBeOfIssuer([OPAQUE], token)]).toEqual(expected)
  expect(mayBeOfIssuer([], token)).toBe(false)
})
