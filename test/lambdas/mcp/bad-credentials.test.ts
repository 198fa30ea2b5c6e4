/** Malformed keys are refused by the mcp function itself: execute is never invoked for them. */
import { expect, test } from 'vitest'
import { createMcpDoorOver } from '../../../lambdas/mcp/door.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { legacy, modern, post, withKey } from './agent.ts'

const CALL = { name: 'sg_sunny', arguments: {} }
const KEY = `sgk_${'a'.repeat(43)}`

test.each([
  ['of another scheme', 'Basic YWRhOnB3'],
  ['of characters that no signature of ours covers', 'Bearer caf\u00e9'],
  ['that no header can carry on', 'Bearer \u0100'],
  ['two keys that a proxy joined', `Bearer ${KEY},Bearer ${KEY}`],
  ['a token of somebody else', 'Bearer eyJhbGciOi.J9'],
  ['a key without its scheme', KEY],
])('a bad credential (%s) never reaches execute', async (_, authorization) => {
  const world = makeWorld()
  let asked = 0
  const never = () => {
    asked += 1
    return Promise.reject(new Error('execute was asked'))
  }
  const execute = { execute: never, voidCall: never }
  const door = createMcpDoorOver({ ...world.ports, execute }, world.settings)
  const old = await post(door, withKey(authorization, legacy('tools/call', CALL)))
  const now = await post(door, withKey(authorization, modern('tools/call', CALL)))
  expect([old.status, now.status, asked]).toEqual([401, 401, 0])
  expect(old.text).not.toContain(authorization)
})
