/**
 * A skill whose upstream is a Lambda function, from push to charge: a stand-in of Lambda verifies
 * the signatures of a twin that has credentials.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CREDENTIALS,
  functionError,
  type LambdaStandIn,
  lambdaError,
  startLambdaStandIn,
} from '../adapters/upstream/lambda-stand-in.ts'
import { balanceOf, createUser, pushJson, setSecret } from './admin.ts'
import { fieldsOf } from './fields.ts'
import { bearer, postJson, send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

const ARN = 'arn:aws:lambda:eu-west-1:111122223333:function:orders'
const OTHER = 'arn:aws:lambda:eu-west-1:444455556666:function:orders'
const SECRET = 'token-0123456789-of-the-order-desk'

let standIn: LambdaStandIn
let twin: Twin
let user: { readonly uid: string; readonly key: string }

beforeAll(async () => {
  standIn = await startLambdaStandIn()
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_SESSION_TOKEN: CREDENTIALS.sessionToken,
    AWS_ENDPOINT_URL_LAMBDA: standIn.endpoint.href,
  }
  twin = await startTwin(['--memory'], { env })
  user = await createUser(twin, { username: 'buyer', credits: 100 })
})

afterAll(async () => {
  await twin?.stop()
  await standIn?.close()
})

const skill = (id: string, lambda: object, more: object = {}) => ({
  id,
  source: 'official',
  meta: {
    name: 'Order',
    description: 'Shows an order.',
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
  },
  config: { lambda, ...more },
  credits_per_call: 2,
})

const call = (name: string, host = twin) =>
  postJson(host.execute, { skill: name, arguments: { id: 'o-1' } }, bearer(user.key))
const dryRun = (name: string, query = '') =>
  postJson(
    `${twin.admin}/skills/official/${name}/dry-run${query}`,
    { uid: user.uid, arguments: { id: 'o-1' } },
    bearer(twin.internalApiSecret),
  )

test('a call invokes the function with its event and is charged', async () => {
  standIn.answer = () => ({ body: '{"total":12345678901234567890}' })
  const payload = { order: { id: '{{args.id}}' }, kind: 'show' }
  await pushJson(twin, skill('sg_order', { function: ARN, qualifier: 'live', payload }))
  const before = await balanceOf(twin, user.uid)
  const answer = await call('sg_order')
  expect(answer.status).toBe(200)
  expect(JSON.stringify(answer.json()['content'])).toContain('12345678901234567890')
  expect(standIn.invoked.at(-1)).toMatchObject({
    functionName: ARN,
    qualifier: 'live',
    event: '{"order":{"id":"o-1"},"kind":"show"}',
  })
  expect((await balanceOf(twin, user.uid)).credits).toBe(before.credits - 2)
})

test('a call without a payload sends the arguments', async () => {
  standIn.answer = () => ({ body: 'null' })
  await pushJson(twin, skill('sg_plain', { function: 'orders' }))
  expect((await call('sg_plain')).status).toBe(200)
  expect(standIn.invoked.at(-1)).toMatchObject({ functionName: 'orders', event: '{"id":"o-1"}' })
})

test.each([
  ['{"total":3}', { total: 3 }],
  ['a text that was streamed', undefined],
])(
  'the answer %s of a function is read by its form, whatever type Lambda gives it',
  async (body, structured) => {
    await pushJson(twin, skill(`sg_typed${body.length}`, { function: 'orders' }))
    for (const type of ['application/octet-stream', 'text/plain', 'application/json']) {
      standIn.answer = () => ({ body, headers: { 'content-type': type } })
      const answer = (await call(`sg_typed${body.length}`)).json()
      expect(answer['structuredContent']).toEqual(structured)
      expect(answer['content']).toEqual([{ type: 'text', text: body }])
    }
  },
)

test('an error of the function is a failed call in its own words, masked and refunded', async () => {
  await setSecret(twin, user.uid, { name: 'DESK', value: SECRET })
  const payload = { id: '{{args.id}}', token: '{{secrets.DESK}}' }
  await pushJson(twin, skill('sg_failing', { function: ARN, payload }))
  standIn.answer = ({ event }) =>
    functionError('ValueError', `refused ${event} ${'x'.repeat(2_000)}`)
  const before = await balanceOf(twin, user.uid)
  const answer = await call('sg_failing')
  const said = JSON.stringify(answer.json())
  expect(answer.status).toBe(502)
  expect(answer.json()).toMatchObject({ code: 'upstream_failed' })
  expect(standIn.invoked.at(-1)?.event).toContain(SECRET)
  expect(said).toContain('The function failed: ValueError: refused')
  expect(said).not.toContain(SECRET)
  expect(said.length).toBeLessThan(1_500)
  expect(await balanceOf(twin, user.uid)).toEqual(before)
})

test('a secret of one function does not follow the skill to a function of another account', async () => {
  const at = { name: 'MOVED', value: SECRET }
  const payload = { token: '{{secrets.MOVED}}' }
  await pushJson(twin, skill('sg_moved', { function: ARN, payload }))
  const put = `${twin.admin}/users/${user.uid}/secrets/${at.name}?skill=sg_moved`
  const headers = { ...bearer(twin.internalApiSecret), 'content-type': 'application/json' }
  const body = JSON.stringify({ value: at.value })
  expect((await send(put, { method: 'PUT', headers, body })).json()).toMatchObject({
    origins: [ARN],
  })
  standIn.answer = () => ({ body: '{}' })
  expect((await call('sg_moved')).status).toBe(200)
  const moved = skill('sg_moved', { function: OTHER, payload })
  const again = await postJson(`${twin.admin}/sync_skill`, moved, bearer(twin.internalApiSecret))
  expect(again.status).toBe(200)
  const sends = standIn.invoked.length
  expect((await call('sg_moved')).json()).toMatchObject({ code: 'secret_refused' })
  expect(standIn.invoked).toHaveLength(sends)
})

test('a function that fails rests alone: others behind the same host of AWS are called', async () => {
  await pushJson(twin, skill('sg_broken', { function: 'broken' }))
  await pushJson(twin, skill('sg_whole', { function: 'whole' }))
  standIn.answer = ({ functionName }) =>
    functionName === 'broken' ? functionError('Error', 'down') : { body: '{}' }
  let failed = await call('sg_broken')
  for (
    let tries = 0;
    tries < 20 && !JSON.stringify(failed.json()).includes('no request is sent');
    tries += 1
  ) {
    failed = await call('sg_broken')
  }
  expect(JSON.stringify(failed.json())).toContain('no request is sent')
  expect((await call('sg_whole')).status).toBe(200)
})

test('an answer to the proxy integration fails by its status and is refunded', async () => {
  await pushJson(twin, skill('sg_proxied', { function: 'orders', proxy: true }))
  standIn.answer = () => ({ body: '{"statusCode":500,"body":"{\\"message\\":\\"no stock\\"}"}' })
  const before = await balanceOf(twin, user.uid)
  const answer = await call('sg_proxied')
  expect(answer.status).toBe(502)
  expect(JSON.stringify(answer.json())).toContain('no stock')
  expect(await balanceOf(twin, user.uid)).toEqual(before)
})

test('a dry run shows the event and runs nothing', async () => {
  standIn.answer = () => ({ status: 204 })
  const report = (await dryRun('sg_order')).json()
  expect(standIn.invoked.at(-1)).toMatchObject({ type: 'DryRun', functionName: ARN })
  expect(report['problems']).toEqual([])
  expect(report['target']).toMatchObject({ origin: ARN, allowed: true })
  const { body, headers, method, url } = fieldsOf(report, 'request')
  expect({ body, method }).toEqual({ method: 'POST', body: '{"order":{"id":"o-1"},"kind":"show"}' })
  expect(String(url)).toContain('Qualifier=live')
  expect(headers).toEqual([
    { name: 'content-type', value: 'application/json' },
    { name: 'x-amz-invocation-type', value: 'RequestResponse' },
  ])
})

test('a dry run names the permission that is missing before the first call', async () => {
  standIn.answer = () => lambdaError(403, 'AccessDeniedException')
  const report = (await dryRun('sg_order')).json()
  expect(JSON.stringify(report['problems'])).toContain(
    `lacks lambda:InvokeFunction on ${ARN}:live; add`,
  )
})

test('a test call shows what the function said', async () => {
  standIn.answer = () => functionError('ValueError', 'no order')
  const report = (await dryRun('sg_order', '?send=true')).json()
  expect(fieldsOf(report, 'sent')).toMatchObject({
    failure: { code: 'upstream_failed', upstreamFault: 'reported' },
    judgement: { statusIs: 'failure' },
  })
})

test('a twin without credentials says what to set, and charges nothing', async () => {
  const bare = await startTwin(['--memory'])
  await pushJson(bare, skill('sg_order', { function: 'orders' }))
  const other = await createUser(bare, { username: 'buyer', credits: 5 })
  const answer = await postJson(
    bare.execute,
    { skill: 'sg_order', arguments: {} },
    bearer(other.key),
  )
  expect(answer.status).toBe(502)
  expect(String(answer.json()['detail'])).toContain('AWS_REGION, AWS_ACCESS_KEY_ID')
  expect(await balanceOf(bare, other.uid)).toEqual({ credits: 5, onHold: 0 })
  await bare.stop()
})
