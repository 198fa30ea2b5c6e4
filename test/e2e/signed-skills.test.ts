/**
 * Skills whose requests the twin signs for AWS, against an API that verifies signatures and echoes
 * what it got, and an STS of its own.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AwsDouble, startDouble, startSts } from '../adapters/upstream/signed/aws-doubles.ts'
import { roleOf } from '../lambda/credentials.ts'
import { verifySigV4 } from '../lambda/sigv4.ts'
import { adminPost, balanceOf, createUser, pushSkill } from './admin.ts'
import { bearer, postJson } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

const OWN = roleOf('twin')
const ROLE = 'arn:aws:iam::123456789012:role/reader'
const SIGV4 = { type: 'sigv4', service: 'dynamodb', region: 'us-east-1' }

let twin: Twin
let api: AwsDouble
let sts: AwsDouble
let user: { uid: string; key: string }
/** Sessions that the API knows; the users of the tests are among them. */
const roles = [OWN]

beforeAll(async () => {
  api = await startDouble((received) => {
    const verdict = verifySigV4(received, roles, Date.now(), 'dynamodb')
    const status = verdict.role === undefined ? 403 : 200
    const { authorization, 'x-amz-security-token': token } = received.headers
    const told = { role: verdict.role?.userId, authorization, token, body: String(received.body) }
    return {
      status,
      body: JSON.stringify(told),
      headers: { 'content-type': 'application/json' },
    }
  })
  sts = await startSts({ caller: OWN, nowMs: Date.now })
  twin = await startTwin(['--memory', '--outbound-allow', api.host, '--signed-access', ROLE], {
    env: {
      AWS_ACCESS_KEY_ID: OWN.accessKeyId,
      AWS_SECRET_ACCESS_KEY: OWN.secretAccessKey,
      AWS_SESSION_TOKEN: OWN.sessionToken,
      AWS_ENDPOINT_URL_STS: sts.url,
    },
  })
  user = await createUser(twin, { username: 'signer', credits: 10 })
  roles.push(roleOf(user.uid))
})

afterAll(async () => {
  await twin?.stop()
  await api?.close()
  await sts?.close()
})

const config = (auth: object) => ({
  endpoint: `${api.url}/`,
  method: 'POST',
  auth,
  headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' },
  body: { TableName: 'orders', Key: { id: { S: '{{args.text}}' } } },
})
const PARAMETERS = { type: 'object', properties: { text: { type: 'string' } } }

async function call(skill: string) {
  const body = { skill, arguments: { text: 'o-1' } }
  return postJson(twin.execute, body, bearer(user.key))
}

