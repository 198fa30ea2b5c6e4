import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const BASE = { type: 'sigv4', service: 'dynamodb', region: 'eu-north-1' } as const
const ROLE = 'arn:aws:iam::123456789012:role/team/reader'
const read = (auth: Json, more: JsonObject = {}) => good(withConfig({ auth, ...more }))
const wrong = (auth: Json, more: JsonObject = {}) => faults(withConfig({ auth, ...more }))
const ARN_FAULT =
  'must be the ARN of a role (arn:aws:iam::ACCOUNT:role/NAME) of at most 256 characters'
const ID_FAULT =
  '/config/auth/role/external_id must be 2 to 1224 characters of A-Z a-z 0-9 _ + = , . @ : / -'

describe('auth of type sigv4', () => {
  test.each<[Json, unknown]>([
    [BASE, { service: 'dynamodb', region: 'eu-north-1' }],
    [
      { ...BASE, role: ROLE },
      { service: 'dynamodb', region: 'eu-north-1', role: { arn: ROLE } },
    ],
    [
      { ...BASE, region: 'us-gov-west-1', role: { arn: ROLE, external_id: 'of:us/1' } },
      {
        service: 'dynamodb',
        region: 'us-gov-west-1',
        role: { arn: ROLE, externalId: 'of:us/1' },
      },
    ],
  ])('%j is read, and needs no secret', (auth, expected) => {
    const { skill, warnings } = read(auth)
    expect([skill.signing, skill.auth, warnings]).toEqual([expected, undefined, []])
  })

  test.each<[JsonObject, readonly string[]]>([
    [
      { type: 'sigv4' },
      [
        "/config/auth/service is missing; send the service's name in signatures, such as dynamodb, s3, sqs or execute-api",
        '/config/auth/region is missing; send a region of AWS, such as eu-central-1',
      ],
    ],
    [
      { ...BASE, service: 'DynamoDB' },
      [
        "/config/auth/service must be the service's name in signatures, such as dynamodb, s3, sqs or execute-api",
      ],
    ],
    [
      { ...BASE, region: 'eu-north-1.evil.example' },
      ['/config/auth/region must be a region of AWS, such as eu-central-1'],
    ],
    [{ ...BASE, role: 'reader' }, [`/config/auth/role ${ARN_FAULT}`]],
    [{ ...BASE, role: 'arn:aws:iam::123456789012:role/*' }, [`/config/auth/role ${ARN_FAULT}`]],
    [{ ...BASE, role: { arn: ROLE, external_id: 'x' } }, [ID_FAULT]],
    [{ ...BASE, role: { arn: ROLE, external_id: 'x'.repeat(1_225) } }, [ID_FAULT]],
    [
      { ...BASE, role: `arn:aws:iam::123456789012:role/${'p'.repeat(200)}/${'n'.repeat(25)}` },
      [`/config/auth/role ${ARN_FAULT}`],
    ],
  ])('%j is refused', (auth, expected) => {
    expect(wrong(auth)).toEqual(expected)
  })

  test('takes an ARN of 256 characters and an external id of 1,224', () => {
    const arn = `arn:aws:iam::123456789012:role/${'p'.repeat(200)}/${'n'.repeat(24)}`
    const role = { arn, external_id: 'x'.repeat(1_224) }
    expect([arn.length, read({ ...BASE, role }).skill.signing?.role?.arn]).toEqual([256, arn])
  })

  test('warns of members that it does not read', () => {
    expect(read({ ...BASE, secret: 'KEY', role: { arn: ROLE, policy: '{}' } }).warnings).toEqual([
      '/config/auth/secret: unknown field; kept and not used',
      '/config/auth/role/policy: unknown field; kept and not used',
    ])
  })

  test.each(['Authorization', 'X-Amz-Date', 'x-amz-security-token', 'x-amz-content-sha256'])(
    'is refused beside the header %s',
    (name) => {
      expect(wrong(BASE, { headers: { [name]: 'x' } })).toEqual([
        `/config/headers/${name.toLowerCase()} is set by the signature of config.auth; remove it`,
      ])
    },
  )

  test('lets a skill set other headers of AWS, which no other skill may', () => {
    const headers = { 'X-Amz-Target': 'DynamoDB_20120810.GetItem' }
    expect(Object.keys(read(BASE, { headers }).skill.headers)).toEqual(['x-amz-target'])
    expect(faults(withConfig({ headers }))).toEqual([
      '/config/headers/X-Amz-Target is a header of AWS, which only a skill with auth of type sigv4 may set; remove it',
    ])
  })
})
