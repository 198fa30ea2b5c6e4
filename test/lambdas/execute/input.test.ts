/** The further inputs of POST /v1/execute: a client's answers, and mirrored headers. */

import { describe, expect, test } from 'vitest'
import { writeCredential } from '../../../adapters/internal-http/credential-header.ts'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask, type SentRequest } from '../door-client.ts'

const PARAMETERS = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
}

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_ask', { config: { response: { as: 'mcp' } } })
  await world.skill('sg_near', { parameters: PARAMETERS })
  return { world, ada }
}

function send(world: World, sent: SentRequest) {
  return ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', sent)
}

describe('the input of a call', () => {
  test("an upstream's questions come back with 200", async () => {
    const { world, ada } = await ready()
    const inputRequests = { roots: { method: 'roots/list', params: {} } }
    const body = JSON.stringify({ resultType: 'input_required', inputRequests })
    world.upstream.next({ kind: 'answer', body })
    const input = { capabilities: { roots: {} } }
    const headers = { authorization: ada }
    const out = await send(world, { headers, body: { skill: 'sg_ask', input } })
    expect(out.status).toBe(200)
    expect(out.json()).toMatchObject({
      resultType: 'input_required',
      inputRequests,
      credits: { charged: 1, refunded: 1, remaining: 100 },
    })
  })

  test('input that does not fit is refused by its place', async () => {
    const { world, ada } = await ready()
    const input = { responses: { a: 1 }, status: '' }
    const headers = { authorization: ada }
    const out = await send(world, { headers, body: { skill: 'sg_ask', input } })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({
      code: 'malformed',
      errors: [{ pointer: '/input/status' }, { pointer: '/input/responses/a' }],
    })
  })
})

describe('mirrored headers', () => {
  const TERMS = {
    'x-skillgate-call-id': 'c'.repeat(43),
    'x-skillgate-deadline-ms': String(START_MS + 10_000),
  }
  const near = { skill: 'sg_near', arguments: { region: 'us' } }
  const mirrored = (text: string) => ({ 'x-skillgate-param-headers': text })

  test('that differ from the body are refused, and nothing is held', async () => {
    const { world, ada } = await ready()
    const headers = { ...TERMS, 'x-skillgate-credential': writeCredential(credentialOf(ada)) }
    for (const text of ['{}', '%7B%22region%22:%22eu%22%7D']) {
      const sent = { headers: { ...headers, ...mirrored(text) }, iam: true, body: near }
      const out = await send(world, sent)
      expect(out.status).toBe(400)
      expect(out.json()).toMatchObject({ code: 'header_mismatch' })
      expect(out.json()).not.toHaveProperty('credits')
    }
    expect(world.upstream.requests).toHaveLength(0)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that agree let the call through, and so do callers without MCP', async () => {
    const { world, ada } = await ready()
    const headers = { ...TERMS, 'x-skillgate-credential': writeCredential(credentialOf(ada)) }
    const fit = { ...headers, ...mirrored('%7B%22region%22:%22us%22%7D') }
    expect((await send(world, { headers: fit, iam: true, body: near })).status).toBe(200)
    const other = { ...headers, 'x-skillgate-call-id': 'd'.repeat(43) }
    expect((await send(world, { headers: other, iam: true, body: near })).status).toBe(200)
  })

  test('are ignored from callers that IAM has not proven', async () => {
    const { world, ada } = await ready()
    const headers = { ...TERMS, ...mirrored('{}'), authorization: ada }
    expect((await send(world, { headers, body: near })).status).toBe(200)
  })
})
