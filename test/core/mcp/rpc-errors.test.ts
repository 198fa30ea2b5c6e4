import { expect, test } from 'vitest'
import {
  toHeaderMismatchError,
  toUnknownMethodError,
  toUnsupportedVersionError,
} from '../../../core/mcp/rpc-errors.ts'

test('an unsupported version names the requested version and the served ones', () => {
  expect(toUnsupportedVersionError(['2026-07-28'], '2099-01-01')).toEqual({
    code: -32022,
    message: 'This protocol version is not supported; use one of 2026-07-28',
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  })
})

test('a contradicting header is named', () => {
  expect(toHeaderMismatchError('Mcp-Param-Region: is missing')).toEqual({
    code: -32020,
    message: 'Mcp-Param-Region: is missing',
  })
})

test('a name that was asked for is repeated up to 64 characters, in whole characters', () => {
  const name = `${'n'.repeat(63)}😀`
  expect(toUnsupportedVersionError(['2026-07-28'], name).data).toEqual({
    supported: ['2026-07-28'],
    requested: `${'n'.repeat(63)}\uFFFD`,
  })
  expect(toUnknownMethodError(name, ['ping']).message).toBe(
    `method: "${'n'.repeat(63)}\uFFFD" is not served here; use one of ping`,
  )
})
