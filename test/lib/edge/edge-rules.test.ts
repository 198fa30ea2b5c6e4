/** Fields of an edge that do not fit together are refused by field and remedy. */
import { describe, expect, test } from 'vitest'
import type { Stage } from '../../../lib/stage.ts'
import { findStageErrors } from '../../../lib/stage-rules.ts'
import { getStage } from '../../../lib/stages.ts'
import { EDGE_STAGE } from './edge-stage.ts'

const CERTIFICATE = 'arn:aws:acm:us-east-1:111111111111:certificate/abc'
const errorsOf = (changed: Partial<Stage>) => findStageErrors({ ...EDGE_STAGE, ...changed })

test('an edge fits with a zone, and with a certificate instead', () => {
  expect(errorsOf({})).toEqual([])
  expect(errorsOf({ edgeHostedZoneId: undefined, edgeCertificateArn: CERTIFICATE })).toEqual([])
})

test('a login needs no publicOrigin beside edgeDomain, and may repeat it', () => {
  expect(errorsOf({ login: true })).toEqual([])
  expect(errorsOf({ login: true, publicOrigin: 'https://mcp.example.com' })).toEqual([])
})

describe('an edge is refused', () => {
  test.each([
    [{ edgeHostedZoneId: undefined }, 'edgeDomain: needs edgeHostedZoneId or edgeCertificateArn'],
    [
      { edgeCertificateArn: CERTIFICATE },
      'edgeDomain: needs edgeHostedZoneId or edgeCertificateArn',
    ],
    [
      { publicOrigin: 'https://other.example.com' },
      'publicOrigin: is https://other.example.com, and edgeDomain makes it https://mcp.example.com; take it away',
    ],
    [{ restoresChallenge: true }, 'restoresChallenge: is true'],
    [
      { adminAllowedCidrs: ['203.0.113.0/24'] },
      'adminAllowedCidrs: API Gateway sees the addresses',
    ],
    [
      { edgeDomain: undefined },
      'edgeHostedZoneId: is set, and there is no edge without edgeDomain',
    ],
    [
      { edgeDomain: undefined, edgeHostedZoneId: undefined, edgeDirectUrls: true },
      'edgeDirectUrls: is set, and there is no edge without edgeDomain',
    ],
  ] satisfies readonly (readonly [Partial<Stage>, string])[])('with %j', (changed, message) => {
    expect(errorsOf(changed)).toEqual([expect.stringContaining(message)])
  })

  test.each([
    ['edgeDomain', 'https://mcp.example.com'],
    ['edgeDomain', 'MCP.example.com'],
    ['edgeDomain', 'localhost'],
    ['edgeHostedZoneId', 'example.com'],
    ['edgeCertificateArn', 'arn:aws:acm:eu-central-1:111111111111:certificate/abc'],
    ['edgeRequestsPerIp', 9],
  ] as const)('if %s is %s', (field, value) => {
    const other = field === 'edgeCertificateArn' ? { edgeHostedZoneId: undefined } : {}
    expect(errorsOf({ ...other, [field]: value })).toEqual([expect.stringMatching(`^${field}: `)])
  })
})

test('a stage without an edge keeps its own publicOrigin', () => {
  expect(
    findStageErrors({ ...getStage('dev'), publicOrigin: 'https://other.example.com' }),
  ).toEqual([])
})
