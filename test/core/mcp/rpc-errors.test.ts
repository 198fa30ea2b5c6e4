import { expect, test } from 'vitest'
import { headerMismatch, unknownMethod, unsupportedVersion } from '../../../core/mcp/rpc-errors.ts'

test('an unsupported version names the requested version and the served ones', () => {
  expect(unsupportedVersion(['2026-07-28'], '2099-01-01')).toEqual({
    code: -32022,
    message: 'This protocol version is not supported; use one of 2026-07-28',
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  })
})

test('a contradicting header is named', () => {
  expect(headerMismatch('Mcp-Param-Region: is missing')).toEqual({
    code: -32020,
    message: 'Mcp-Param-Region: is missing',
  })
})

test('a name that was asked for is repeated up to 64 characters, in whole characters', () => {
  const name = `${'n'.repeat(63)}😀`
  expect(unsupportedVersion(['2026-07-28'], name).data).toEqual({
    supported: ['2026-07-28'],
    requested: `${'n'.repeat(63)}\uFFFD`,
  })
  expect(unknownMethod(name, ['ping']).message).toBe(
    `method: "${'n'.repeat(63)}\uFFFD" is not served here; use one of ping`,
  )
})
