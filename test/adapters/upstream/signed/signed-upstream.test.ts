/** Signed requests against an API that verifies signatures, with sessions of an STS double. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { httpUpstream } from '../../../../adapters/upstream/http-upstream.ts'
import { signedUpstream } from '../../../../adapters/upstream/signed-upstream.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../../core/call/upstream.ts'
import type { UpstreamLimits } from '../../../../core/ports/outside.ts'
import type { AwsSigning } from '../../../../core/skills/skill.ts'
import { roleOf } from '../../../lambda/credentials.ts'
import {
  type AwsDouble,
  type StsOptions,
  startDouble,
  startSignedApi,
  startSts,
} from './aws-doubles.ts'

const NOW_MS = Date.UTC(2026, 10, 27, 15)
const OWN = roleOf('execute')
const ROLE = 'arn:aws:iam::123456789012:role/reader'
const SIGNING: AwsSigning = { service: 'dynamodb', region: 'us-east-1' }
const AS_ROLE: AwsSigning = { ...SIGNING, role: { arn: ROLE, externalId: 'ex-1' } }

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

type Notes = [event: string, fields: unknown][]

function startUpstream(
  hosts: readonly string[],
  given: {
    readonly sts?: string
    readonly own?: typeof OWN | undefined
    nowMs?: () => number
  } = {},
) {
  const { nowMs = () => NOW_MS, own = OWN, sts: stsEndpoint } = given
  const notes: Notes = []
  const rules = { outboundAllow: hosts, signedAccess: [ROLE] }
  const upstream = signedUpstream({
    http: httpUpstream({ outboundAllow: hosts }),
    clock: { nowMs, sleep: async () => {} },
    log: { note: (_level, event, fields) => void notes.push([event, fields]) },
    rules,
    own: () => ({ credentials: own, stsEndpoint }),
  })
  open.push(() => upstream.close())
  return { upstream, notes }
}

async function startApi(roles = [OWN], service = 'dynamodb'): Promise<AwsDouble> {
  const api = await startSignedApi(roles, { service, nowMs: () => NOW_MS })
  open.push(api.close)
  return api
}

async function startStsFor(more: Partial<StsOptions> = {}): Promise<AwsDouble> {
  const sts = await startSts({ caller: OWN, nowMs: () => NOW_MS, ...more })
  open.push(sts.close)
  return sts
}

const LIMITS: UpstreamLimits = {
  responseBytesMax: 100_000,
  signal: new AbortController().signal,
  uid: 'ada',
}

function ask(url: string, more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return { method: 'GET', url, headers: {}, body: undefined, signing: SIGNING, ...more }
}

function told(answer: UpstreamAnswer): unknown {
  if (answer.kind !== 'answered') return answer
  const text = Buffer.from(answer.response.body).toString()
  return text.startsWith('{') ? JSON.parse(text).told : text
}

describe('a signed request', () => {
  test('is accepted by a service that verifies it', async () => {
    const api = await startApi()
    const { upstream } = startUpstream([api.host])
    const headers = {
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'content-type': 'application/x-amz-json-1.0',
    }
    const request = ask(`${api.url}/`, {
      method: 'POST',
      headers,
      body: '{"Key":{"id":{"S":"å"}}}',
    })
    expect(told(await upstream.send(request, LIMITS))).toBe(OWN.userId)
    expect(api.received[0]?.headers).toMatchObject({
      'x-amz-target': 'DynamoDB_20120810.GetItem',
      'x-amz-security-token': OWN.sessionToken,
      'x-amz-date': '20261127T150000Z',
    })
  })

  test('is signed as S3 wants it, for a key with characters that are encoded', async () => {
    const api = await startApi([OWN], 's3')
    const { upstream } = startUpstream([api.host])
    const signing = { ...SIGNING, service: 's3' }
    const url = `${api.url}/bucket//a+b (1)/é%20%2F'x!*.txt?prefix=a+b&list-type=2&acl`
    const request = ask(url, { method: 'PUT', signing, body: new Uint8Array([0, 255, 1]) })
    expect(told(await upstream.send(request, LIMITS))).toBe(OWN.userId)
    expect(api.received[0]?.target).toBe(
      '/bucket//a%2Bb%20%281%29/%C3%A9%20%2F%27x%21%2A.txt?prefix=a%20b&list-type=2&acl',
    )
  })

  test.each(['dynamodb', 'execute-api', 'lambda', 's3'])(
    'of any path and query is accepted, for %s',
    async (service) => {
      const api = await startApi([OWN], service)
      const { upstream } = startUpstream([api.host])
      const signing = { ...SIGNING, service }
      const text = fc.string({ unit: 'grapheme', maxLength: 12 })
      const path = fc.array(text.map(encodeURIComponent), { maxLength: 3 })
      const query = fc.array(fc.tuple(text, text), { maxLength: 4 })
      const run = fc.asyncProperty(path, query, fc.uint8Array(), async (segments, pairs, body) => {
        const search = new URLSearchParams(pairs)
        const url = `${api.url}/${segments.join('/')}?${search}`
        const request = ask(url, { method: 'POST', signing, body })
        expect(told(await upstream.send(request, LIMITS))).toBe(OWN.userId)
      })
      await fc.assert(run, { numRuns: 60 })
    },
  )

  test('does not sign what is not sent, nor headers that proxies change', async () => {
    const api = await startApi()
    const { upstream } = startUpstream([api.host])
    const headers = { 'user-agent': 'x', te: 'trailers', 'x-own': ' a  b ' }
    expect(told(await upstream.send(ask(api.url, { headers }), LIMITS))).toBe(OWN.userId)
    expect(api.received[0]?.headers['authorization']).toContain(
      'SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-own,',
    )
    expect(api.received[0]?.headers['te']).toBeUndefined()
  })

  test('is signed anew when it is sent again', async () => {
    const api = await startApi()
    let nowMs = NOW_MS
    const { upstream } = startUpstream([api.host], { nowMs: () => nowMs })
    await upstream.send(ask(api.url), LIMITS)
    nowMs += 2_000
    await upstream.send(ask(api.url), LIMITS)
    const dates = api.received.map(({ headers }) => headers['x-amz-date'])
    expect(dates).toEqual(['20261127T150000Z', '20261127T150002Z'])
  })

  test('follows no redirect', async () => {
    const elsewhere = await startApi()
    const moved = await startDouble(() => ({
      status: 307,
      body: '',
      headers: { location: elsewhere.url },
    }))
    open.push(moved.close)
    const { upstream } = startUpstream([elsewhere.host, moved.host])
    expect(await upstream.send(ask(moved.url), LIMITS)).toEqual({
      kind: 'refused_target',
      detail:
        'it redirects, and the signature of a request for AWS is for one URL; let the skill name the final one',
    })
    expect(elsewhere.received).toEqual([])
  })

  test('tells its session token and its signature, so that they can be masked', async () => {
    const api = await startApi()
    const { upstream } = startUpstream([api.host])
    const values: string[] = []
    await upstream.send(ask(api.url), { ...LIMITS, onSigned: (_name, value) => values.push(value) })
    const sent = api.received[0]?.headers['authorization'] ?? ''
    expect(values).toEqual([OWN.sessionToken, sent.slice(-64)])
  })
})

describe('a request that may not be signed', () => {
  test.each([
    [
      'https://evil.amazonaws.com.example/',
      SIGNING,
      'its URL is no endpoint of AWS for dynamodb in us-east-1, and signatures go nowhere else; use one such as dynamodb.us-east-1.amazonaws.com',
    ],
    [
      'https://dynamodb.eu-west-1.amazonaws.com/',
      SIGNING,
      'its URL is no endpoint of AWS for dynamodb in us-east-1, and signatures go nowhere else; use one such as dynamodb.us-east-1.amazonaws.com',
    ],
    [
      'https://dynamodb.us-east-1.amazonaws.com/',
      SIGNING,
      'the gateway does not sign for dynamodb.us-east-1.amazonaws.com as itself; name a role in config.auth, or let the operator list the host (--signed-access, on AWS signedAccess)',
    ],
    [
      'https://dynamodb.us-east-1.amazonaws.com/',
      { ...SIGNING, role: { arn: `${ROLE}2` } },
      'the gateway may not assume the role of the skill; let the operator list its ARN (--signed-access, on AWS signedAccess)',
    ],
  ])('to %s is not sent', async (url, signing, detail) => {
    const { upstream } = startUpstream([])
    const answer = await upstream.send(ask(url, { signing }), LIMITS)
    expect(answer).toEqual({ kind: 'refused_target', detail })
  })

  test('goes nowhere from a process without credentials', async () => {
    const api = await startApi()
    const upstream = signedUpstream({
      http: httpUpstream({ outboundAllow: [api.host] }),
      clock: { nowMs: () => NOW_MS, sleep: async () => {} },
      log: { note: () => {} },
      rules: { outboundAllow: [api.host], signedAccess: [] },
      own: () => undefined,
    })
    expect(await upstream.send(ask(api.url), LIMITS)).toEqual({
      kind: 'refused_target',
      detail:
        'the gateway has no AWS credentials; start it with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    })
    expect(api.received).toEqual([])
  })
})

describe('a role', () => {
  const asRole = (url: string) => ask(url, { signing: AS_ROLE })

  test('is assumed in a session of the user, with the external id', async () => {
    const [api, sts] = [await startApi([roleOf('ada')]), await startStsFor()]
    const { upstream } = startUpstream([api.host], { sts: sts.url })
    expect(told(await upstream.send(asRole(api.url), LIMITS))).toBe(roleOf('ada').userId)
    expect(sts.received.map(({ body }) => body.toString())).toEqual([
      'Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Freader&RoleSessionName=ada&ExternalId=ex-1',
    ])
  })

  test('is assumed once for many calls at once, and once for each user', async () => {
    const [api, sts] = [await startApi([roleOf('ada'), roleOf('bob')]), await startStsFor()]
    const { upstream } = startUpstream([api.host], { sts: sts.url })
    const send = (uid: string) => upstream.send(asRole(api.url), { ...LIMITS, uid })
    const answers = await Promise.all([send('ada'), send('ada'), send('bob'), send('ada')])
    expect(answers.map(told)).toEqual(['ada', 'ada', 'bob', 'ada'].map((uid) => roleOf(uid).userId))
    expect(sts.received).toHaveLength(2)
  })

  test('is assumed again 60 s before its session ends', async () => {
    let nowMs = NOW_MS
    const [api, sts] = [await startApi([roleOf('ada')]), await startStsFor({ lifeMs: 100_000 })]
    const { upstream } = startUpstream([api.host], { sts: sts.url, nowMs: () => nowMs })
    const asked: number[] = []
    for (const atMs of [0, 39_999, 40_000]) {
      nowMs = NOW_MS + atMs
      await upstream.send(asRole(api.url), LIMITS)
      asked.push(sts.received.length)
    }
    expect(asked).toEqual([1, 1, 2])
  })

  test('is assumed although the caller that asked first has left', async () => {
    const [api, sts] = [await startApi([roleOf('ada')]), await startStsFor()]
    const { upstream } = startUpstream([api.host], { sts: sts.url })
    const leaver = new AbortController()
    const left = upstream.send(asRole(api.url), { ...LIMITS, signal: leaver.signal })
    const stays = upstream.send(asRole(api.url), LIMITS)
    leaver.abort()
    expect([await left, told(await stays)]).toEqual([{ kind: 'cut' }, roleOf('ada').userId])
    expect(sts.received).toHaveLength(1)
  })

  test('that AWS denies tells both permissions that may be missing, and nothing is sent', async () => {
    const [api, sts] = [await startApi(), await startStsFor({ failures: [403] })]
    const { notes, upstream } = startUpstream([api.host], { sts: sts.url })
    expect(await upstream.send(asRole(api.url), LIMITS)).toEqual({
      kind: 'refused_target',
      detail:
        "AWS does not let the gateway assume the role of the skill; an administrator must allow sts:AssumeRole on it to the gateway's functions (signedAccess), and name their roles and the external id in the role's trust policy",
    })
    expect(api.received).toEqual([])
    expect(notes).toEqual([['role-not-assumed', { uid: 'ada', why: 'denied' }]])
    expect(told(await upstream.send(asRole(api.url), LIMITS))).toBe(
      'ASIATESTADA may not call this URL',
    )
  })

  test('is asked for twice when STS fails for a moment, and not more often', async () => {
    const [api, sts] = [
      await startApi([roleOf('ada')]),
      await startStsFor({ failures: [503, 503, 500] }),
    ]
    const { upstream } = startUpstream([api.host], { sts: sts.url })
    expect(await upstream.send(asRole(api.url), LIMITS)).toEqual({
      kind: 'refused_target',
      detail:
        'STS did not give the gateway a session of the role of the skill; try again in a moment',
    })
    expect(sts.received).toHaveLength(2)
    expect(told(await upstream.send(asRole(api.url), LIMITS))).toBe(roleOf('ada').userId)
  })
})
