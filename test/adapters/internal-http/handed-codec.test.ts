import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeHandedMessage,
  encodeHandedMessage,
  HANDED_BYTES_MAX,
} from '../../../adapters/internal-http/handed-codec.ts'
import { Fault } from '../../../core/errors.ts'
import { handed } from './handed.ts'

test('a message comes back unchanged from its wire form, its text to the byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const message = handed({ text: `${text}\n\ufeff` })
      expect(decodeHandedMessage(encodeHandedMessage(message))).toEqual(message)
    }),
  )
})

test('an anonymous session has neither user nor key', () => {
  const message = handed({}, { uid: undefined, sealedCredential: undefined, endedAtMs: undefined })
  const decoded = decodeHandedMessage(encodeHandedMessage(message))
  expect(decoded.session.uid).toBeUndefined()
  expect(decoded.session.sealedCredential).toBeUndefined()
})

test('a message with a MiB of quotes takes a MiB', () => {
  const bytes = encodeHandedMessage(handed({ text: '"'.repeat(1_048_576) }))
  expect(bytes.length - 1_048_576).toBeLessThan(1_000)
  expect(bytes.length).toBeLessThan(HANDED_BYTES_MAX)
})

test.each([
  ['nothing', ''],
  ['no line', '{}'],
  ['no JSON', 'x\ntext'],
  ['no object', '[]\ntext'],
  ['no session', '{"sessionId":"s","seq":1,"acceptedAtMs":2}\ntext'],
  [
    'a session without pending',
    `{"sessionId":"s","seq":1,"acceptedAtMs":2,"session":{"hash":"h"}}\nx`,
  ],
])('a malformed message (%s) is a fault', (_, text) => {
  expect(() => decodeHandedMessage(Buffer.from(text))).toThrow(
    new Fault('internal', 'a handed-on message has an unknown shape'),
  )
})

test('a pending request of another shape is a fault', () => {
  const text = Buffer.from(encodeHandedMessage(handed()))
    .toString()
    .replace('"calls":true', '"calls":1')
  expect(() => decodeHandedMessage(Buffer.from(text))).toThrow(Fault)
})
