import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../core/json/json.ts'
import { readConfig } from '../../../../core/skills/definition/read-config.ts'

const URL = 'https://mcp.example.com/mcp'

function read(config: JsonObject) {
  const notes = { faults: [], warnings: [], slips: [], notYet: [] }
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const read = readConfig(notes, { endpoint: URL, ...config }, parameters)
  return {
    config: read,
    faults: notes.faults as readonly { pointer: string; message: string }[],
    warnings: notes.warnings,
  }
}

test('a tool of an MCP server needs its name and the URL, and no more', () => {
  const { config, faults, warnings } = read({ mcp: { tool: 'weather' } })

  expect(faults).toEqual([])
  expect(warnings).toEqual([])
  expect(config).toMatchObject({
    endpoint: URL,
    method: 'POST',
    mcp: { tool: 'weather' },
    responseAs: 'mcp',
    retries: 0,
    body: undefined,
  })
})

test('all fields are read', () => {
  const mcp = { tool: 't', upstream: 'u-1', charge_tool_errors: true, idempotent: true }
  const { config, faults } = read({ mcp, retries: 1 })

  expect(faults).toEqual([])
  expect(config.mcp).toEqual({
    tool: 't',
    upstreamId: 'u-1',
    chargesErrors: true,
    isIdempotent: true,
  })
  expect(config.retries).toBe(1)
})

test('a task of a server needs no job', () => {
  const { config, faults } = read({ mcp: { tool: 't' }, task: { max_sec: 3_600 } })

  expect(faults).toEqual([])
  expect(config.task?.job).toMatchObject({ values: { taskId: '/taskId' }, pollMs: 10_000 })
})

test.each<[JsonObject, string]>([
  [{ mcp: 'weather' }, '/config/mcp'],
  [{ mcp: {} }, '/config/mcp/tool'],
  [{ mcp: { tool: '' } }, '/config/mcp/tool'],
  [{ mcp: { tool: 't'.repeat(257) } }, '/config/mcp/tool'],
  [{ mcp: { tool: 't', idempotent: 'yes' } }, '/config/mcp/idempotent'],
  [{ mcp: { tool: 't' }, body: {} }, '/config/body'],
  [{ mcp: { tool: 't' }, query: {} }, '/config/query'],
  [{ mcp: { tool: 't' }, body_as: 'form' }, '/config/body_as'],
  [{ mcp: { tool: 't' }, method: 'GET' }, '/config/method'],
  [{ mcp: { tool: 't' }, endpoint: `${URL}/{city}` }, '/config/endpoint'],
  [{ mcp: { tool: 't' }, response: { as: 'json' } }, '/config/response/as'],
  [{ mcp: { tool: 't' }, response: { pick: '/a' } }, '/config/response/pick'],
  [{ mcp: { tool: 't' }, retries: 1 }, '/config/retries'],
  [{ mcp: { tool: 't' }, task: { max_sec: 60, job: {} } }, '/config/task/job'],
])('%j is refused at %s', (config, pointer) => {
  expect(read(config).faults.map((fault) => fault.pointer)).toContain(pointer)
})

test('a name of 256 characters is read', () => {
  expect(read({ mcp: { tool: 't'.repeat(256) } }).faults).toEqual([])
})
