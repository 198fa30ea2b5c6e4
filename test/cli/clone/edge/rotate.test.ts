/** Rotations of the edge's secret: broken off anywhere, two at once, and beside a deploy. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rotateEdgeSecret } from '../../../../cli/clone/edge/rotate.ts'
import { runIn } from '../../test-shell.ts'
import { type AwsStandIn, DISTRIBUTION, FIRST, startAwsStandIn } from './aws-stand-in.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const VALUE = /^[A-Za-z0-9]{43}$/

let aws: AwsStandIn
beforeEach(async () => {
  Object.assign(process.env, CREDENTIALS)
  aws = await startAwsStandIn()
})
afterEach(async () => {
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
  await aws.stop()
})

/** CloudFront has spread a change at the second look. */
async function rotate(stage = 'prod') {
  const pauses: number[] = []
  const pause = async (ms: number) => {
    pauses.push(ms)
    aws.spread()
  }
  const env = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: aws.endpoint }
  const outcome = await runIn((shell) => rotateEdgeSecret(stage, shell, pause), { env })
  return { ...outcome, pauses }
}

function expectOneNewValue(): void {
  const { current, previous } = aws.secret()
  expect(current).toMatch(VALUE)
  expect([current === FIRST, previous]).toEqual([false, undefined])
  expect(aws.sent()).toEqual([current])
  expect(aws.refused).toEqual([])
}

describe('a rotation', () => {
  test('has the doors accept both values before the distribution changes, and one after it', async () => {
    const { code, err, out, pauses } = await rotate()
    expect([code, err]).toEqual([0, ''])
    expectOneNewValue()
    expect(aws.asked).toEqual([
      'cloudformation POST /',
      'secretsmanager GetSecretValue',
      'secretsmanager PutSecretValue',
      'secretsmanager UpdateSecretVersionStage',
      `cloudfront GET /2020-05-31/distribution/${DISTRIBUTION}/config`,
      'secretsmanager GetSecretValue',
      `cloudfront PUT /2020-05-31/distribution/${DISTRIBUTION}/config`,
      `cloudfront GET /2020-05-31/distribution/${DISTRIBUTION}`,
      `cloudfront GET /2020-05-31/distribution/${DISTRIBUTION}`,
      `cloudfront GET /2020-05-31/distribution/${DISTRIBUTION}/config`,
      'secretsmanager GetSecretValue',
      'secretsmanager PutSecretValue',
      'secretsmanager UpdateSecretVersionStage',
    ])
    expect(pauses).toEqual([15_000, 10_000])
    expect(out.trim().split('\n')).toEqual([
      'The doors accept the old value and a new one.',
      'Distribution E2EXAMPLE is told to send the new value.',
      'It sends the new value everywhere.',
      'The doors refuse the old value within five minutes.',
    ])
  })

  test('prints no value', async () => {
    const { out } = await rotate()
    expect(out).not.toContain(aws.secret().current)
    expect(out).not.toContain(FIRST)
  })

  test.each(
    Array.from({ length: 13 }, (_, index) => index + 1).flatMap((request) => [
      { request, isCarriedOut: false },
      { request, isCarriedOut: true },
    ]),
  )(
    'that is broken off at $request (carried out: $isCarriedOut) is finished by the next',
    async (at) => {
      aws.breakAt = at
      expect((await rotate()).code).toBe(1)
      expect(aws.refused).toEqual([])
      aws.breakAt = undefined
      expect((await rotate()).code).toBe(0)
      expectOneNewValue()
    },
  )

  test('says that it finishes one that was broken off, and draws no third value', async () => {
    aws.breakAt = { request: 7, isCarriedOut: false }
    await rotate()
    const { current } = aws.secret()
    aws.breakAt = undefined
    expect((await rotate()).out).toContain('A rotation was broken off; this run finishes it.')
    expect(aws.secret()).toEqual({ current })
  })
})

describe('two rotations at once', () => {
  test.each([2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13])(
    'where one waits before its request %i while the other runs refuse no request',
    async (waitsAt) => {
      const other = Promise.withResolvers<number>()
      let begun = false
      aws.before = async () => {
        if (begun || aws.asked.length !== waitsAt) return
        begun = true
        other.resolve((await rotate()).code)
      }
      await rotate()
      await other.promise
      aws.before = undefined
      expect(aws.refused).toEqual([])
      expect((await rotate()).code).toBe(0)
      expectOneNewValue()
    },
  )
})

describe('a rotation fails with one line', () => {
  test('for a stage without an edge', async () => {
    expect(await rotate('dev')).toMatchObject({
      code: 1,
      err: 'Skillgate-dev-Edge: there is no such stack in eu-central-1; give a stage with edgeDomain, and its region in AWS_REGION\n',
    })
  })

  test('if a deploy has changed the distribution meanwhile', async () => {
    aws.before = async (asked) => {
      if (!asked.startsWith('cloudfront PUT')) return
      aws.before = undefined
      await fetch(`${aws.endpoint}/2020-05-31/distribution/${DISTRIBUTION}/config`, {
        method: 'PUT',
        headers: {
          authorization: 'Credential=AKIDEXAMPLE/20260101/us-east-1/cloudfront/aws4_request',
          'if-match': 'E1',
        },
        body: await configOf(),
      })
    }
    const { code, err } = await rotate()
    expect([code, err]).toEqual([
      1,
      'distribution E2EXAMPLE: was changed meanwhile, perhaps by a deploy; run this again\n',
    ])
    expect((await rotate()).code).toBe(0)
    expectOneNewValue()
  })
})

async function configOf(): Promise<string> {
  const answer = await fetch(`${aws.endpoint}/2020-05-31/distribution/${DISTRIBUTION}/config`, {
    headers: { authorization: 'Credential=AKIDEXAMPLE/20260101/us-east-1/cloudfront/aws4_request' },
  })
  return answer.text()
}
