/**
 * What an author fixed in headers, cookies, parts of a multipart body and members of a JSON body reaches the upstream
 * once and unchanged, whatever the arguments contain. The readers are those of node and undici: Headers, FormData and JSON.parse.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { UpstreamRequest } from '../../../core/call/upstream.ts'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { type ArgumentPlace, STYLES_IN } from '../../../core/skills/definition/argument-place.ts'
import { inner, object } from '../call/hostile-members.ts'
import { type Part, skill, template } from './parts.ts'

const place = (more: Partial<ArgumentPlace>): ArgumentPlace => ({
  argument: 'f',
  in: 'body',
  name: 'f',
  style: 'form',
  explode: true,
  reserved: false,
  ...more,
})
const TENANT = { type: 'string', enum: ['acme'] }
const parameters = { type: 'object', properties: { tenant: TENANT, f: { type: 'object' } } }
const numRuns = { seed: 95, numRuns: 80 }

/** Undefined for arguments that are refused. */
function sent(part: Part, args: JsonObject): UpstreamRequest | undefined {
  const draft = draftRequest(part, args)
  if (!draft.ok) {
    expect(draft.error.code).toBe('invalid_arguments')
    return undefined
  }
  const request = draft.value.complete(new Map([['KEY', 'own-key']]))
  return request.ok ? request.value : undefined
}

/** Runs the property, and fails where no arguments at all came through. */
function holds(
  part: Part,
  of: fc.Arbitrary<JsonObject>,
  check: (sent: UpstreamRequest) => unknown,
) {
  let count = 0
  const checks: unknown[] = []
  const property = fc.property(of, (args) => {
    const request = sent(part, args)
    if (request === undefined) return
    count += 1
    checks.push(check(request))
  })
  fc.assert(property, numRuns)
  expect(count).toBeGreaterThan(5)
  return Promise.all(checks)
}

const HEADER_STYLES = STYLES_IN.header.flatMap((style) =>
  [true, false].map((explode): [ArgumentPlace['style'], boolean] => [style, explode]),
)

describe.each(HEADER_STYLES)(
  'an argument in a header, in the style %s, explode %s',
  (style, explode) => {
    const fixed = { 'x-tenant': template('acme'), 'x-note': template('{{args.note}}') }
    const places = [place({ in: 'header', name: 'x-f', style, explode })]

    test.each([
      ['cookie', 'cookie', 'sid=own-key'],
      ['header', 'sid', 'own-key'],
    ] as const)(
      `a ${style} header (explode ${explode}) leaves the other headers and the credential in a %s`,
      async (type, name, value) => {
        const auth = { type, secret: 'KEY', name: 'sid' } as const
        const part = skill('https://a.example/x', { parameters, places, headers: fixed, auth })
        const args = fc.record({ f: fc.oneof(object, inner), note: inner })
        await holds(part, args, ({ headers }) => {
          const read = new Headers(headers)
          expect(read.get('x-tenant')).toBe('acme')
          expect(read.get(name)).toBe(value)
          const names = Object.keys(headers).map((one) => one.toLowerCase())
          expect(new Set(names).size).toBe(names.length)
          expect(
            names.filter(
              (one) => !['accept', 'user-agent', 'x-tenant', 'x-note', 'x-f', name].includes(one),
            ),
          ).toEqual([])
        })
      },
    )
  },
)

const BODY_STYLES = STYLES_IN.body
  .filter((style) => style !== 'file')
  .flatMap((style) =>
    [true, false].map((explode): [ArgumentPlace['style'], boolean] => [style, explode]),
  )

/** By undici's reader of multipart bodies. */
function partsOf({ body, headers }: UpstreamRequest): Promise<FormData> {
  return new Response(body ?? '', {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData()
}

describe.each(BODY_STYLES)(
  'an object argument in the style %s with explode %s',
  (style, explode) => {
    test(`a ${style} object (explode ${explode}) adds no part that another argument fills`, async () => {
      const part = skill('https://a.example/x', {
        method: 'POST',
        parameters,
        bodyAs: 'multipart',
        places: [place({ style, explode })],
      })
      const args = object.map((f): JsonObject => ({ f, tenant: 'acme' }))
      await holds(part, args, async (request) => {
        expect((await partsOf(request)).getAll('tenant')).toEqual(['acme'])
      })
    })
  },
)

test('arguments that no schema names add no part and no member under the name of another argument', async () => {
  for (const bodyAs of ['multipart', 'json'] as const) {
    const part = skill('https://a.example/x', {
      method: 'POST',
      parameters: { type: 'object', properties: { owner: { type: 'string' } } },
      bodyAs,
      places: [place({ argument: 'owner', name: 'tenant' })],
    })
    const args = object.map((more): JsonObject => ({ ...more, owner: 'acme' }))
    await holds(part, args, async (request) => {
      if (bodyAs === 'multipart') {
        expect((await partsOf(request)).getAll('tenant')).toEqual(['acme'])
        return
      }
      const body = JSON.parse(String(request.body))
      const named = Object.entries(isJsonObject(body) ? body : {}).filter(
        ([name]) => name.toLowerCase() === 'tenant',
      )
      expect(named).toEqual([['tenant', 'acme']])
    })
  }
})
