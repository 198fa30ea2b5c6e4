/**
 * Skills that call DynamoDB, S3 and SQS of the emulator by requests that the deployed function
 * execute signs. An emulator checks no signature, so test/adapters/upstream/signed does; here the
 * services find service and region in it, and understand the requests.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { makeSigner } from '../../adapters/aws/sign-request.ts'
import { freshName } from '../contracts/fresh.ts'
import { createUser, pushSkill } from '../e2e/admin.ts'
import { bearer } from '../e2e/http.ts'
import { CREDENTIALS, REGION } from './credentials.ts'
import { type Deployment, deploymentOfProcess } from './deployment.ts'
import { emulatorOfProcess } from './emulator.ts'
import { askByHost } from './emulator-http.ts'

const emulator = await emulatorOfProcess()
const ROLE = 'arn:aws:iam::000000000000:role/reader-of-orders'

let deployed: Deployment
let user: { uid: string; key: string }
beforeAll(async () => {
  deployed = await deploymentOfProcess()
  user = await createUser(deployed, { username: freshName('sig'), credits: 10 })
})

/** A request of the suite's own, to make tables, buckets and queues. */
async function askAws(
  service: string,
  request: {
    readonly method: string
    readonly path?: string
    readonly target?: string
    body?: object
  },
): Promise<string> {
  const { body, method, path = '/', target } = request
  const url = new URL(path, emulator.endpoint)
  const text = body === undefined ? '' : JSON.stringify(body)
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target ?? 'none' }
  const signed = makeSigner(service, REGION)(
    { method, url, headers, body: text },
    CREDENTIALS,
    Date.now(),
  )
  const { host: _, ...sent } = signed
  const answer = await fetch(url, { method, headers: sent, ...(text === '' ? {} : { body: text }) })
  const told = await answer.text()
  if (!answer.ok) throw new Error(`${service}: ${answer.status}: ${told}`)
  return told
}

const sigv4 = (service: string, more: object = {}) => ({
  type: 'sigv4',
  service,
  region: REGION,
  ...more,
})
const json = (target: string) => ({
  'x-amz-target': target,
  'content-type': 'application/x-amz-json-1.0',
})
const TEXT = { type: 'string' }
const parameters = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, TEXT])),
  required: names,
})

async function call(skill: string, args: object) {
  const { href } = new URL('v1/execute', deployed.outputs.executeUrl)
  const headers = { 'content-type': 'application/json', ...bearer(user.key) }
  const body = JSON.stringify({ skill, arguments: args })
  const answer = await askByHost(emulator.endpoint, href, { method: 'POST', headers, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.json()
}

describe('a signed skill', () => {
  test.each([
    ['as the function itself', {}],
    ['in a session of a role', { role: { arn: ROLE, external_id: 'tenant-1' } }],
  ])('gets an item of DynamoDB %s', async (_how, role) => {
    const table = freshName('orders')
    await askAws('dynamodb', {
      method: 'POST',
      target: 'DynamoDB_20120810.CreateTable',
      body: {
        TableName: table,
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      },
    })
    const item = { id: { S: 'o-1' }, state: { S: 'sent å' } }
    const target = 'DynamoDB_20120810.PutItem'
    await askAws('dynamodb', { method: 'POST', target, body: { TableName: table, Item: item } })
    const skill = await pushSkill(deployed, {
      id: `sg_${freshName('item')}`,
      parameters: parameters('order'),
      config: {
        endpoint: `${deployed.url}/`,
        method: 'POST',
        auth: sigv4('dynamodb', role),
        headers: json('DynamoDB_20120810.GetItem'),
        body: { TableName: table, Key: { id: { S: '{{args.order}}' } } },
        response: { pick: '/Item' },
      },
    })
    expect((await call(skill, { order: 'o-1' }))['structuredContent']).toEqual(item)
  })

  test('puts an object into S3, and gets it', async () => {
    const bucket = freshName('reports').toLowerCase().replaceAll('_', '-')
    await askAws('s3', { method: 'PUT', path: `/${bucket}` })
    const object = (method: string, more: object) => ({
      id: `sg_${freshName('object')}`,
      parameters: parameters('name', ...(method === 'PUT' ? ['text'] : [])),
      config: { endpoint: `${deployed.url}/${bucket}/{name}`, method, auth: sigv4('s3'), ...more },
    })
    const put = await pushSkill(
      deployed,
      object('PUT', {
        headers: { 'content-type': 'text/plain', 'x-amz-meta-origin': 'skill' },
        body: '{{args.text}}',
      }),
    )
    const get = await pushSkill(deployed, object('GET', { response: { as: 'text' } }))
    const name = 'a b(1)+é.txt'
    await call(put, { name, text: 'twelve ørter' })
    const got = await call(get, { name })
    expect(got['content']).toEqual([{ type: 'text', text: 'twelve ørter' }])
  })

  test('sends a message to a queue of SQS', async () => {
    const target = 'AmazonSQS.CreateQueue'
    const made = await askAws('sqs', {
      method: 'POST',
      target,
      body: { QueueName: freshName('jobs').replaceAll('.', '-') },
    })
    const { QueueUrl: queue } = JSON.parse(made)
    const skill = await pushSkill(deployed, {
      id: `sg_${freshName('queue')}`,
      parameters: parameters('job'),
      config: {
        endpoint: `${deployed.url}/`,
        method: 'POST',
        auth: sigv4('sqs'),
        headers: json('AmazonSQS.SendMessage'),
        body: { QueueUrl: queue, MessageBody: '{{args.job}}' },
      },
    })
    const sent = await call(skill, { job: 'resize 7' })
    expect(sent['structuredContent']).toMatchObject({ MessageId: expect.any(String) })
    const body = { QueueUrl: queue, WaitTimeSeconds: 5 }
    const got = await askAws('sqs', { method: 'POST', target: 'AmazonSQS.ReceiveMessage', body })
    expect(JSON.parse(got).Messages.map(({ Body: text }: { Body: string }) => text)).toEqual([
      'resize 7',
    ])
  })
})