describe('a skill that is signed', () => {
  test('with the identity of the twin calls an allow-listed host, and no answer shows its signature', async () => {
    const skill = await pushSkill(twin, {
      id: 'sg_own',
      config: config(SIGV4),
      parameters: PARAMETERS,
    })
    const answer = await call(skill)
    expect([answer.status, answer.json()['structuredContent']]).toEqual([
      200,
      {
        role: OWN.userId,
        authorization: expect.stringMatching(
          /^AWS4-HMAC-SHA256 Credential=ASIATESTTWIN\/\d{8}\/us-east-1\/dynamodb\/aws4_request, SignedHeaders=\S+, Signature=\[secret AWS_SIGNATURE\]$/,
        ),
        token: '[secret AWS_SESSION_TOKEN]',
        body: '{"TableName":"orders","Key":{"id":{"S":"o-1"}}}',
      },
    ])
  })

  test('with a role calls in a session of the user', async () => {
    const skill = await pushSkill(twin, {
      id: 'sg_role',
      config: config({ ...SIGV4, role: { arn: ROLE, external_id: 'tenant/1' } }),
      parameters: PARAMETERS,
    })
    const answer = await call(skill)
    expect(answer.json()['structuredContent']).toMatchObject({
      role: roleOf(user.uid).userId,
      token: '[secret AWS_SESSION_TOKEN]',
    })
    const asked = new URLSearchParams(String(sts.received[0]?.body))
    expect([asked.get('RoleSessionName'), asked.get('ExternalId')]).toEqual([user.uid, 'tenant/1'])
  })

  test('with a role that is not listed is stored with a warning, and its call is refunded', async () => {
    const definition = {
      id: 'sg_denied',
      source: 'official',
      meta: { name: 'Denied', description: 'Names a role.', parameters: PARAMETERS },
      config: config({ ...SIGV4, role: `${ROLE}2` }),
      credits_per_call: 1,
    }
    const stored = await adminPost(twin, 'sync_skill', definition)
    expect(stored.json()['warnings']).toEqual([
      '/config/auth: calls fail: the gateway may not assume the role of the skill; let the operator list its ARN (--signed-access, on AWS signedAccess)',
    ])
    const before = await balanceOf(twin, user.uid)
    const answer = await call('sg_denied')
    expect([answer.status, answer.json()['detail']]).toEqual([
      502,
      'The upstream could not be reached: the gateway may not assume the role of the skill; let the operator list its ARN (--signed-access, on AWS signedAccess).',
    ])
    expect(await balanceOf(twin, user.uid)).toEqual(before)
  })

  test.each([
    [
      'official',
      'https://evil.amazonaws.com.example/',
      '/config/endpoint',
      'is no endpoint of AWS for dynamodb in us-east-1, and signatures go nowhere else; use one such as dynamodb.us-east-1.amazonaws.com',
    ],
    [
      'market',
      'https://dynamodb.us-east-1.amazonaws.com/',
      '/config/auth',
      'may not be sigv4 in a market skill',
    ],
  ])('is refused at its sync: %s, %s', async (source, endpoint, pointer, message) => {
    const refused = await adminPost(twin, 'sync_skill', {
      id: 'sg_refused',
      source,
      meta: { name: 'Refused', description: 'Goes elsewhere.', parameters: PARAMETERS },
      config: { ...config(SIGV4), endpoint },
      credits_per_call: 1,
    })
    expect([refused.status, refused.json()['errors']]).toEqual([422, [{ pointer, message }]])
  })

  test('is refused at its sync if an argument is the header of the signature', async () => {
    const { headers: _headers, body: _body, ...rest } = config(SIGV4)
    const refused = await adminPost(twin, 'sync_skill', {
      id: 'sg_header',
      source: 'official',
      meta: { name: 'Header', description: 'Takes a header.', parameters: PARAMETERS },
      config: { ...rest, arguments: { text: { in: 'header', name: 'Authorization' } } },
      credits_per_call: 1,
    })
    expect([refused.status, refused.json()['errors']]).toEqual([
      422,
      [
        {
          pointer: '/config/arguments/text/name',
          message: 'is set by the signature of config.auth; give another name',
        },
      ],
    ])
  })

  test('is shown by a dry run without a credential and without a signature', async () => {
    const ran = await adminPost(twin, 'skills/official/sg_role/dry-run', {
      arguments: { text: 'o-1' },
    })
    const request = ran.json()['request'] as { headers: { name: string; value: string }[] }
    const headers = Object.fromEntries(request.headers.map(({ name, value }) => [name, value]))
    expect(headers).toMatchObject({
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'x-amz-content-sha256': '4a615f43f3b48c131ec31b4ad8cf4b5caa224a558ac70a17abc860408df6bec3',
      'x-amz-date': '[of each call]',
      'x-amz-security-token': '[session token]',
      authorization:
        'AWS4-HMAC-SHA256 Credential=[access key]/[day]/us-east-1/dynamodb/aws4_request, SignedHeaders=accept;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-amz-target, Signature=[of each call]',
    })
  })
})

test('no log line of the twin has a credential, a session token or a signature', () => {
  const said = twin.said()
  for (const secret of [OWN, roleOf(user.uid)].flatMap((role) => [
    role.secretAccessKey,
    role.sessionToken,
  ])) {
    expect(said).not.toContain(secret)
  }
  expect(said).not.toContain('Signature=')
})
