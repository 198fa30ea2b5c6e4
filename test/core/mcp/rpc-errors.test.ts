import { expect, test } from 'vitest'
import {
  headerMismatch,
  missingCapability,
  unknownTool,
  unsupportedVersion,
} from '../../../core/mcp/rpc-errors.ts'

test('an unsupported version says what was asked for and what there is', () => {
  expect(unsupportedVersion(['2026-07-28'], '2099-01-01')).toEqual({
    code: -32022,
    message: 'This protocol version is not spoken here; there are 2026-07-28',
    data: { supported: ['2026-07-28'], requested: '2099-01-01' },
  })
})

test('a contradicting header is named', () => {
  expect(headerMismatch('Mcp-Param-Region: is missing')).toEqual({
    code: -32020,
    message: 'Mcp-Param-Region: is missing',
  })
})

test('a missing capability is told as an object of objects', () => {
  expect(missingCapability({ elicitation: {}, sampling: {} })).toEqual({
    code: -32021,
    message:
      'This call needs a client that can be asked: elicitation, sampling. Declare it, or use another tool.',
    data: { requiredCapabilities: { elicitation: {}, sampling: {} } },
  })
})

test('a tool that is not there is repeated up to 64 characters, and whole ones', () => {
  expect(unknownTool('sg_"x"')).toEqual({
    code: -32602,
    message: 'params.name: there is no tool "sg_\\"x\\""; see tools/list',
  })
  expect(unknownTool(`${'n'.repeat(63)}😀`).message).toBe(
    `params.name: there is no tool "${'n'.repeat(63)}\uFFFD"; see tools/list`,
  )
})
