// The bundles of mcp and execute behind an edge: a start reads the accepted values, and a request past
// the edge ends before the door.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SecretsServer, startSecretsServer } from '../../adapters/secrets/secrets-server.ts'
import { newUser, syncSkills, type User } from './people.ts'
import { startWorld, type World } from './world.ts'

const SECRET_ID = 'test/edge'
const CURRENT = 'C'.repeat(43)
const NEXT = 'N'.repeat(43)

let secrets: SecretsServer
let world: World
let ada: User
beforeAll(async () => {
  secrets = await startSecretsServer()
  secrets.set(SECRET_ID, `{"current":"${CURRENT}"}`)
  const env = { EDGE_SECRET_ID: SECRET_ID, AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint }
  world = await startWorld({ mcp: { env }, execute: { env } })
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
})
afterAll(async () => {
  await world?.stop()
  await secrets?.stop()
})

function list(value?: string): Promise<Response> {
  return fetch(`${world.mcpUrl.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      ...(value === undefined ? {} : { 'x-origin-secret': value }),
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
}

function execute(url: string, value?: string): Promise<Response> {
  return fetch(`${url}/v1/execute`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.key}`,
      'content-type': 'application/json',
      ...(value === undefined ? {} : { 'x-origin-secret': value }),
    },
    body: '{"skill":"sg_echo","arguments":{"text":"hello"}}',
  })
}

test('a list over the edge is answered, and one past it gets 403', async () => {
  const answered = await list(CURRENT)
  expect([answered.status, await answered.text()]).toEqual([
    200,
    expect.stringContaining('sg_echo'),
  ])
  for (const value of [undefined, NEXT]) {
    const refused = await list(value)
    expect([refused.status, await refused.json()]).toMatchObject([403, { detail: 'Forbidden.' }])
  }
})

test('a call over REST is answered over the edge alone', async () => {
  expect((await execute(world.executeUrl.url, CURRENT)).status).toBe(200)
  expect((await execute(world.executeUrl.url)).status).toBe(403)
})
