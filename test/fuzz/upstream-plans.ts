/** Plans of an upstream: usually a correct answer, otherwise any kind of fault. */
import fc from 'fast-check'
import { JSON_TEXTS } from './json-texts.ts'

export type UpstreamPlan =
  /** Answers its request: URL, headers, body. */
  | { readonly kind: 'echo' }
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly mediaType: string
      readonly charset: string
      /** latin1. */
      readonly body: string
      readonly retryAfter: string | undefined
    }
  | { readonly kind: 'hang' | 'unreachable' | 'refused_target' | 'too_large' | 'throw' }

export const upstreamPlans: fc.Arbitrary<UpstreamPlan> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ kind: 'echo' as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      status: fc.constantFrom(
        200,
        200,
        200,
        200,
        201,
        204,
        100,
        199,
        299,
        300,
        304,
        401,
        404,
        429,
        500,
        503,
        599,
        999,
      ),
      mediaType: fc.constantFrom(
        'application/json',
        'application/json',
        'text/plain',
        'text/html',
        'image/png',
        'audio/wav',
        '',
        'application/octet-stream',
        'application/problem+json',
        'IMAGE/',
        'text/\u00e9',
        'x'.repeat(500),
      ),
      charset: fc.constantFrom(
        'utf-8',
        'utf-8',
        'latin1',
        'utf-16le',
        'no-such',
        '',
        'x'.repeat(500),
        'utf-8"',
      ),
      body: fc.oneof(
        fc.constantFrom(...JSON_TEXTS),
        fc.string({ unit: 'binary-ascii', maxLength: 200 }),
        fc.constantFrom(
          '',
          '\xff\xfe',
          '\0',
          '\xed\xa0\x80',
          '{"content":[{"type":"text","text":"a"}]}',
          '<svg/>',
        ),
        fc.constantFrom(
          '[{"type":"image","data":"%","mimeType":"a"}]',
          '{"resultType":"input_required","requestState":"s"}',
          '{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}',
          '{"content":[{"type":"x"}],"isError":true}',
        ),
      ),
      retryAfter: fc.constantFrom(
        undefined,
        undefined,
        '0',
        '1',
        '-1',
        '999999999999999999999',
        'soon',
        '',
        'Wed, 18 May 2033 03:33:21 GMT',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'hang' as const,
        'unreachable',
        'unreachable',
        'refused_target',
        'too_large',
        'throw',
      ),
    }),
  },
)
