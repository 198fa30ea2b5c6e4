import { afterEach, beforeEach, expect, test } from 'vitest'
import { postJson } from '../e2e/http.ts'
import type { LocalServer } from '../lambda/local-server.ts'
import { fixtureSkills } from './fixtures.ts'
import { startUpstream } from './upstream.ts'

let upstream: LocalServer
let refreshed: number

beforeEach(async () => {
  refreshed = 0
  upstream = await startUpstream({
    refreshTools: async () => {
      refreshed += 1
    },
  })
})

afterEach(() => upstream.stop())

const ask = async (tool: string, body: object) =>
  (await postJson(`${upstream.url}/${tool}`, body)).json()

test('the conformance upstream has an answer for every registered skill', async () => {
  const ids = fixtureSkills(upstream.url).map((skill) => String(Object.values(skill)[0]))
  // These fixtures take their time on purpose.
  const slow = new Set([
    'test_tool_with_progress',
    'test_failing_job',
    'test_protocol_error_job',
    'test_confirm_delete',
    'test_multi_input',
  ])
  const quick = ids.filter((id) => !slow.has(id))
  const statuses = await Promise.all(
    quick.map(async (id) => (await postJson(`${upstream.url}/${id}`, {})).status),
  )
  expect(ids.length).toBe(31)
  expect(statuses.filter((status) => status === 404)).toEqual([])
})

test('the conformance upstream asks again when the answers lack a requested one', async () => {
  const tool = 'test_input_required_result_elicitation'
  const again = await ask(tool, { responses: { wrong: { action: 'accept' } } })
  expect(again['resultType']).toBe('input_required')
  const done = await ask(tool, { responses: { user_name: { action: 'accept' }, extra: {} } })
  expect(done['content']).toBeDefined()
})

test('the conformance upstream accepts answers only with the state that it gave', async () => {
  const tool = 'test_input_required_result_request_state'
  const responses = { confirm: { action: 'accept' } }
  expect((await ask(tool, { responses }))['requestState']).toBe('confirming')
  expect((await ask(tool, { responses, state: 'confirming' }))['content']).toBeDefined()
})

test('the conformance upstream asks twice for a fixture of two steps', async () => {
  const tool = 'test_input_required_result_multi_round'
  expect((await ask(tool, {}))['requestState']).toBe('first')
  const second = { responses: { step1: { action: 'accept' } }, state: 'first' }
  expect((await ask(tool, second))['requestState']).toBe('second')
  const third = { responses: { step2: { action: 'accept' } }, state: 'second' }
  expect((await ask(tool, third))['content']).toBeDefined()
})

test('the conformance upstream asks only for capabilities of the client', async () => {
  const tool = 'test_input_required_result_capabilities'
  const { inputRequests } = await ask(tool, { capabilities: { sampling: {} } })
  expect(Object.keys(Object(inputRequests))).toEqual(['sampling'])
})

test('the conformance upstream announces changed tools on request', async () => {
  await ask('test_trigger_tool_change', {})
  expect(refreshed).toBe(1)
})
